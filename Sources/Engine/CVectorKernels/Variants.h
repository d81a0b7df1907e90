// The variants there are; see Kernels.c.
#ifndef VARIANTS_H
#define VARIANTS_H

#include "include/CVectorKernels.h"

// For the instruction set that the target is compiled for.
extern const CVectorKernels cvector_baseline;

#if defined(__x86_64__)
extern const CVectorKernels cvector_avx2;
extern const CVectorKernels cvector_avx512;

// Of the second variant, for the third.
void cvector_avx2_unpack_sixths(const uint8_t *code, size_t count, uint8_t *bytes);
#endif

#endif
