// The functions for x86-64 processors with AVX-512 (F, BW and VL).
#if defined(__x86_64__)

#include <immintrin.h>

#include "Variants.h"

#pragma clang attribute push(__attribute__((target("avx2,avx512f,avx512bw,avx512vl"))), apply_to = function)

#define KERNEL(name) avx512_##name
#define VECTORS_AT_ONCE 4
#define PANELS_AT_ONCE 2
#define VALUES_AT_ONCE 8
#include "FloatKernels.h"

static inline __m512i product(const int16_t *weights, __m512i codes) { return _mm512_madd_epi16(_mm512_loadu_si512(weights), codes); }

// The bits of the first `count` of up to 32 elements, which are read; the others are zero.
static inline __mmask32 first_elements(size_t count) { return (__mmask32)((UINT64_C(1) << count) - 1); }

static void products_of_bytes(const int16_t *weights, const uint8_t *codes, size_t dimensions, size_t count, int32_t *products) {
    __mmask32 mask = first_elements(dimensions % 32);
    for (size_t code = 0; code < count; code++, codes += dimensions) {
        size_t i = 0;
        __m512i sums = _mm512_setzero_si512();
        for (; i + 32 <= dimensions; i += 32) {
            __m512i numbers = _mm512_cvtepu8_epi16(_mm256_loadu_si256((const __m256i *)(codes + i)));
            sums = _mm512_add_epi32(sums, product(weights + i, numbers));
        }
        if (i < dimensions) {
            __m512i numbers = _mm512_cvtepu8_epi16(_mm256_maskz_loadu_epi8(mask, codes + i));
            sums = _mm512_add_epi32(sums, _mm512_madd_epi16(_mm512_maskz_loadu_epi16(mask, weights + i), numbers));
        }
        products[code] = _mm512_reduce_add_epi32(sums);
    }
}

static void products_of_halves(
    const int16_t *lower, const int16_t *upper, const uint8_t *codes, size_t size, size_t count, int32_t *products) {
    __m512i lower_bits = _mm512_set1_epi16(15);
    __mmask32 mask = first_elements(size % 32);
    for (size_t code = 0; code < count; code++, codes += size) {
        size_t i = 0;
        __m512i first = _mm512_setzero_si512(), second = first;
        for (; i + 32 <= size; i += 32) {
            __m512i bytes = _mm512_cvtepu8_epi16(_mm256_loadu_si256((const __m256i *)(codes + i)));
            first = _mm512_add_epi32(first, product(lower + i, _mm512_and_si512(bytes, lower_bits)));
            second = _mm512_add_epi32(second, product(upper + i, _mm512_srli_epi16(bytes, 4)));
        }
        if (i < size) {
            __m512i bytes = _mm512_cvtepu8_epi16(_mm256_maskz_loadu_epi8(mask, codes + i));
            __m512i low = _mm512_and_si512(bytes, lower_bits), high = _mm512_srli_epi16(bytes, 4);
            first = _mm512_add_epi32(first, _mm512_madd_epi16(_mm512_maskz_loadu_epi16(mask, lower + i), low));
            second = _mm512_add_epi32(second, _mm512_madd_epi16(_mm512_maskz_loadu_epi16(mask, upper + i), high));
        }
        products[code] = _mm512_reduce_add_epi32(_mm512_add_epi32(first, second));
    }
}

#pragma clang attribute pop

const CVectorKernels cvector_avx512 = {
    .name = "AVX-512",
    .products_of_bytes = products_of_bytes,
    .products_of_halves = products_of_halves,
    .unpack_sixths = cvector_avx2_unpack_sixths,
    .distance_to_bytes = avx512_distance_to_bytes,
    .product_with_bytes = avx512_product_with_bytes,
    .distance = avx512_distance,
    .product = avx512_product,
    .nearest = avx512_nearest,
    .values = avx512_values,
};

#endif
