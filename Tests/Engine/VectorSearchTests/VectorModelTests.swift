import Dispatch
import Synchronization
import Testing
import VectorSearch

/// Training, buckets, encodings and searches (Vector search 5, 9.4, T-1, T-8, T-9, T-21).
@Suite("Vector model")
struct VectorModelTests {
    private static let generated = GeneratedVectors(dimensions: 16, clusters: 12, directions: 4)
    private static let count = 300
    private static let data = generated.vectors(16, count: count)
    private static let targets = (0..<6).map { generated.vector(32, $0) }

    private func options(
        _ encoding: StoredVectorEncoding,
        _ metric: VectorMetric = .euclideanSquared,
        centroids: Int = 10
    ) -> VectorIndexOptions {
        VectorIndexOptions(dimensions: 16, centroids: centroids, metric: metric, encoding: encoding)
    }

    private func model(_ options: VectorIndexOptions, _ sample: [Float] = data) throws -> VectorModel {
        var random = SeededNumbers(name: "words_index")
        return try VectorModel(training: options, sample: sample, &random)
    }

    /// Returns how many of the ten nearest vectors of all targets a search finds, as a share of all.
    private func recall(_ options: VectorIndexOptions, probes: Int) throws -> Double {
        let index = try InMemoryIndex(Self.data, model(options))
        var found = 0
        for target in Self.targets {
            let exact = VectorTarget(target, options, nil)
            let distances = (0..<Self.count).map { exact.distance(to: Self.data, $0, 16) }
            let bound = distances.sorted()[9]
            found += try index.search(target, count: 10, probes: probes).count { distances[Int($0.rowID)] <= bound }
        }
        return Double(found) / Double(10 * Self.targets.count)
    }

    @Test(arguments: [
        (StoredVectorEncoding.none, 0.99), (.scalar(bits: 8), 0.9), (.scalar(bits: 6), 0.85), (.scalar(bits: 4), 0.7),
        (.product(subquantizers: 8, bits: 4), 0.4),
    ])
    func aSearchFindsMostOfTheNearestVectors(_ encoding: StoredVectorEncoding, _ least: Double) throws {
        for metric in VectorMetric.allCases {
            let recall = try recall(options(encoding, metric), probes: 10)
            #expect(recall >= least, "\(encoding.name) \(metric.name)")
        }
    }

    @Test("more probes find more")
    func moreProbesFindMore() throws {
        let one = try recall(options(.none), probes: 1)
        let five = try recall(options(.none), probes: 5)
        let all = try recall(options(.none), probes: 10)
        #expect(one < five || one == 1)
        #expect(five <= all)
        #expect(all == 1)
    }

    @Test("training depends on the seed only")
    func trainingDependsOnTheSeedOnly() throws {
        let options = options(.product(subquantizers: 4, bits: 4))
        let first = try model(options).encoded
        #expect(try model(options).encoded == first)
        var random = SeededNumbers(name: "another")
        #expect(try VectorModel(training: options, sample: Self.data, &random).encoded != first)
    }

    @Test("training and the search for buckets give the same with one thread and with several")
    func trainingDoesNotDependOnThreads() throws {
        // So many that all processors share the work, also that of one round of training.
        let sample = Self.generated.vectors(16, count: 4096)
        let options = options(.none, centroids: 70)
        let alone = try model(options, sample)
        let together = Mutex<[[UInt8]]>([])
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            let encoded = (try? model(options, sample).encoded) ?? []
            together.withLock { $0.append(encoded) }
        }
        #expect(together.withLock { $0 } == Array(repeating: alone.encoded, count: 4))
        // One vector is the work of one thread.
        let buckets = stride(from: 0, to: sample.count, by: 16).flatMap { alone.buckets(of: Array(sample[$0..<$0 + 16])) }
        #expect(alone.buckets(of: sample) == buckets)
        #expect(Set(buckets).count > 35)
    }

    @Test("equal and constant vectors can be trained and found")
    func equalAndConstantVectorsCanBeTrainedAndFound() throws {
        let equal = [Float](repeating: 7, count: 16 * 60)
        for encoding in [StoredVectorEncoding.none, .scalar(bits: 8), .scalar(bits: 4), .product(subquantizers: 2, bits: 4)] {
            let options = options(encoding)
            let index = try InMemoryIndex(equal, model(options, equal))
            let found = try index.search([Float](repeating: 7, count: 16), count: 5, probes: 10)
            // Of equal distances the smaller row number is nearer.
            #expect(found.map(\.rowID) == [0, 1, 2, 3, 4], "\(encoding.name)")
            #expect(found.allSatisfy { abs($0.distance) < 1e-3 })
        }
    }

    @Test("zero vectors have the cosine distance one")
    func zeroVectorsHaveTheCosineDistanceOne() throws {
        let zeros = [Float](repeating: 0, count: 16 * 60)
        for encoding in [StoredVectorEncoding.none, .scalar(bits: 8), .product(subquantizers: 2, bits: 4)] {
            let index = try InMemoryIndex(zeros, model(options(encoding, .cosine), zeros))
            let found = try index.search(Self.targets[0], count: 1, probes: 10)
            #expect(found.first?.distance == 1)
        }
    }

    @Test("distances of encoded vectors are near the true ones")
    func distancesOfEncodedVectorsAreNearTheTrueOnes() throws {
        for metric in VectorMetric.allCases {
            let options = options(.scalar(bits: 8), metric)
            let index = try InMemoryIndex(Self.data, model(options))
            for target in Self.targets {
                let exact = VectorTarget(target, options, nil)
                let mean =
                    (0..<Self.count).reduce(0.0) { $0 + abs(metric.distance(ofOrder: exact.distance(to: Self.data, $1, 16))) }
                    / Double(Self.count)
                for entry in try index.search(target, count: 10, probes: 10) {
                    let wanted = metric.distance(ofOrder: exact.distance(to: Self.data, Int(entry.rowID), 16))
                    #expect(abs(metric.distance(ofOrder: entry.distance) - wanted) <= abs(wanted) * 0.02 + 1e-2 * mean, "\(metric.name)")
                }
            }
        }
    }

    @Test("a model is read as it was written")
    func aModelIsReadAsItWasWritten() throws {
        for encoding in [StoredVectorEncoding.none, .scalar(bits: 6), .product(subquantizers: 4, bits: 4)] {
            for metric in [VectorMetric.cosine, .dot] {
                let options = options(encoding, metric)
                let model = try model(options)
                let read = try VectorModel(model.encoded, options: options)
                #expect(read.encoded == model.encoded)
                #expect(read.trainingCount == Self.count)
                #expect(read.buckets(of: Self.data) == model.buckets(of: Self.data))
            }
        }
    }

    @Test("damaged models are refused")
    func damagedModelsAreRefused() throws {
        let options = options(.scalar(bits: 8))
        let bytes = try model(options).encoded
        for count in [0, 4, 39, 40, bytes.count - 1] {
            #expect(throws: VectorIndexDamage.self) { try VectorModel(Array(bytes[..<count]), options: options) }
        }
        for position in Array(0..<24) + Array(32..<60) + [bytes.count - 1] {
            var damaged = bytes
            damaged[position] ^= 0x81
            #expect(throws: VectorIndexDamage.self, "\(position)") { try VectorModel(damaged, options: options) }
        }
        var other = options
        other.centroids = 11
        #expect(throws: VectorIndexDamage.self) { try VectorModel(bytes, options: other) }
    }

    @Test("cells of another size are refused")
    func cellsOfAnotherSizeAreRefused() throws {
        let layout = VectorCell.Layout(trained: options(.scalar(bits: 8)))
        let bytes = VectorCell.encode(rows: [1, 2], entries: Array(repeating: Array(repeating: 1, count: 20), count: 2), layout)
        for count: Int64 in [0, 1, 3, -1, .max, .min] {
            #expect(throws: VectorIndexDamage.self) { _ = try bytes.withUnsafeBytes { try VectorCell.View($0, count: count, layout) } }
        }
        try bytes.withUnsafeBytes {
            let view = try VectorCell.View($0, count: 2, layout)
            #expect(view.row(at: 1) == 2)
            #expect(view.entry(at: 0) == [UInt8](repeating: 1, count: 20))
        }
    }

    @Test("many centroids are found in two levels")
    func manyCentroidsAreFoundInTwoLevels() throws {
        let options = VectorIndexOptions(dimensions: 2, centroids: 2100, encoding: .none)
        var random = SeededNumbers(seed: 5)
        let sample = (0..<5000).map { _ in Float.random(in: 0..<1, using: &random) }
        let model = try model(options, sample)
        #expect(Set(model.buckets(of: sample)).count > 1000)
    }
}

/// An index in memory, in the cells of the stored form.
struct InMemoryIndex {
    private let model: VectorModel
    private let layout: VectorCell.Layout
    private var cells: [[(bytes: [UInt8], count: Int)]]

    init(_ vectors: [Float], _ model: VectorModel) {
        self.model = model
        layout = VectorCell.Layout(trained: model.options)
        cells = Array(repeating: [], count: model.options.centroids)
        let entries = model.entries(of: vectors)
        let buckets = model.buckets(of: vectors)
        for bucket in cells.indices {
            let rows = buckets.indices.filter { buckets[$0] == bucket }
            if rows.isEmpty { continue }
            let bytes = VectorCell.encode(rows: rows.map(Int64.init), entries: rows.map { entries[$0] }, layout)
            cells[bucket].append((bytes, rows.count))
        }
    }

    func search(_ vector: [Float], count: Int, probes: Int) throws -> [NearestHeap.Entry] {
        let target = VectorTarget(vector, model.options, model)
        var heap = NearestHeap(capacity: count)
        for bucket in model.probedBuckets(for: vector, count: probes) {
            for cell in cells[bucket] {
                try cell.bytes.withUnsafeBytes {
                    try VectorCell.View($0, count: Int64(cell.count), layout).scan(target, into: &heap) { _ in true }
                }
            }
        }
        return heap.sorted
    }
}

extension VectorTarget {
    /// Returns the number that orders one of several vectors.
    func distance(to vectors: [Float], _ number: Int, _ dimensions: Int) -> Float {
        vectors.withUnsafeBytes { bytes in bytes.baseAddress.map { distance(toVector: $0 + number * dimensions * 4) } ?? 0 }
    }
}
