import Testing
import VectorSearch

/// The share of the nearest vectors that searches find among 10,000, whose neighbours the specification names (Vector search 11, T-1).
@Suite("Recall")
struct RecallTests {
    private static let (count, dimensions) = (10_000, 128)
    private static let data = GeneratedVectors().vectors(16, count: count)

    /// A target, with its distances from all vectors.
    private struct Target {
        let vector: [Float]
        let distances: [Float]
        /// The distance of the tenth nearest vector.
        let bound: Float

        init(_ number: Int) {
            vector = GeneratedVectors().vector(32, number)
            let target = VectorTarget(vector, VectorIndexOptions(dimensions: dimensions, centroids: 1, encoding: .none), nil)
            distances = (0..<count).map { target.distance(to: data, $0, dimensions) }
            bound = distances.sorted()[9]
        }
    }

    private static let targets = (0..<40).map { Target($0) }

    @Test("the nearest vectors are those that the specification names")
    func neighbours() {
        let wanted: [([(number: Int, distance: Float)], bound: Float)] = [
            ([(7516, 205_605), (6119, 388_710), (1937, 389_040)], 499_363), ([(1415, 285_086), (3086, 287_388), (452, 295_129)], 364_153),
            ([(4896, 215_723), (7144, 223_193), (1549, 230_694)], 279_681),
        ]
        for (target, (nearest, bound)) in zip(Self.targets, wanted) {
            let order = target.distances.indices.sorted { target.distances[$0] < target.distances[$1] }
            #expect(order.prefix(3).elementsEqual(nearest.map(\.number)))
            #expect(nearest.allSatisfy { target.distances[$0.number] == $0.distance })
            #expect(target.bound == bound)
        }
    }

    @Test(
        "with the default number of probes, each encoding finds as many of the ten nearest vectors as the targets for it demand",
        arguments: [
            (StoredVectorEncoding.none, 0.96), (.scalar(bits: 8), 0.96), (.scalar(bits: 6), 0.93), (.scalar(bits: 4), 0.88),
            (.product(subquantizers: 32, bits: 8), 0.81),
        ]
    )
    func recall(_ encoding: StoredVectorEncoding, _ least: Double) throws {
        let options = VectorIndexOptions(dimensions: Self.dimensions, centroids: 64, encoding: encoding)
        // As many as are needed for the largest of these.
        let sample = Array(Self.data[..<(25 * 256 * Self.dimensions)])
        var random = SeededNumbers(name: "recall")
        let index = try InMemoryIndex(Self.data, VectorModel(training: options, sample: sample, &random))
        let probes = options.effectiveProbes(requested: 0)
        #expect(probes == 8)
        var found = 0
        for target in Self.targets {
            found += try index.search(target.vector, count: 10, probes: probes).count { target.distances[Int($0.rowID)] <= target.bound }
        }
        let recall = Double(found) / Double(10 * Self.targets.count)
        #expect(recall >= least, "\(encoding.name)")
    }

    @Test(
        "searches by other metrics, and among vectors of other dimensions, find most of the ten nearest vectors too",
        arguments: [
            (VectorMetric.euclidean, 32, 0.85), (.cosine, 32, 0.85), (.dot, 32, 0.65), (.euclidean, 384, 0.94), (.cosine, 384, 0.94),
            // The largest products are those of long vectors, which are in many buckets.
            (.dot, 384, 0.9),
        ]
    )
    func others(_ metric: VectorMetric, _ dimensions: Int, _ least: Double) throws {
        let generated = GeneratedVectors(dimensions: dimensions, clusters: 64)
        let (count, centroids) = dimensions < 100 ? (3000, 64) : (1000, 32)
        let data = generated.vectors(16, count: count)
        let options = VectorIndexOptions(dimensions: dimensions, centroids: centroids, metric: metric)
        var random = SeededNumbers(name: "recall")
        let index = try InMemoryIndex(data, VectorModel(training: options, sample: data, &random))
        let targetCount = 20
        var found = 0
        for number in 0..<targetCount {
            let vector = generated.vector(32, number)
            let exact = VectorTarget(vector, VectorIndexOptions(dimensions: dimensions, centroids: 1, metric: metric, encoding: .none), nil)
            let distances = (0..<count).map { exact.distance(to: data, $0, dimensions) }
            let bound = distances.sorted()[9]
            found += try index.search(vector, count: 10, probes: 8).count { distances[Int($0.rowID)] <= bound }
        }
        #expect(Double(found) / Double(10 * targetCount) >= least, "\(metric.name)")
    }
}
