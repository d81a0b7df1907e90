import Testing

@testable import VectorSearch

/// The second level of very many centroids (Vector search EN-9).
@Suite("Centroid groups")
struct CentroidGroupsTests {
    private static let dimensions = 8
    /// Hardly more than the largest number without groups.
    private static let count = 4200
    /// Clusters of numbers, so that groups are worth it.
    private static let centroids: [Float] = {
        var random = SeededNumbers(seed: 5)
        return (0..<count).flatMap { number in
            (0..<dimensions).map { Float(number % 50 * (($0 + number) % 3)) + Float.random(in: 0..<4, using: &random) }
        }
    }()

    private func targets(_ count: Int) -> [[Float]] {
        var random = SeededNumbers(seed: 6)
        return (0..<count).map { _ in
            let number = Int.random(in: 0..<Self.count, using: &random)
            return (0..<Self.dimensions).map { Self.centroids[number * Self.dimensions + $0] + Float.random(in: -1...1, using: &random) }
        }
    }

    private func nearest(_ target: [Float], _ count: Int) -> [Int] {
        let distances = (0..<Self.count).map { number in
            (0..<Self.dimensions).reduce(Float(0)) { sum, index in
                let difference = target[index] - Self.centroids[number * Self.dimensions + index]
                return sum + difference * difference
            }
        }
        return Array((0..<Self.count).sorted { (distances[$0], $0) < (distances[$1], $1) }.prefix(count))
    }

    @Test("groups contain every centroid once, and most of the nearest ones are found in few of them")
    func near() {
        let groups = CentroidGroups(Self.centroids, dimensions: Self.dimensions)
        var found = 0
        for target in targets(10) {
            let all = target.withUnsafeBufferPointer { groups.near($0, least: .max) }
            #expect(all.map(\.number).sorted() == Array(0..<Int32(Self.count)))
            let few = target.withUnsafeBufferPointer { groups.near($0, least: 400) }
            #expect(few.count >= 400 && few.count < Self.count)
            let best = few.sorted { $0.order < $1.order }.prefix(10).map { Int($0.number) }
            found += Set(best).intersection(nearest(target, 10)).count
        }
        #expect(found >= 90)
    }

    @Test("a vector is put into the nearest bucket, or one that is hardly farther")
    func buckets() {
        let groups = CentroidGroups(Self.centroids, dimensions: Self.dimensions)
        let targets = targets(40)
        var buckets = [Int32](repeating: -1, count: targets.count)
        targets.flatMap(\.self).withUnsafeBufferPointer { vectors in
            buckets.withUnsafeMutableBufferPointer { groups.assign(vectors, dimensions: Self.dimensions, buckets: $0) }
        }
        let hits = zip(targets, buckets).count { nearest($0, 1) == [Int($1)] }
        #expect(hits >= 38)
    }

    @Test("a model with very many centroids uses groups, counts their memory, and is the same when it is read again")
    func model() throws {
        let options = VectorIndexOptions(dimensions: Self.dimensions, centroids: Self.count, encoding: .none)
        let made = VectorModel(options, trainingCount: Self.count, largestNorm: 0, centroids: Self.centroids, quantizer: .none)
        let read = try VectorModel(made.encoded, options: options)
        let vectors = targets(20)
        let buckets = made.buckets(of: vectors.flatMap(\.self))
        #expect(read.buckets(of: vectors.flatMap(\.self)) == buckets)
        for (vector, bucket) in zip(vectors, buckets) {
            let probed = made.probedBuckets(for: vector, count: 20)
            #expect(probed.count == 20 && Set(probed).count == 20)
            #expect(probed.contains(Int(bucket)))
            #expect(read.probedBuckets(for: vector, count: 20) == probed)
        }
        #expect(Set(made.probedBuckets(for: vectors[0], count: Self.count)) == Set(0..<Self.count))
        // The components twice, and for each centroid its norm and its number.
        #expect(made.memorySize >= 4 * Self.count * (2 * Self.dimensions + 2))
    }
}
