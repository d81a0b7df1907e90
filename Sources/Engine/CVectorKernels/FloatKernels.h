// The functions that compute with floats, once for each instruction set. The including file has set the attributes of functions, and defines
//   KERNEL(name)      the name of a function of this variant,
//   VECTORS_AT_ONCE   how many vectors are compared with panels together,
//   PANELS_AT_ONCE    and with how many panels: so many sums must fit into the registers,
//   VALUES_AT_ONCE    how many panels are compared with a single vector together.
// The compiler divides the vectors below into as many registers as the instruction set needs.
//
// Without the pragma, compilers for arm64 combine products and sums, which rounds differently.
#pragma STDC FP_CONTRACT OFF

#define LANES 16
typedef float lanes __attribute__((vector_size(64)));
typedef int32_t numbers __attribute__((vector_size(64)));
typedef float half_lanes __attribute__((vector_size(32)));
typedef float quarter_lanes __attribute__((vector_size(16)));
// For access without alignment.
typedef float unaligned_lanes __attribute__((vector_size(64), aligned(1), may_alias));
typedef uint8_t unaligned_bytes __attribute__((vector_size(16), aligned(1), may_alias));

#define LOADED(pointer) (*(const unaligned_lanes *)(pointer))
#define CONVERTED(pointer) __builtin_convertvector(*(const unaligned_bytes *)(pointer), lanes)
// Every lane has this value.
#define SPREAD(value) ((lanes){0} + (value))

// The last terms, completed with zeros.
#define LAST(type, name, source)       \
    type name[2 * LANES] = {0};        \
    __builtin_memcpy(name, source, (count - i) * sizeof(type));

// The sum of two blocks of lanes, in the fixed order. Parameters and results of this size would depend on the instruction set.
static inline float KERNEL(sum)(const lanes *sums) {
    lanes all = sums[0] + sums[1];
    half_lanes half = __builtin_shufflevector(all, all, 0, 1, 2, 3, 4, 5, 6, 7)
        + __builtin_shufflevector(all, all, 8, 9, 10, 11, 12, 13, 14, 15);
    quarter_lanes quarter = __builtin_shufflevector(half, half, 0, 1, 2, 3) + __builtin_shufflevector(half, half, 4, 5, 6, 7);
    return (quarter[0] + quarter[2]) + (quarter[1] + quarter[3]);
}

// The body of a function that returns a sum of `count` terms: `add` adds those from `i` on to two blocks of lanes, and `add_last` the last ones, completed
// with zeros.
#define RETURN_SUM(add, add_last)                                              \
    lanes sums[2] = {{0}, {0}};                                                \
    size_t i = 0;                                                              \
    for (; i + 2 * LANES <= count; i += 2 * LANES) add;                        \
    if (i < count) {                                                           \
        add_last;                                                              \
    }                                                                          \
    return KERNEL(sum)(sums);

static inline void KERNEL(add_distance_to_bytes)(lanes *sums, const float *offsets, const float *steps, const uint8_t *bytes) {
    for (int block = 0; block < 2; block++) {
        lanes d = LOADED(offsets + block * LANES) - LOADED(steps + block * LANES) * CONVERTED(bytes + block * LANES);
        sums[block] += d * d;
    }
}

static float KERNEL(distance_to_bytes)(const float *offsets, const float *steps, const uint8_t *bytes, size_t count) {
    RETURN_SUM(
        KERNEL(add_distance_to_bytes)(sums, offsets + i, steps + i, bytes + i),
        LAST(float, last_offsets, offsets + i) LAST(float, last_steps, steps + i) LAST(uint8_t, last_bytes, bytes + i)
        KERNEL(add_distance_to_bytes)(sums, last_offsets, last_steps, last_bytes))
}

static inline void KERNEL(add_product_with_bytes)(lanes *sums, const float *weights, const uint8_t *bytes) {
    for (int block = 0; block < 2; block++) sums[block] += LOADED(weights + block * LANES) * CONVERTED(bytes + block * LANES);
}

static float KERNEL(product_with_bytes)(const float *weights, const uint8_t *bytes, size_t count) {
    RETURN_SUM(
        KERNEL(add_product_with_bytes)(sums, weights + i, bytes + i),
        LAST(float, last_weights, weights + i) LAST(uint8_t, last_bytes, bytes + i)
        KERNEL(add_product_with_bytes)(sums, last_weights, last_bytes))
}

// Floats of any alignment, of which the pointer is to bytes.
#define FLOATS(bytes, index) ((bytes) + (index) * sizeof(float))

static inline void KERNEL(add_distance)(lanes *sums, const void *a, const void *b) {
    for (int block = 0; block < 2; block++) {
        lanes d = LOADED((const char *)a + block * sizeof(lanes)) - LOADED((const char *)b + block * sizeof(lanes));
        sums[block] += d * d;
    }
}

static float KERNEL(distance)(const float *a, const void *stored, size_t count) {
    const char *b = stored;
    RETURN_SUM(
        KERNEL(add_distance)(sums, a + i, FLOATS(b, i)),
        LAST(float, last_a, a + i) LAST(float, last_b, FLOATS(b, i))
        KERNEL(add_distance)(sums, last_a, last_b))
}

static inline void KERNEL(add_product)(lanes *sums, const void *a, const void *b) {
    for (int block = 0; block < 2; block++) {
        sums[block] += LOADED((const char *)a + block * sizeof(lanes)) * LOADED((const char *)b + block * sizeof(lanes));
    }
}

static float KERNEL(product)(const void *first, const void *second, size_t count) {
    const char *a = first, *b = second;
    RETURN_SUM(
        KERNEL(add_product)(sums, FLOATS(a, i), FLOATS(b, i)),
        LAST(float, last_a, FLOATS(a, i)) LAST(float, last_b, FLOATS(b, i))
        KERNEL(add_product)(sums, last_a, last_b))
}

// The smallest values of each lane so far, for one vector, and the panels that they are from.
typedef struct {
    lanes values;
    numbers panels;
} KERNEL(smallest);

static inline void KERNEL(keep_smaller)(KERNEL(smallest) *best, const lanes *values, int32_t panel) {
    numbers is_smaller = *values < best->values;
    best->values = (lanes)(((numbers)*values & is_smaller) | ((numbers)best->values & ~is_smaller));
    best->panels = (((numbers){0} + panel) & is_smaller) | (best->panels & ~is_smaller);
}

static inline void KERNEL(write_smallest)(const KERNEL(smallest) *best, int32_t *number, float *value) {
    float found = best->values[0];
    int32_t first = best->panels[0] * LANES;
    for (int32_t lane = 1; lane < LANES; lane++) {
        float other = best->values[lane];
        int32_t other_number = best->panels[lane] * LANES + lane;
        if (other < found || (other == found && other_number < first)) {
            found = other;
            first = other_number;
        }
    }
    *number = first;
    *value = found;
}

// Compares `vector_count` vectors with `panel_count` panels, which are constants in each call, so that all sums are in registers.
static inline __attribute__((always_inline)) void KERNEL(compare)(
    KERNEL(smallest) *best, const float *vectors, int vector_count, const float *panels, const float *half_norms, size_t dimensions,
    size_t first_panel, int panel_count) {
    lanes sums[VECTORS_AT_ONCE][PANELS_AT_ONCE];
    for (int v = 0; v < vector_count; v++) {
        for (int p = 0; p < panel_count; p++) sums[v][p] = (lanes){0};
    }
    const float *columns = panels + first_panel * LANES * dimensions;
    for (size_t i = 0; i < dimensions; i++) {
        lanes column[PANELS_AT_ONCE];
        for (int p = 0; p < panel_count; p++) column[p] = LOADED(columns + p * LANES * dimensions + i * LANES);
        for (int v = 0; v < vector_count; v++) {
            lanes component = SPREAD(vectors[v * dimensions + i]);
            for (int p = 0; p < panel_count; p++) sums[v][p] += column[p] * component;
        }
    }
    for (int p = 0; p < panel_count; p++) {
        lanes half = LOADED(half_norms + (first_panel + p) * LANES);
        for (int v = 0; v < vector_count; v++) {
            lanes values = half - sums[v][p];
            KERNEL(keep_smaller)(best + v, &values, (int32_t)first_panel + p);
        }
    }
}

static inline __attribute__((always_inline)) void KERNEL(nearest_of)(
    const float *vectors, int vector_count, const float *panels, const float *half_norms, size_t dimensions, size_t panel_count,
    int32_t *nearest, float *values) {
    KERNEL(smallest) best[VECTORS_AT_ONCE];
    for (int v = 0; v < vector_count; v++) {
        best[v].values = SPREAD(__builtin_inff());
        best[v].panels = (numbers){0};
    }
    size_t panel = 0;
    for (; panel + PANELS_AT_ONCE <= panel_count; panel += PANELS_AT_ONCE) {
        KERNEL(compare)(best, vectors, vector_count, panels, half_norms, dimensions, panel, PANELS_AT_ONCE);
    }
    for (; panel < panel_count; panel++) KERNEL(compare)(best, vectors, vector_count, panels, half_norms, dimensions, panel, 1);
    for (int v = 0; v < vector_count; v++) KERNEL(write_smallest)(best + v, nearest + v, values + v);
}

static void KERNEL(nearest)(
    const float *vectors, size_t count, const float *panels, const float *half_norms, size_t dimensions, size_t panel_count,
    int32_t *nearest, float *values) {
    size_t v = 0;
    for (; v + VECTORS_AT_ONCE <= count; v += VECTORS_AT_ONCE) {
        KERNEL(nearest_of)
        (vectors + v * dimensions, VECTORS_AT_ONCE, panels, half_norms, dimensions, panel_count, nearest + v, values + v);
    }
    for (; v < count; v++) {
        KERNEL(nearest_of)(vectors + v * dimensions, 1, panels, half_norms, dimensions, panel_count, nearest + v, values + v);
    }
}

static inline __attribute__((always_inline)) void KERNEL(values_of)(
    const float *vector, const float *panels, const float *half_norms, size_t dimensions, int panel_count, float *values) {
    lanes sums[VALUES_AT_ONCE];
    for (int p = 0; p < panel_count; p++) sums[p] = (lanes){0};
    for (size_t i = 0; i < dimensions; i++) {
        lanes component = SPREAD(vector[i]);
        for (int p = 0; p < panel_count; p++) sums[p] += LOADED(panels + p * LANES * dimensions + i * LANES) * component;
    }
    for (int p = 0; p < panel_count; p++) {
        *(unaligned_lanes *)(values + p * LANES) = LOADED(half_norms + p * LANES) - sums[p];
    }
}

static void KERNEL(values)(
    const float *vector, const float *panels, const float *half_norms, size_t dimensions, size_t panel_count, float *values) {
    size_t panel = 0, size = LANES * dimensions;
    // Several panels, because each sum waits for the one before it.
    for (; panel + VALUES_AT_ONCE <= panel_count; panel += VALUES_AT_ONCE) {
        KERNEL(values_of)
        (vector, panels + panel * size, half_norms + panel * LANES, dimensions, VALUES_AT_ONCE, values + panel * LANES);
    }
    for (; panel < panel_count; panel++) {
        KERNEL(values_of)(vector, panels + panel * size, half_norms + panel * LANES, dimensions, 1, values + panel * LANES);
    }
}
