#pragma once

#if defined(__GLIBC__) || (defined(__linux__) && __has_include(<malloc.h>))
#include <malloc.h>
#endif

/// Has blocks of `bytes` and more be the system's own, so that they go back to it when they are freed, and
/// keeps at most `kept` free bytes at the end of what smaller blocks come from. Where the system has no word
/// for that, its own rules stay.
static inline void map_large_blocks(int bytes, int kept) {
#if defined(M_MMAP_THRESHOLD) && defined(M_TRIM_THRESHOLD) && !defined(COLLSYNC_PLAIN_MEMORY)
    mallopt(M_MMAP_THRESHOLD, bytes);
    mallopt(M_TRIM_THRESHOLD, kept);
#else
    (void)bytes;
    (void)kept;
#endif
}
