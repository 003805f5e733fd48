#pragma once

#include <stddef.h>

// COLLSYNC_PLAIN_MEMORY selects the code of other systems, to test it on this one.
#if defined(__linux__) && !defined(COLLSYNC_PLAIN_MEMORY)

#include <linux/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/// Moves mapped memory with its content to `target`, and replaces the memory of `target_size` bytes that is
/// mapped there. Pages are moved, not copied; those beyond `size` are new.
///
/// Returns whether it could be done. (Swift can't call `mremap`: it takes a varying number of arguments
/// and is hidden from modules.)
static inline _Bool remap(
    void *_Nonnull memory, size_t size, void *_Nonnull target, size_t target_size) {
    return syscall(
               SYS_mremap, memory, size, target_size, MREMAP_MAYMOVE | MREMAP_FIXED, target) != -1;
}

#else

/// The same on a system that can't move pages: it always fails.
static inline _Bool remap(
    void *_Nonnull memory, size_t size, void *_Nonnull target, size_t target_size) {
    (void)memory, (void)size, (void)target, (void)target_size;
    return 0;
}

#endif
