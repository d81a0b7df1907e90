import Testing

@testable import VectorSearch

/// Codes with an integer for each component (Vector search 9.4).
@Suite("Scalar quantizer")
struct ScalarQuantizerTests {
    /// Returns the numbers that stand for the components of a vector.
    private func levels(_ quantizer: ScalarQuantizer, _ vector: [Float]) -> [UInt8] {
        var (code, levels) = ([UInt8](), [UInt8](repeating: 0, count: vector.count))
        quantizer.encode(vector, into: &code)
        #expect(code.count == (vector.count * quantizer.bits + 7) / 8)
        quantizer.unpack(code, into: &levels)
        return levels
    }

    @Test("components are rounded to the nearest step, halves upwards, and stay in the range", arguments: [4, 6, 8])
    func componentsAreRoundedToTheNearestStep(_ bits: Int) {
        var random = SeededNumbers(seed: 41)
        let largest = Float(1 << bits - 1)
        for dimensions in [2, 3, 5, 16, 33] {
            for _ in 0..<40 {
                let minima = (0..<dimensions).map { _ in Float.random(in: -5..<5, using: &random) }
                let steps = (0..<dimensions).map { $0 % 5 == 4 ? 0 : Float.random(in: 0.001..<1, using: &random) }
                let vector = minima.indices.map { minima[$0] + steps[$0] * Float.random(in: -3..<largest + 3, using: &random) }
                let wanted = vector.indices.map { index -> UInt8 in
                    guard steps[index] > 0 else { return 0 }
                    return UInt8(min(largest, max(0, ((vector[index] - minima[index]) / steps[index]).rounded())))
                }
                #expect(levels(ScalarQuantizer(bits: bits, minima: minima, steps: steps), vector) == wanted)
            }
        }
        let halves: [Float] = [0.5, 1.5, 2.5, 3.5, 13.5, 14.5, 0.49999997, -0.5, 1e30, -1e30, .infinity, -.infinity, .nan]
        let quantizer = ScalarQuantizer(
            bits: bits,
            minima: Array(repeating: 0, count: halves.count),
            steps: Array(repeating: 1, count: halves.count)
        )
        let top = UInt8(largest)
        #expect(levels(quantizer, halves) == [1, 2, 3, 4, 14, 15, 0, 0, top, 0, top, 0, 0])
    }

    @Test("a code stands for a vector within half a step", arguments: [4, 6, 8])
    func aCodeStandsForAVectorWithinHalfAStep(_ bits: Int) {
        var random = SeededNumbers(seed: 42)
        let sample = (0..<7 * 500).map { _ in Float.random(in: 0..<100, using: &random) }
        let quantizer = ScalarQuantizer(bits: bits, sample: sample, dimensions: 7)
        for index in 0..<7 { #expect(quantizer.minima[index] >= 0 && quantizer.steps[index] > 0) }
        for start in stride(from: 0, to: 7 * 50, by: 7) {
            // The outermost values may be outside of the range.
            let vector = (0..<7).map { max(quantizer.minima[$0] + 1, min(98, sample[start + $0])) }
            var (code, decoded) = ([UInt8](), [Float](repeating: 0, count: 7))
            quantizer.encode(vector, into: &code)
            quantizer.decode(code, into: &decoded)
            for index in 0..<7 { #expect(abs(decoded[index] - vector[index]) <= quantizer.steps[index] * 0.51) }
        }
    }
}
