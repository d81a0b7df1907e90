// Chooses the variant for the processor.
#include "Variants.h"

#if defined(__x86_64__)

static int has_avx2(void) { return __builtin_cpu_supports("avx2"); }

static int has_avx512(void) {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
}

const CVectorKernels *cvector_kernels_at(size_t index) {
    // Processors with the later instructions have the earlier ones.
    switch (index) {
    case 0: return &cvector_baseline;
    case 1: return has_avx2() ? &cvector_avx2 : NULL;
    case 2: return has_avx2() && has_avx512() ? &cvector_avx512 : NULL;
    default: return NULL;
    }
}

#else

const CVectorKernels *cvector_kernels_at(size_t index) { return index == 0 ? &cvector_baseline : NULL; }

#endif

const CVectorKernels *cvector_kernels(void) {
    const CVectorKernels *best = &cvector_baseline;
    for (size_t index = 1; cvector_kernels_at(index) != NULL; index++) best = cvector_kernels_at(index);
    return best;
}
