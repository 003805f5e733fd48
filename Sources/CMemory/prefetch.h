#pragma once

/// Asks the processor to bring the cache line at `address` nearer, and does not wait for it. Any
/// address will do, also one that can't be read. Where there is no word for that, nothing happens.
static inline void prefetch(const void *_Nullable address) {
#if __has_builtin(__builtin_prefetch) && !defined(COLLSYNC_PLAIN_MEMORY)
    __builtin_prefetch(address);
#else
    (void)address;
#endif
}
