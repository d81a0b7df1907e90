import Dispatch

/// Very many centroids in groups around some of them, so that those near to a vector are found without a look at all (Vector search EN-9).
struct CentroidGroups {
    /// The largest number of centroids that are better compared one by one.
    static let largestFlatCount = 4096

    /// The centroids around which the groups are.
    private let centers: CentroidPanels
    private let groups: [Group]

    private struct Group {
        /// The numbers of the centroids.
        let numbers: [Int32]
        let centroids: CentroidPanels
    }

    /// How many groups around a vector are searched for its bucket. The nearest centroid is hardly ever in another one.
    private static let groupsOfBucket = 4

    /// - Parameter centroids: The components of the centroids, one after another.
    init(_ centroids: [Float], dimensions: Int) {
        let count = centroids.count / dimensions
        let groupCount = max(1, Int(Double(count).squareRoot()))
        func components(of numbers: [Int32]) -> [Float] {
            var result: [Float] = []
            result.reserveCapacity(numbers.count * dimensions)
            for number in numbers { result += centroids[Int(number) * dimensions..<(Int(number) + 1) * dimensions] }
            return result
        }
        // The same for each reader of the model.
        var random = SeededNumbers(seed: UInt64(count))
        let chosen = Array((0..<Int32(count)).shuffled(using: &random).prefix(groupCount))
        let centers = CentroidPanels(components(of: chosen), dimensions: dimensions)
        var (nearest, distances) = ([Int32](repeating: 0, count: count), [Float](repeating: 0, count: count))
        centroids.withUnsafeBufferPointer { centroids in
            nearest.withUnsafeMutableBufferPointer { nearest in
                distances.withUnsafeMutableBufferPointer { centers.assign(centroids, nearest: nearest, distances: $0) }
            }
        }
        var members = [[Int32]](repeating: [], count: groupCount)
        for number in 0..<count { members[Int(nearest[number])].append(Int32(number)) }
        self.centers = centers
        groups = members.map { Group(numbers: $0, centroids: CentroidPanels(components(of: $0), dimensions: dimensions)) }
    }

    /// About how many bytes of memory the groups take.
    var memorySize: Int {
        groups.reduce(centers.memorySize) { $0 + $1.numbers.count * MemoryLayout<Int32>.stride + $1.centroids.memorySize }
    }

    /// Returns centroids that are near to a vector, with numbers by which their distances are ordered.
    ///
    /// - Parameter least: The number of centroids, if there are so many. Groups are never divided, and those are always among them in which the
    ///   bucket of the vector is searched, so that a search finds a document that has the vector of its target.
    func near(_ vector: UnsafeBufferPointer<Float>, least: Int) -> [(number: Int32, order: Float)] {
        var found: [(number: Int32, order: Float)] = []
        let order = centers.order(of: vector)
        for (rank, group) in order.indices.sorted(by: { (order[$0], $0) < (order[$1], $1) }).enumerated()
        where rank < Self.groupsOfBucket || found.count < least {
            found += zip(groups[group].numbers, groups[group].centroids.order(of: vector)).map { (number: $0, order: $1) }
        }
        return found
    }

    /// Finds the buckets of vectors. Uses all processors; the result does not depend on their number.
    func assign(_ vectors: UnsafeBufferPointer<Float>, dimensions: Int, buckets: UnsafeMutableBufferPointer<Int32>) {
        let block = 64
        // Safe: each block writes to its own part of the results.
        nonisolated(unsafe) let (vectors, buckets) = (vectors, buckets)
        DispatchQueue.concurrentPerform(iterations: (buckets.count + block - 1) / block) { index in
            for position in index * block..<min(buckets.count, (index + 1) * block) {
                buckets[position] = bucket(of: UnsafeBufferPointer(rebasing: vectors[position * dimensions..<(position + 1) * dimensions]))
            }
        }
    }

    private func bucket(of vector: UnsafeBufferPointer<Float>) -> Int32 {
        let order = centers.order(of: vector)
        var nearest = NearestHeap(capacity: Self.groupsOfBucket)
        for (group, value) in order.enumerated() { nearest.add(value, Int64(group)) }
        var best: (number: Int32, order: Float) = (0, .infinity)
        for entry in nearest.unsorted {
            let group = groups[Int(entry.rowID)]
            for (number, value) in zip(group.numbers, group.centroids.order(of: vector))
            where value < best.order || value == best.order && number < best.number {
                best = (number, value)
            }
        }
        return best.number
    }
}
