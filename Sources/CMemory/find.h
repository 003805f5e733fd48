#pragma once

#include <stdint.h>
#if defined(__SSE2__) && !defined(COLLSYNC_PLAIN_MEMORY)
#define COLLSYNC_SSE2
#include <emmintrin.h>
#endif

/// The index at which `number` stands first among `count` numbers; `count` or more if it is not among them.
/// Eight are compared at a time, so the memory must extend to the next multiple of eight.
///
/// (It is C, since Swift's vectors can't find out in one instruction which of their lanes are equal.)
static inline uint32_t find_number(
    const uint32_t *_Nonnull numbers, uint32_t count, uint32_t number) {
    uint32_t at = 0;
#if defined(COLLSYNC_SSE2)
    const __m128i wanted = _mm_set1_epi32((int)number);
    for (; at < count; at += 8) {
        const __m128i *four = (const __m128i *)(numbers + at);
        const __m128i pairs = _mm_packs_epi32(
            _mm_cmpeq_epi32(_mm_loadu_si128(four), wanted),
            _mm_cmpeq_epi32(_mm_loadu_si128(four + 1), wanted));
        const int equal = _mm_movemask_epi8(pairs);
        if (equal != 0) return at + (uint32_t)__builtin_ctz((unsigned)equal) / 2;
    }
#else
    while (at < count && numbers[at] != number) at += 1;
#endif
    return at;
}

/// How many of `count` ascending numbers are not above `limit`. Four are compared at a time, so `count`
/// is a multiple of four; all numbers are below 2^31.
///
/// (It is C, since Swift code is compiled to branches or to more instructions.)
static inline uint32_t count_up_to(
    const uint32_t *_Nonnull numbers, uint32_t count, uint32_t limit) {
#if defined(COLLSYNC_SSE2)
    const __m128i limits = _mm_set1_epi32((int)limit);
    // Each lane has -1 for each number above the limit.
    __m128i above = _mm_setzero_si128();
    for (uint32_t at = 0; at < count; at += 4) {
        const __m128i four = _mm_loadu_si128((const __m128i *)(numbers + at));
        above = _mm_add_epi32(above, _mm_cmpgt_epi32(four, limits));
    }
    above = _mm_add_epi32(above, _mm_shuffle_epi32(above, _MM_SHUFFLE(1, 0, 3, 2)));
    above = _mm_add_epi32(above, _mm_shuffle_epi32(above, _MM_SHUFFLE(2, 3, 0, 1)));
    return count + (uint32_t)_mm_cvtsi128_si32(above);
#else
    uint32_t found = 0;
    for (uint32_t at = 0; at < count; at += 1) found += numbers[at] <= limit;
    return found;
#endif
}
