#include "CBenchmark.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <uv.h>

enum { read_bytes = 65536, frame_bytes_limit = 65536 };

// What came in a turn, shared by all writes of it.
struct turn {
    size_t users;
    size_t count;
    size_t capacity;
    char bytes[];
};

struct connection {
    uv_tcp_t tcp;
    size_t index;
    // The part of a frame that has come.
    size_t partial_count;
    char partial[frame_bytes_limit];
};

struct pending_write {
    uv_write_t request;
    struct turn *turn;
};

enum { no_log = -1 };

static struct {
    int log;
    struct turn *turn;
    struct connection **connections;
    size_t count;
    size_t capacity;
    char read_buffer[read_bytes];
} broadcaster;

static void *checked(void *memory) {
    if (memory == NULL) abort();
    return memory;
}

// MARK: Turns

static struct turn *new_turn(void) {
    size_t capacity = read_bytes;
    struct turn *turn = checked(malloc(sizeof *turn + capacity));
    *turn = (struct turn){.users = 1, .capacity = capacity};
    return turn;
}

static void release(struct turn *turn) {
    if (--turn->users == 0) free(turn);
}

static void add(const char *bytes, size_t count) {
    struct turn *turn = broadcaster.turn;
    if (turn->count + count > turn->capacity) {
        turn->capacity = (turn->count + count) * 2;
        turn = broadcaster.turn = checked(realloc(turn, sizeof *turn + turn->capacity));
    }
    memcpy(turn->bytes + turn->count, bytes, count);
    turn->count += count;
}

static void keep(const struct turn *turn) {
    if (broadcaster.log == no_log) return;
    size_t written = 0;
    while (written < turn->count) {
        ssize_t count = write(broadcaster.log, turn->bytes + written, turn->count - written);
        if (count <= 0) break;
        written += (size_t)count;
    }
    if (written < turn->count || fdatasync(broadcaster.log) != 0) {
        perror("the log");
        exit(1);
    }
}

static void did_close(uv_handle_t *handle) {
    free(handle);
}

static void drop(struct connection *connection) {
    if (uv_is_closing((uv_handle_t *)connection)) return;
    struct connection *last = broadcaster.connections[--broadcaster.count];
    broadcaster.connections[connection->index] = last;
    last->index = connection->index;
    uv_close((uv_handle_t *)connection, did_close);
}

static void did_write(uv_write_t *request, int status) {
    struct pending_write *write = (struct pending_write *)request;
    if (status < 0) drop((struct connection *)request->handle);
    release(write->turn);
    free(write);
}

static void send_turn(struct connection *connection, struct turn *turn) {
    uv_stream_t *stream = (uv_stream_t *)connection;
    uv_buf_t buffer = uv_buf_init(turn->bytes, (unsigned)turn->count);
    uv_os_fd_t socket;
    int sent = UV_EAGAIN;
    if (uv_stream_get_write_queue_size(stream) == 0 &&
        uv_fileno((uv_handle_t *)connection, &socket) == 0) {
        // Cheaper than uv_try_write, which writes as to a file.
        sent = (int)send(socket, buffer.base, buffer.len, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent < 0) sent = errno == EINTR ? UV_EAGAIN : uv_translate_sys_error(errno);
    }
    if (sent == (int)turn->count) return;
    if (sent < 0 && sent != UV_EAGAIN) return drop(connection);
    if (sent > 0) {
        buffer.base += sent;
        buffer.len -= (size_t)sent;
    }
    struct pending_write *write = checked(malloc(sizeof *write));
    write->turn = turn;
    turn->users++;
    if (uv_write(&write->request, stream, &buffer, 1, did_write) != 0) {
        release(turn);
        free(write);
        drop(connection);
    }
}

// The loop has handed out all that was at hand and is about to wait.
static void turn_ends(uv_prepare_t *prepare) {
    (void)prepare;
    struct turn *turn = broadcaster.turn;
    if (turn->count == 0) return;
    broadcaster.turn = new_turn();
    keep(turn);
    // Backwards, since one that is dropped has the last one take its place.
    for (size_t index = broadcaster.count; index > 0; index--) {
        send_turn(broadcaster.connections[index - 1], turn);
    }
    release(turn);
}

// MARK: Connections

static void give_buffer(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer) {
    (void)handle;
    (void)suggested;
    *buffer = uv_buf_init(broadcaster.read_buffer, read_bytes);
}

// How many bytes of whole frames there are at the start of `bytes`; -1 if a frame is too long.
static ssize_t whole_frames(const char *bytes, size_t count) {
    size_t end = 0;
    while (true) {
        size_t at = end, length = 0;
        int shift = 0;
        bool has_length = false;
        while (at < count && !has_length) {
            uint8_t byte = (uint8_t)bytes[at++];
            length |= (size_t)(byte & 0x7F) << shift;
            shift += 7;
            has_length = byte < 0x80;
            if (shift > 28) return -1;
        }
        if (!has_length) return (ssize_t)end;
        if (at - end + length > frame_bytes_limit) return -1;
        if (at + length > count) return (ssize_t)end;
        end = at + length;
    }
}

// Takes what has come, after a part of a frame perhaps.
static bool receive(struct connection *connection, const char *bytes, size_t count) {
    while (connection->partial_count > 0 && count > 0) {
        size_t room = frame_bytes_limit - connection->partial_count;
        size_t taken = count < room ? count : room;
        memcpy(connection->partial + connection->partial_count, bytes, taken);
        size_t former = connection->partial_count;
        size_t there = former + taken;
        ssize_t whole = whole_frames(connection->partial, there);
        if (whole < 0) return false;
        if (whole == 0) {
            connection->partial_count = there;
            return true;
        }
        add(connection->partial, (size_t)whole);
        // The rest is still in `bytes`: a frame under way was not whole before them.
        connection->partial_count = 0;
        bytes += (size_t)whole - former;
        count -= (size_t)whole - former;
    }
    ssize_t whole = whole_frames(bytes, count);
    if (whole < 0) return false;
    add(bytes, (size_t)whole);
    connection->partial_count = count - (size_t)whole;
    memcpy(connection->partial, bytes + whole, connection->partial_count);
    return true;
}

static void did_read(uv_stream_t *stream, ssize_t count, const uv_buf_t *buffer) {
    struct connection *connection = (struct connection *)stream;
    if (count < 0 || (count > 0 && !receive(connection, buffer->base, (size_t)count))) {
        drop(connection);
    }
}

static void did_connect(uv_stream_t *listener, int status) {
    if (status < 0) return;
    struct connection *connection = checked(malloc(sizeof *connection));
    connection->partial_count = 0;
    uv_tcp_init(listener->loop, &connection->tcp);
    if (broadcaster.count == broadcaster.capacity) {
        broadcaster.capacity = broadcaster.capacity * 2 + 64;
        broadcaster.connections = checked(realloc(
            broadcaster.connections, broadcaster.capacity * sizeof *broadcaster.connections));
    }
    connection->index = broadcaster.count;
    broadcaster.connections[broadcaster.count++] = connection;
    if (uv_accept(listener, (uv_stream_t *)connection) != 0 ||
        uv_read_start((uv_stream_t *)connection, give_buffer, did_read) != 0) {
        return drop(connection);
    }
    uv_tcp_nodelay(&connection->tcp, 1);
}

// MARK: The start

static int fail(const char *what, int status) {
    fprintf(stderr, "%s: %s\n", what, uv_strerror(status));
    return 1;
}

int collsync_broadcast(const char *log_path) {
    signal(SIGPIPE, SIG_IGN);
    broadcaster.log = no_log;
    if (log_path != NULL) {
        broadcaster.log = open(log_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
        if (broadcaster.log < 0) {
            perror(log_path);
            return 1;
        }
    }
    broadcaster.turn = new_turn();

    uv_loop_t *loop = uv_default_loop();
    uv_tcp_t listener;
    uv_prepare_t prepare;
    struct sockaddr_in address;
    int length = sizeof address;
    uv_tcp_init(loop, &listener);
    uv_prepare_init(loop, &prepare);
    uv_prepare_start(&prepare, turn_ends);
    uv_ip4_addr("127.0.0.1", 0, &address);
    int status = uv_tcp_bind(&listener, (const struct sockaddr *)&address, 0);
    if (status == 0) status = uv_listen((uv_stream_t *)&listener, 4096, did_connect);
    if (status == 0) {
        status = uv_tcp_getsockname(&listener, (struct sockaddr *)&address, &length);
    }
    if (status != 0) return fail("cannot listen", status);
    printf("broadcaster is listening on 127.0.0.1:%d\n", ntohs(address.sin_port));
    fflush(stdout);
    uv_run(loop, UV_RUN_DEFAULT);
    return 0;
}
