/// A disk that fails on command, for a program that is started with this library in LD_PRELOAD.
///
/// The environment's FAULTY_DISK names a file. While there is such a file, its first letter says what
/// fails of that which SQLite does to a disk:
///
///     f    the disk is full: of what is written the first half gets there, the rest does not
///     w    writing fails
///     s    what is written can't be synced
///     h    syncing hangs
///
/// Sockets, pipes and reading are left alone.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

/// What fails now: a letter, or 0 if nothing does.
static char fault(void) {
    const char *path = getenv("FAULTY_DISK");
    if (path == NULL) return 0;
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return 0;
    char letter = 0;
    if (read(descriptor, &letter, 1) != 1) letter = 0;
    close(descriptor);
    return letter;
}

static int fail(int number) {
    errno = number;
    return -1;
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
    ssize_t (*real)(int, const void *, size_t, off64_t) = dlsym(RTLD_NEXT, "pwrite64");
    switch (fault()) {
    case 'f': return count > 1 ? real(descriptor, bytes, count / 2, offset) : fail(ENOSPC);
    case 'w': return fail(EIO);
    default: return real(descriptor, bytes, count, offset);
    }
}

int fdatasync(int descriptor) {
    int (*real)(int) = dlsym(RTLD_NEXT, "fdatasync");
    if (fault() == 'h') sleep(600);
    return fault() == 's' ? fail(EIO) : real(descriptor);
}
