// Numbers of six bits, the lowest bits first: four in three bytes.

// Writes the numbers from `first`, a multiple of four, to `count` as a byte each.
static inline void unpack_last_sixths(const uint8_t *code, size_t first, size_t count, uint8_t *bytes) {
    size_t i = first;
    for (; i + 4 <= count; i += 4) {
        const uint8_t *three = code + i / 4 * 3;
        uint32_t word = three[0] | (uint32_t)three[1] << 8 | (uint32_t)three[2] << 16;
        bytes[i] = word & 63;
        bytes[i + 1] = word >> 6 & 63;
        bytes[i + 2] = word >> 12 & 63;
        bytes[i + 3] = word >> 18;
    }
    for (; i < count; i++) {
        // A number is in one byte, or in two.
        size_t bit = 6 * i, byte = bit / 8, shift = bit % 8;
        uint32_t word = code[byte];
        if (shift > 2) word |= (uint32_t)code[byte + 1] << 8;
        bytes[i] = word >> shift & 63;
    }
}
