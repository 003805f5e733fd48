#pragma once

#if defined(__GLIBC__) || (defined(__linux__) && __has_include(<malloc.h>))
#include <malloc.h>
#endif

/// Makes the allocator map each block of `bytes` or more, so that the block goes back to the system when it is
/// freed. Of the memory for smaller blocks it keeps at most `kept` free bytes at the end. On a system without
/// such settings it does nothing.
static inline void map_large_blocks(int bytes, int kept) {
#if defined(M_MMAP_THRESHOLD) && defined(M_TRIM_THRESHOLD) && !defined(COLLSYNC_PLAIN_MEMORY)
    mallopt(M_MMAP_THRESHOLD, bytes);
    mallopt(M_TRIM_THRESHOLD, kept);
#else
    (void)bytes;
    (void)kept;
#endif
}
