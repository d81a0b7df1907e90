// The functions for the instruction set that the target is compiled for: SSE2, NEON, or plain C for any other processor.
#include "Variants.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif

#define KERNEL(name) baseline_##name
#if defined(__ARM_NEON)
#define VECTORS_AT_ONCE 4
#define VALUES_AT_ONCE 4
#else
#define VECTORS_AT_ONCE 2
#define VALUES_AT_ONCE 2
#endif
#define PANELS_AT_ONCE 1
#include "FloatKernels.h"

#if defined(__SSE2__)

static int32_t sum_of_lanes(__m128i sums) {
    sums = _mm_add_epi32(sums, _mm_shuffle_epi32(sums, _MM_SHUFFLE(1, 0, 3, 2)));
    return _mm_cvtsi128_si32(_mm_add_epi32(sums, _mm_shuffle_epi32(sums, _MM_SHUFFLE(2, 3, 0, 1))));
}

static __m128i product(const int16_t *weights, __m128i codes) {
    return _mm_madd_epi16(_mm_loadu_si128((const __m128i *)weights), codes);
}

#elif defined(__ARM_NEON)

static int32x4_t sum_with_products(int32x4_t sums, const int16_t *weights, uint8x8_t bytes) {
    int16x8_t codes = vreinterpretq_s16_u16(vmovl_u8(bytes)), factors = vld1q_s16(weights);
    sums = vmlal_s16(sums, vget_low_s16(codes), vget_low_s16(factors));
    return vmlal_s16(sums, vget_high_s16(codes), vget_high_s16(factors));
}

static int32_t sum_of_lanes(int32x4_t sums) {
    return vgetq_lane_s32(sums, 0) + vgetq_lane_s32(sums, 1) + vgetq_lane_s32(sums, 2) + vgetq_lane_s32(sums, 3);
}

#endif

static void products_of_bytes(const int16_t *weights, const uint8_t *codes, size_t dimensions, size_t count, int32_t *products) {
    for (size_t code = 0; code < count; code++, codes += dimensions) {
        size_t i = 0;
        int32_t sum = 0;
#if defined(__SSE2__)
        __m128i sums = _mm_setzero_si128(), zero = sums;
        for (; i + 16 <= dimensions; i += 16) {
            __m128i bytes = _mm_loadu_si128((const __m128i *)(codes + i));
            sums = _mm_add_epi32(sums, product(weights + i, _mm_unpacklo_epi8(bytes, zero)));
            sums = _mm_add_epi32(sums, product(weights + i + 8, _mm_unpackhi_epi8(bytes, zero)));
        }
        sum = sum_of_lanes(sums);
#elif defined(__ARM_NEON)
        int32x4_t first = vdupq_n_s32(0), second = first;
        for (; i + 16 <= dimensions; i += 16) {
            uint8x16_t bytes = vld1q_u8(codes + i);
            first = sum_with_products(first, weights + i, vget_low_u8(bytes));
            second = sum_with_products(second, weights + i + 8, vget_high_u8(bytes));
        }
        sum = sum_of_lanes(vaddq_s32(first, second));
#endif
        for (; i < dimensions; i++) sum += weights[i] * codes[i];
        products[code] = sum;
    }
}

static void products_of_halves(
    const int16_t *lower, const int16_t *upper, const uint8_t *codes, size_t size, size_t count, int32_t *products) {
    for (size_t code = 0; code < count; code++, codes += size) {
        size_t i = 0;
        int32_t sum = 0;
#if defined(__SSE2__)
        __m128i sums = _mm_setzero_si128(), zero = sums, lower_bits = _mm_set1_epi8(15);
        for (; i + 16 <= size; i += 16) {
            __m128i bytes = _mm_loadu_si128((const __m128i *)(codes + i));
            __m128i low = _mm_and_si128(bytes, lower_bits), high = _mm_and_si128(_mm_srli_epi16(bytes, 4), lower_bits);
            sums = _mm_add_epi32(sums, product(lower + i, _mm_unpacklo_epi8(low, zero)));
            sums = _mm_add_epi32(sums, product(lower + i + 8, _mm_unpackhi_epi8(low, zero)));
            sums = _mm_add_epi32(sums, product(upper + i, _mm_unpacklo_epi8(high, zero)));
            sums = _mm_add_epi32(sums, product(upper + i + 8, _mm_unpackhi_epi8(high, zero)));
        }
        sum = sum_of_lanes(sums);
#elif defined(__ARM_NEON)
        int32x4_t first = vdupq_n_s32(0), second = first;
        for (; i + 8 <= size; i += 8) {
            uint8x8_t bytes = vld1_u8(codes + i);
            first = sum_with_products(first, lower + i, vand_u8(bytes, vdup_n_u8(15)));
            second = sum_with_products(second, upper + i, vshr_n_u8(bytes, 4));
        }
        sum = sum_of_lanes(vaddq_s32(first, second));
#endif
        for (; i < size; i++) sum += lower[i] * (codes[i] & 15) + upper[i] * (codes[i] >> 4);
        products[code] = sum;
    }
}

#include "Sixths.h"

static void unpack_sixths(const uint8_t *code, size_t count, uint8_t *bytes) { unpack_last_sixths(code, 0, count, bytes); }

const CVectorKernels cvector_baseline = {
    .name = "baseline",
    .products_of_bytes = products_of_bytes,
    .products_of_halves = products_of_halves,
    .unpack_sixths = unpack_sixths,
    .distance_to_bytes = baseline_distance_to_bytes,
    .product_with_bytes = baseline_product_with_bytes,
    .distance = baseline_distance,
    .product = baseline_product,
    .nearest = baseline_nearest,
    .values = baseline_values,
};
