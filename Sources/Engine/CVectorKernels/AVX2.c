// The functions for x86-64 processors with AVX2, which have been made since 2013.
#if defined(__x86_64__)

#include <immintrin.h>

#include "Variants.h"

#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)

#define KERNEL(name) avx2_##name
#define VECTORS_AT_ONCE 4
#define PANELS_AT_ONCE 1
#define VALUES_AT_ONCE 4
#include "FloatKernels.h"

static inline int32_t sum_of_lanes(__m256i sums) {
    __m128i half = _mm_add_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
    half = _mm_add_epi32(half, _mm_shuffle_epi32(half, _MM_SHUFFLE(1, 0, 3, 2)));
    return _mm_cvtsi128_si32(_mm_add_epi32(half, _mm_shuffle_epi32(half, _MM_SHUFFLE(2, 3, 0, 1))));
}

static inline __m256i product(const int16_t *weights, __m256i codes) {
    return _mm256_madd_epi16(_mm256_loadu_si256((const __m256i *)weights), codes);
}

static inline __m256i widened(const uint8_t *bytes) { return _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)bytes)); }

static void products_of_bytes(const int16_t *weights, const uint8_t *codes, size_t dimensions, size_t count, int32_t *products) {
    for (size_t code = 0; code < count; code++, codes += dimensions) {
        size_t i = 0;
        __m256i first = _mm256_setzero_si256(), second = first;
        for (; i + 32 <= dimensions; i += 32) {
            first = _mm256_add_epi32(first, product(weights + i, widened(codes + i)));
            second = _mm256_add_epi32(second, product(weights + i + 16, widened(codes + i + 16)));
        }
        if (i + 16 <= dimensions) {
            first = _mm256_add_epi32(first, product(weights + i, widened(codes + i)));
            i += 16;
        }
        int32_t sum = sum_of_lanes(_mm256_add_epi32(first, second));
        for (; i < dimensions; i++) sum += weights[i] * codes[i];
        products[code] = sum;
    }
}

static void products_of_halves(
    const int16_t *lower, const int16_t *upper, const uint8_t *codes, size_t size, size_t count, int32_t *products) {
    __m256i lower_bits = _mm256_set1_epi16(15);
    for (size_t code = 0; code < count; code++, codes += size) {
        size_t i = 0;
        __m256i first = _mm256_setzero_si256(), second = first;
        for (; i + 16 <= size; i += 16) {
            __m256i bytes = widened(codes + i);
            first = _mm256_add_epi32(first, product(lower + i, _mm256_and_si256(bytes, lower_bits)));
            second = _mm256_add_epi32(second, product(upper + i, _mm256_srli_epi16(bytes, 4)));
        }
        int32_t sum = sum_of_lanes(_mm256_add_epi32(first, second));
        for (; i < size; i++) sum += lower[i] * (codes[i] & 15) + upper[i] * (codes[i] >> 4);
        products[code] = sum;
    }
}

#include "Sixths.h"

void cvector_avx2_unpack_sixths(const uint8_t *code, size_t count, uint8_t *bytes) {
    // Three bytes to each group of 32 bits, and their four numbers to the bytes of the group.
    const __m128i places = _mm_setr_epi8(0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1);
    const __m128i mask = _mm_set1_epi32(63);
    size_t i = 0;
    // Sixteen bytes are read, of which twelve have the numbers.
    for (; i + 16 <= count && i / 4 * 3 + 16 <= (6 * count + 7) / 8; i += 16) {
        __m128i groups = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(code + i / 4 * 3)), places);
        __m128i first = _mm_and_si128(groups, mask);
        __m128i second = _mm_and_si128(_mm_slli_epi32(groups, 2), _mm_slli_epi32(mask, 8));
        __m128i third = _mm_and_si128(_mm_slli_epi32(groups, 4), _mm_slli_epi32(mask, 16));
        __m128i fourth = _mm_and_si128(_mm_slli_epi32(groups, 6), _mm_slli_epi32(mask, 24));
        _mm_storeu_si128((__m128i *)(bytes + i), _mm_or_si128(_mm_or_si128(first, second), _mm_or_si128(third, fourth)));
    }
    unpack_last_sixths(code, i, count, bytes);
}

#pragma clang attribute pop

const CVectorKernels cvector_avx2 = {
    .name = "AVX2",
    .products_of_bytes = products_of_bytes,
    .products_of_halves = products_of_halves,
    .unpack_sixths = cvector_avx2_unpack_sixths,
    .distance_to_bytes = avx2_distance_to_bytes,
    .product_with_bytes = avx2_product_with_bytes,
    .distance = avx2_distance,
    .product = avx2_product,
    .nearest = avx2_nearest,
    .values = avx2_values,
};

#endif
