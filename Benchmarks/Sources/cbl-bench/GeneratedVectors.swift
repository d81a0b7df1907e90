/// Vectors in clusters, which depend on nothing but their numbers: the data of 11.1 in Documentation/formats/vector-search.md, with the seed 1.
struct GeneratedVectors {
    let dimensions: Int
    private let centres: [Double]
    private let directions: [Double]

    private static let clusters = 256
    private static let directionCount = 16
    private static let seed: UInt64 = 1

    init(dimensions: Int) {
        self.dimensions = dimensions
        centres = (0..<Self.clusters * dimensions).map { 200 * Self.uniform(1, $0) * Self.uniform(2, $0) }
        directions = (0..<Self.clusters * Self.directionCount * dimensions).map { 14 * Self.normal(3, $0) }
    }

    /// The finalizer of SplitMix64.
    private static func mix(_ number: UInt64) -> UInt64 {
        var z = number
        z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
        return z ^ z >> 31
    }

    private static func uniform(_ stream: UInt64, _ index: Int) -> Double {
        Double(mix(mix(seed &+ stream) &+ (UInt64(index) + 1) &* 0x9E37_79B9_7F4A_7C15) >> 11) * 0x1p-53
    }

    /// Nearly normal, without logarithms.
    private static func normal(_ stream: UInt64, _ index: Int) -> Double {
        (1..<12).reduce(uniform(stream, 12 * index)) { $0 + uniform(stream, 12 * index + $1) } - 6
    }

    /// Returns the components of the first vectors of a set, one after another.
    ///
    /// - Parameter base: The number of the set's first stream: 16 for data, 32 for queries.
    func vectors(_ base: UInt64, count: Int) -> [Float] {
        var result: [Float] = []
        result.reserveCapacity(count * dimensions)
        var sums = [Double](repeating: 0, count: dimensions)
        for number in 0..<count {
            let place = Self.uniform(base, number)
            let cluster = Int(Double(Self.clusters) * (place * place))
            for index in 0..<dimensions { sums[index] = centres[cluster * dimensions + index] }
            for direction in 0..<Self.directionCount {
                let length = Self.normal(base + 1, number * Self.directionCount + direction)
                let start = (cluster * Self.directionCount + direction) * dimensions
                for index in 0..<dimensions { sums[index] += length * directions[start + index] }
            }
            for index in 0..<dimensions {
                let sum = sums[index] + 24 * (Self.uniform(base + 2, number * dimensions + index) - 0.5)
                result.append(Float(min(255, max(0, (sum + 0.5).rounded(.down)))))
            }
        }
        return result
    }
}
