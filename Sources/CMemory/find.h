#pragma once

#include <stdint.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/// Where `number` stands first among `count` numbers; `count` or more if it is not among them. Sixteen
/// are compared at a time, so the memory must go on to the next multiple of sixteen.
///
/// (Swift's vectors can't tell in one instruction which of their lanes are equal.)
static inline uint32_t find_number(
    const uint32_t *_Nonnull numbers, uint32_t count, uint32_t number) {
    uint32_t at = 0;
#if defined(__SSE2__)
    const __m128i wanted = _mm_set1_epi32((int)number);
    for (; at < count; at += 16) {
        const __m128i *four = (const __m128i *)(numbers + at);
        const __m128i first = _mm_packs_epi32(
            _mm_cmpeq_epi32(_mm_loadu_si128(four), wanted),
            _mm_cmpeq_epi32(_mm_loadu_si128(four + 1), wanted));
        const __m128i second = _mm_packs_epi32(
            _mm_cmpeq_epi32(_mm_loadu_si128(four + 2), wanted),
            _mm_cmpeq_epi32(_mm_loadu_si128(four + 3), wanted));
        const int equal = _mm_movemask_epi8(_mm_packs_epi16(first, second));
        if (equal != 0) return at + (uint32_t)__builtin_ctz((unsigned)equal);
    }
#else
    while (at < count && numbers[at] != number) at += 1;
#endif
    return at;
}
