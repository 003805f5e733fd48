#pragma once

/// Asks the processor to bring the cache line at `address` nearer, and does not wait for it. Any
/// address will do, also one that can't be read.
static inline void prefetch(const void *_Nullable address) {
    __builtin_prefetch(address);
}
