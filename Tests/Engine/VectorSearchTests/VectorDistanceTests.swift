import Testing
import VectorSearch

/// The sums over components, which use SIMD types, compared with plain loops (Vector search VQ-11, VQ-12, T-22).
@Suite("Vector distance")
struct VectorDistanceTests {
    @Test("distances agree with plain loops for all lengths and alignments")
    func distancesAgreeWithPlainLoopsForAllLengthsAndAlignments() {
        var random = SeededNumbers(seed: 3)
        for length in 2...70 {
            let a = (0..<length).map { _ in Float.random(in: -2..<2, using: &random) }
            let b = (0..<length).map { _ in Float.random(in: -2..<2, using: &random) }
            let (da, db) = (a.map(Double.init), b.map(Double.init))
            let dot = zip(da, db).reduce(0) { $0 + $1.0 * $1.1 }
            let squares = zip(da, db).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
            let norms = (da.reduce(0) { $0 + $1 * $1 } * db.reduce(0) { $0 + $1 * $1 }).squareRoot()
            let wanted: [VectorMetric: Double] = [
                .euclideanSquared: squares, .euclidean: squares.squareRoot(), .dot: -dot, .cosine: 1 - dot / norms,
            ]
            for (metric, value) in wanted {
                let target = VectorTarget(a, VectorIndexOptions(dimensions: length, centroids: 1, metric: metric), nil)
                for offset in [0, 1, 2, 3, 4, 7, 8, 13] {
                    let bytes = [UInt8](repeating: 0, count: offset) + b.vectorBytes
                    let found = bytes.withUnsafeBytes { bytes in
                        bytes.baseAddress.map { metric.distance(ofOrder: target.distance(toVector: $0 + offset)) } ?? .nan
                    }
                    #expect(abs(found - value) <= 1e-5 * max(1, abs(value) * 4), "\(metric.name) \(length) \(offset)")
                }
            }
        }
    }

    @Test("the heap keeps the nearest and of equal ones the smaller rows")
    func theHeapKeepsTheNearestAndOfEqualOnesTheSmallerRows() {
        var random = SeededNumbers(seed: 4)
        for capacity in [0, 1, 2, 10, 100] {
            var heap = NearestHeap(capacity: capacity)
            let entries = (0..<500).map { _ in (Float(Int.random(in: 0..<40, using: &random)), Int64.random(in: 0..<1000, using: &random)) }
            for (distance, row) in entries { heap.add(distance, row) }
            let wanted = entries.sorted { ($0.0, $0.1) < ($1.0, $1.1) }.prefix(capacity)
            #expect(heap.sorted.map(\.rowID) == wanted.map(\.1))
        }
    }
}
