/// What the functions in C compute, written as plainly as possible: the same operations in the same order.
enum KernelReference {
    /// Adds terms in the order that is fixed for sums of floats: term i to lane i mod 32, then the lanes in halves.
    static func sum(_ count: Int, _ term: (Int) -> Float) -> Float {
        var lanes = [Float](repeating: 0, count: 32)
        // The last terms are completed with zeros.
        for index in 0..<(count + 31) / 32 * 32 { lanes[index % 32] += index < count ? term(index) : 0 }
        while lanes.count > 1 {
            let half = lanes.count / 2
            lanes = (0..<half).map { lanes[$0] + lanes[half + $0] }
        }
        return lanes[0]
    }

    static func distance(_ a: [Float], _ b: [Float]) -> Float {
        sum(a.count) {
            let difference = a[$0] - b[$0]
            return difference * difference
        }
    }

    static func product(_ a: [Float], _ b: [Float]) -> Float { sum(a.count) { a[$0] * b[$0] } }

    static func distance(offsets: [Float], steps: [Float], bytes: [UInt8]) -> Float {
        sum(offsets.count) {
            let difference = offsets[$0] - steps[$0] * Float(bytes[$0])
            return difference * difference
        }
    }

    static func product(_ weights: [Float], bytes: [UInt8]) -> Float { sum(weights.count) { weights[$0] * Float(bytes[$0]) } }

    static func product(_ weights: [Int16], _ numbers: [UInt8]) -> Int32 {
        zip(weights, numbers).reduce(0) { $0 + Int32($1.0) * Int32($1.1) }
    }

    /// The numbers of six bits, bit for bit.
    static func sixths(_ code: [UInt8], _ count: Int) -> [UInt8] {
        (0..<count).map { number in
            (0..<6).reduce(0) { result, bit in
                let place = 6 * number + bit
                return result | (code[place / 8] >> (place % 8) & 1) << bit
            }
        }
    }

    /// Half norm − x·c of a vector for all centroids, which are in panels of sixteen.
    static func values(_ vector: [Float], panels: [Float], halfNorms: [Float]) -> [Float] {
        halfNorms.indices.map { centroid in
            var sum: Float = 0
            let start = centroid / 16 * 16 * vector.count + centroid % 16
            for index in vector.indices { sum += panels[start + 16 * index] * vector[index] }
            return halfNorms[centroid] - sum
        }
    }
}
