/// Vectors in clusters, which depend on nothing but their numbers (Vector search 11.1).
struct GeneratedVectors {
    let dimensions: Int
    let clusters: Int
    private let directions: Int
    private let seed: UInt64

    init(seed: UInt64 = 1, dimensions: Int = 128, clusters: Int = 256, directions: Int = 16) {
        (self.seed, self.dimensions, self.clusters, self.directions) = (seed, dimensions, clusters, directions)
    }

    static func mix(_ number: UInt64) -> UInt64 {
        var z = number
        // Without checks of the shifts, which take most of the time in a debug build.
        z = (z ^ z &>> 30) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ z &>> 27) &* 0x94D0_49BB_1331_11EB
        return z ^ z &>> 31
    }

    static func uniform(_ seed: UInt64, _ stream: UInt64, _ index: Int) -> Double {
        Double(mix(mix(seed &+ stream) &+ (UInt64(index) + 1) &* 0x9E37_79B9_7F4A_7C15) >> 11) * 0x1p-53
    }

    static func normal(_ seed: UInt64, _ stream: UInt64, _ index: Int) -> Double {
        (1..<12).reduce(uniform(seed, stream, 12 * index)) { $0 + uniform(seed, stream, 12 * index + $1) } - 6
    }

    func cluster(_ base: UInt64, _ number: Int) -> Int {
        let place = Self.uniform(seed, base, number)
        return Int(Double(clusters) * (place * place))
    }

    func vector(_ base: UInt64, _ number: Int) -> [Float] {
        let cluster = cluster(base, number)
        return vector(base, number, around: centre(of: cluster), (0..<directions).map { direction(of: cluster, $0) })
    }

    /// Returns the components of the first vectors of a set, one after another.
    func vectors(_ base: UInt64, count: Int) -> [Float] {
        var known: [Int: (centre: [Double], directions: [[Double]])] = [:]
        return (0..<count).flatMap { number in
            let cluster = cluster(base, number)
            let parts = known[cluster] ?? (centre(of: cluster), (0..<directions).map { direction(of: cluster, $0) })
            known[cluster] = parts
            return vector(base, number, around: parts.centre, parts.directions)
        }
    }

    private func centre(of cluster: Int) -> [Double] {
        (cluster * dimensions..<(cluster + 1) * dimensions).map { 200 * Self.uniform(seed, 1, $0) * Self.uniform(seed, 2, $0) }
    }

    private func direction(of cluster: Int, _ number: Int) -> [Double] {
        let start = (cluster * directions + number) * dimensions
        return (start..<start + dimensions).map { 14 * Self.normal(seed, 3, $0) }
    }

    private func vector(_ base: UInt64, _ number: Int, around centre: [Double], _ spread: [[Double]]) -> [Float] {
        var sums = centre
        for (direction, components) in spread.enumerated() {
            let length = Self.normal(seed, base + 1, number * directions + direction)
            for index in 0..<dimensions { sums[index] += length * components[index] }
        }
        return (0..<dimensions).map { index in
            let sum = sums[index] + 24 * (Self.uniform(seed, base + 2, number * dimensions + index) - 0.5)
            return Float(min(255, max(0, (sum + 0.5).rounded(.down))))
        }
    }
}
