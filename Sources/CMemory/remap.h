#pragma once

#include <stddef.h>

// COLLSYNC_PLAIN_MEMORY has what other systems get tried on this one.
#if defined(__linux__) && !defined(COLLSYNC_PLAIN_MEMORY)

#include <linux/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/// Moves mapped memory with what it holds to `target`, where memory of `target_size` bytes is mapped that
/// gives way to it. Pages are moved, not copied; what is beyond `size` is new.
///
/// Returns whether it could be done. (Swift can't call `mremap`: it takes a varying number of arguments
/// and is hidden from modules.)
static inline _Bool remap(
    void *_Nonnull memory, size_t size, void *_Nonnull target, size_t target_size) {
    return syscall(
               SYS_mremap, memory, size, target_size, MREMAP_MAYMOVE | MREMAP_FIXED, target) != -1;
}

#else

/// The same where pages can't be moved: it can't be done.
static inline _Bool remap(
    void *_Nonnull memory, size_t size, void *_Nonnull target, size_t target_size) {
    (void)memory, (void)size, (void)target, (void)target_size;
    return 0;
}

#endif
