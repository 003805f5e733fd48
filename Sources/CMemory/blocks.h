#pragma once

#include <malloc.h>

/// Has blocks of `bytes` and more be the system's own, so that they go back to it when they are freed, and
/// keeps at most `kept` free bytes at the end of what smaller blocks come from.
static inline void map_large_blocks(int bytes, int kept) {
    mallopt(M_MMAP_THRESHOLD, bytes);
    mallopt(M_TRIM_THRESHOLD, kept);
}
