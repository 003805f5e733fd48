#pragma once

/// Asks the processor to load the cache line at `address`, and does not wait for it. Any address is allowed,
/// also one that can't be read. Without such an instruction nothing happens.
static inline void prefetch(const void *_Nullable address) {
#if __has_builtin(__builtin_prefetch) && !defined(COLLSYNC_PLAIN_MEMORY)
    __builtin_prefetch(address);
#else
    (void)address;
#endif
}
