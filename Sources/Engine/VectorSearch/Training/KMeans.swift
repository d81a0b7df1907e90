/// Finds the centroids of clusters of vectors.
struct KMeans {
    /// The number of components of each vector.
    let dimensions: Int
    /// The number of centroids.
    let count: Int
    /// Whether centroids are scaled to length 1, for cosine distances (Vector search EN-18).
    var normalizes = false

    /// More centroids are found in two levels (Vector search 9.6): groups, then the centroids of each group.
    private static let largestSingleLevel = 2048
    private static let rounds = 8
    /// About how many multiplications are done between two questions whether the work is cancelled.
    private static let effortOfStep = 1 << 30

    /// Returns the centroids, one after another.
    ///
    /// - Parameters:
    ///   - sample: The components of at least one vector. If there are fewer distinct vectors than centroids, some centroids are equal.
    ///   - random: The source of random choices.
    ///   - isCancelled: Asked in each round, and several times in a long one. The default is `false`.
    /// - Throws: `CancellationError` if `isCancelled` returns `true`; it is not asked again then.
    func centroids(
        of sample: [Float],
        _ random: inout SeededNumbers,
        isCancelled: () -> Bool = { false }
    ) throws(CancellationError) -> [Float] {
        if count > Self.largestSingleLevel, sample.count / dimensions >= count { return try twoLevels(of: sample, &random, isCancelled) }
        return try singleLevel(of: sample, &random, isCancelled)
    }

    private func singleLevel(
        of sample: [Float],
        _ random: inout SeededNumbers,
        _ isCancelled: () -> Bool
    ) throws(CancellationError) -> [Float] {
        let number = sample.count / dimensions
        var centroids = initial(from: sample, number, &random)
        guard count < number else { return centroids }
        var nearest = [Int32](repeating: 0, count: number)
        var distances = [Float](repeating: 0, count: number)
        for _ in 0..<Self.rounds {
            try assign(sample, to: centroids, &nearest, &distances, isCancelled)
            let isChanged = move(&centroids, sample, &nearest, &distances)
            if !isChanged { break }
        }
        return centroids
    }

    private func twoLevels(
        of sample: [Float],
        _ random: inout SeededNumbers,
        _ isCancelled: () -> Bool
    ) throws(CancellationError) -> [Float] {
        let number = sample.count / dimensions
        let groups = Int(Double(count).squareRoot())
        let outer = try KMeans(dimensions: dimensions, count: groups, normalizes: normalizes).singleLevel(of: sample, &random, isCancelled)
        var nearest = [Int32](repeating: 0, count: number)
        var distances = [Float](repeating: 0, count: number)
        try assign(sample, to: outer, &nearest, &distances, isCancelled)
        var members = [[Int]](repeating: [], count: groups)
        for index in 0..<number { members[Int(nearest[index])].append(index) }
        var result: [Float] = []
        result.reserveCapacity(count * dimensions)
        var (left, remaining) = (number, count)
        for group in members where !group.isEmpty {
            // Each group gets its share, of which the last one takes what is left.
            let share = group.count == left ? remaining : min(remaining, max(1, remaining * group.count / left))
            left -= group.count
            guard share > 0 else { continue }
            remaining -= share
            var vectors: [Float] = []
            vectors.reserveCapacity(group.count * dimensions)
            for index in group { vectors += sample[index * dimensions..<(index + 1) * dimensions] }
            let inner = KMeans(dimensions: dimensions, count: share, normalizes: normalizes)
            result += try inner.singleLevel(of: vectors, &random, isCancelled)
        }
        return result
    }

    /// Finds the nearest centroid of each vector, and the squared distance to it.
    private func assign(
        _ sample: [Float],
        to centroids: [Float],
        _ nearest: inout [Int32],
        _ distances: inout [Float],
        _ isCancelled: () -> Bool
    ) throws(CancellationError) {
        let panels = CentroidPanels(centroids, dimensions: dimensions)
        let (number, dimensions) = (nearest.count, dimensions)
        // Enough vectors for all processors, but not for minutes.
        let step = max(1 << 12, min(1 << 16, Self.effortOfStep / (count * dimensions)))
        for start in stride(from: 0, to: number, by: step) {
            if isCancelled() { throw CancellationError() }
            let part = start..<min(number, start + step)
            sample.withUnsafeBufferPointer { sample in
                nearest.withUnsafeMutableBufferPointer { nearest in
                    distances.withUnsafeMutableBufferPointer { distances in
                        panels.assign(
                            UnsafeBufferPointer(rebasing: sample[part.lowerBound * dimensions..<part.upperBound * dimensions]),
                            nearest: UnsafeMutableBufferPointer(rebasing: nearest[part]),
                            distances: UnsafeMutableBufferPointer(rebasing: distances[part])
                        )
                    }
                }
            }
        }
    }

    /// Returns random members of the sample, each once if there are enough.
    private func initial(from sample: [Float], _ number: Int, _ random: inout SeededNumbers) -> [Float] {
        var order = Array(0..<number)
        // The first part of a Fisher–Yates shuffle.
        for index in 0..<min(count, number) { order.swapAt(index, Int.random(in: index..<number, using: &random)) }
        var result: [Float] = []
        result.reserveCapacity(count * dimensions)
        for index in 0..<count {
            let member = order[index % number]
            result += sample[member * dimensions..<(member + 1) * dimensions]
        }
        return result
    }

    /// Moves each centroid to the mean of its vectors; one without vectors to the vector that is farthest from its centroid.
    ///
    /// - Returns: Whether any centroid has moved.
    private func move(_ centroids: inout [Float], _ sample: [Float], _ nearest: inout [Int32], _ distances: inout [Float]) -> Bool {
        let sums = KMeansSums(sample, nearest, count: count, dimensions: dimensions)
        var isChanged = false
        for centroid in 0..<count {
            let members = sums.counts[centroid]
            let start = centroid * dimensions
            guard members > 0 else {
                guard let farthest = distances.indices.max(by: { distances[$0] < distances[$1] }), distances[farthest] > 0 else { continue }
                distances[farthest] = 0
                for index in 0..<dimensions { centroids[start + index] = sample[farthest * dimensions + index] }
                isChanged = true
                continue
            }
            var scale = 1 / Double(members)
            if normalizes {
                let norm = sums.sums[start..<start + dimensions].reduce(0) { $0 + $1 * $1 }
                if norm > 0 { scale = 1 / norm.squareRoot() }
            }
            for index in 0..<dimensions {
                let mean = Float(sums.sums[start + index] * scale)
                if mean != centroids[start + index] {
                    centroids[start + index] = mean
                    isChanged = true
                }
            }
        }
        return isChanged
    }
}

/// The sums of the vectors of each centroid, in the order of the vectors.
private struct KMeansSums {
    private(set) var sums: [Double]
    private(set) var counts: [Int]

    init(_ sample: [Float], _ nearest: [Int32], count: Int, dimensions: Int) {
        sums = Array(repeating: 0, count: count * dimensions)
        counts = Array(repeating: 0, count: count)
        sums.withUnsafeMutableBufferPointer { sums in
            sample.withUnsafeBufferPointer { sample in
                for (index, centroid) in nearest.enumerated() {
                    let (from, to) = (index * dimensions, Int(centroid) * dimensions)
                    for component in 0..<dimensions { sums[to + component] += Double(sample[from + component]) }
                }
            }
        }
        for centroid in nearest { counts[Int(centroid)] += 1 }
    }
}
