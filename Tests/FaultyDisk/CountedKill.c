/// Kills a program at a counted change of its disk, if it is started with this library in LD_PRELOAD.
///
///     COUNTED_KILL=7         the program ends by SIGKILL instead of its seventh change
///     COUNTED_KILL_HALF=1    if that change is a write, its first part gets there before
///     COUNTED_KILL_TOTAL=F   a program that ends by itself writes its number of changes into the file F
///
/// A change is a call that makes, writes, cuts, syncs, renames or removes a file or folder. Pipes, sockets
/// and reading do not count. SQLite's index of its log is shared memory, so only its growth counts.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#define NEXT(name) dlsym(RTLD_NEXT, #name)

static atomic_int changes;

/// Whether the program ends now. Counts the change.
static int is_last(void) {
    const char *number = getenv("COUNTED_KILL");
    const int count = atomic_fetch_add(&changes, 1) + 1;
    return number != NULL && count == atoi(number);
}

static void end(void) {
    kill(getpid(), SIGKILL);
    for (;;) pause();
}

static void change(void) {
    if (is_last()) end();
}

__attribute__((destructor)) static void write_total(void) {
    const char *path = getenv("COUNTED_KILL_TOTAL");
    FILE *file = path == NULL ? NULL : fopen(path, "w");
    if (file == NULL) return;
    fprintf(file, "%d", atomic_load(&changes));
    fclose(file);
}

/// How much of a write gets there before the end. The system may end a program between two pages of a
/// file, and writes the part of a write that is in one page as a whole.
static size_t first_part(size_t count, off64_t offset) {
    if (getenv("COUNTED_KILL_HALF") == NULL) return 0;
    const off64_t page = 4096, end = (offset + (off64_t)count / 2 + page / 2) / page * page;
    return end > offset && end < offset + (off64_t)count ? end - offset : 0;
}

static int is_file(int descriptor) {
    struct stat status;
    return fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
}

#define WRITE_AT(name, offset_type)                                                          \
    ssize_t name(int descriptor, const void *bytes, size_t count, offset_type offset) {      \
        ssize_t (*real)(int, const void *, size_t, offset_type) = NEXT(name);                \
        if (is_last()) {                                                                     \
            const size_t part = first_part(count, offset);                                   \
            if (part > 0) real(descriptor, bytes, part, offset);                             \
            end();                                                                           \
        }                                                                                    \
        return real(descriptor, bytes, count, offset);                                       \
    }
WRITE_AT(pwrite, off_t)
WRITE_AT(pwrite64, off64_t)

ssize_t write(int descriptor, const void *bytes, size_t count) {
    ssize_t (*real)(int, const void *, size_t) = NEXT(write);
    if (is_file(descriptor) && is_last()) {
        const size_t part = first_part(count, lseek64(descriptor, 0, SEEK_CUR));
        if (part > 0) real(descriptor, bytes, part);
        end();
    }
    return real(descriptor, bytes, count);
}

#define OPEN(name)                                                                           \
    int name(const char *path, int flags, ...) {                                             \
        int (*real)(const char *, int, ...) = NEXT(name);                                    \
        if (!(flags & O_CREAT)) return real(path, flags);                                    \
        va_list list;                                                                        \
        va_start(list, flags);                                                               \
        const mode_t mode = va_arg(list, mode_t);                                            \
        va_end(list);                                                                        \
        if (access(path, F_OK) != 0) change();                                               \
        return real(path, flags, mode);                                                      \
    }
OPEN(open)
OPEN(open64)

#define CHANGE(name, parameters, arguments)                                                  \
    int name parameters {                                                                    \
        int(*real) parameters = NEXT(name);                                                  \
        change();                                                                            \
        return real arguments;                                                               \
    }
CHANGE(fsync, (int descriptor), (descriptor))
CHANGE(fdatasync, (int descriptor), (descriptor))
CHANGE(ftruncate, (int descriptor, off_t size), (descriptor, size))
CHANGE(ftruncate64, (int descriptor, off64_t size), (descriptor, size))
CHANGE(mkdir, (const char *path, mode_t mode), (path, mode))
CHANGE(rmdir, (const char *path), (path))
CHANGE(unlink, (const char *path), (path))
CHANGE(rename, (const char *from, const char *to), (from, to))
