/// Random numbers that depend on a seed only (SplitMix64), so that training an index again gives the same result (Vector search VT-14).
package struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64

    /// Creates the numbers for a seed.
    package init(seed: UInt64) { state = seed }

    /// Creates the numbers for an index of this name.
    package init(name: String) {
        // FNV-1a.
        state = name.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    /// Returns the next number.
    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
        return z ^ z >> 31
    }
}
