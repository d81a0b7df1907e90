// The inner loops of vector search, for several instruction sets: the one that the package is compiled for, and those that the processor is found to
// have when the program runs.
//
// All variants return the same bits. Whole numbers are summed exactly. Sums of floats have a fixed order, without fused multiply-add: term i is added
// to lane i mod 32, the last terms completed with zeros, and then the lanes are added in halves: the upper 16 to the lower 16, then 8, 4, 2 and 1.
// For centroids each sum is one lane.
//
// What a pointer to `void` points to needs no alignment; all other pointers have that of their elements. The functions access just the elements that
// the lengths say, which may be 0: the caller checks them.
#ifndef CVECTORKERNELS_H
#define CVECTORKERNELS_H

#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// The functions for one instruction set.
typedef struct CVectorKernels {
    // For tests and messages.
    const char *name;

    // For each of `count` codes of `dimensions` bytes, one after another: writes Σ weights[i]·code[i]. The caller has made the weights so small that
    // Σ |weights[i]|·255 is at most INT32_MAX.
    void (*_Nonnull products_of_bytes)(
        const int16_t *weights, const uint8_t *codes, size_t dimensions, size_t count, int32_t *products);

    // The same for codes of `size` bytes with two numbers each: those in the lower four bits are multiplied by `lower`, the others by `upper`, which
    // have `size` weights each.
    void (*_Nonnull products_of_halves)(
        const int16_t *lower, const int16_t *upper, const uint8_t *codes, size_t size, size_t count, int32_t *products);

    // Writes `count` numbers of six bits, the lowest bits first, as a byte each. Reads the (6·count + 7) / 8 bytes that contain them.
    void (*_Nonnull unpack_sixths)(const uint8_t *code, size_t count, uint8_t *bytes);

    // Returns Σ (offsets[i] − steps[i]·bytes[i])².
    float (*_Nonnull distance_to_bytes)(const float *offsets, const float *steps, const uint8_t *bytes, size_t count);

    // Returns Σ weights[i]·bytes[i].
    float (*_Nonnull product_with_bytes)(const float *weights, const uint8_t *bytes, size_t count);

    // Returns Σ (a[i] − b[i])², where `b` has floats.
    float (*_Nonnull distance)(const float *a, const void *b, size_t count);

    // Returns Σ a[i]·b[i], where both have floats.
    float (*_Nonnull product)(const void *a, const void *b, size_t count);

    // Finds the nearest of many centroids for each of `count` vectors. A panel has 16 centroids: their first components, then their second ones, and
    // so on. `half_norms` has half of Σ c[i]² of each, and infinity where there is no centroid. Writes the number of the centroid c with the
    // smallest half norm − Σ x[i]·c[i], of equal ones the smallest number, and that value.
    void (*_Nonnull nearest)(
        const float *vectors, size_t count, const float *panels, const float *half_norms, size_t dimensions, size_t panel_count,
        int32_t *nearest, float *values);

    // Writes half norm − Σ x[i]·c[i] of a vector for all centroids of the panels.
    void (*_Nonnull values)(
        const float *vector, const float *panels, const float *half_norms, size_t dimensions, size_t panel_count, float *values);
} CVectorKernels;

// The fastest functions that this processor can run.
const CVectorKernels *cvector_kernels(void);

// The functions number `index` of those that this processor can run, the slowest first; NULL behind the last.
const CVectorKernels *_Nullable cvector_kernels_at(size_t index);

#pragma clang assume_nonnull end

#endif
