#pragma once
#include <errno.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <uv.h>

// Names the calling thread, for debuggers and top. `prctl` is variadic, so Swift can't call it.
static inline void collsync_name_thread(const char *name) {
    prctl(PR_SET_NAME, name, 0, 0, 0);
}

// Offers bytes to a socket: what `uv_try_write` does for one that has nothing queued, a seventh cheaper, as
// `send` does without what `write` does for files. Returns how many were taken, or an error of libuv's.
static inline int collsync_send(int socket, const uv_buf_t *buffers, size_t count) {
    const int flags = MSG_DONTWAIT | MSG_NOSIGNAL;
    ssize_t sent;
    do {
        if (count == 1) {
            sent = send(socket, buffers->base, buffers->len, flags);
        } else {
            // libuv's buffers are laid out as the system's, of which it takes so many at once.
            const size_t most = 1024;
            struct msghdr message = {
                .msg_iov = (struct iovec *)buffers,
                .msg_iovlen = count < most ? count : most,
            };
            sent = sendmsg(socket, &message, flags);
        }
    } while (sent < 0 && errno == EINTR);
    if (sent >= 0) return (int)sent;
    return errno == EAGAIN || errno == EWOULDBLOCK ? UV_EAGAIN : uv_translate_sys_error(errno);
}
