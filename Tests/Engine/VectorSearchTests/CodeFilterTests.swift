import Testing

@testable import VectorSearch

/// Estimates with whole numbers, by which a search passes over codes that are too far (Vector search EN-22, EN-23).
@Suite("Code filter")
struct CodeFilterTests {
    /// Returns vectors with components of the given size around an offset, of which some dimensions have much larger ones.
    private func vectors(_ count: Int, _ dimensions: Int, size: Float, offset: Float, _ random: inout SeededNumbers) -> [Float] {
        (0..<count * dimensions).map { index in
            let wide: Float = index % dimensions % 7 == 3 ? 50 : 1
            return offset + size * wide * Float.random(in: -1..<1, using: &random)
        }
    }

    @Test("a search for the nearest gives what a comparison with all codes gives, to the bit", arguments: [4, 6, 8])
    func aSearchForTheNearestGivesWhatAComparisonWithAllGives(_ bits: Int) throws {
        var random = SeededNumbers(seed: 31)
        for dimensions in [2, 17, 66] {
            for (size, offset): (Float, Float) in [(1, 0), (1e-3, 1000), (1e15, 0), (1e-30, 0), (1, -1e6)] {
                let data = vectors(150, dimensions, size: size, offset: offset, &random)
                for metric in VectorMetric.allCases {
                    let options = VectorIndexOptions(dimensions: dimensions, centroids: 3, metric: metric, encoding: .scalar(bits: bits))
                    let index = try InMemoryIndex(data, VectorModel(training: options, sample: data, &random))
                    // One far from all, one near, and one of them.
                    let targets = [
                        vectors(1, dimensions, size: size, offset: offset, &random), [Float](repeating: size, count: dimensions),
                        Array(data[..<dimensions]),
                    ]
                    for target in targets {
                        let all = try index.search(target, count: .max, probes: 3)
                        #expect(all.count == 150)
                        for count in [1, 10, 149] {
                            let found = try index.search(target, count: count, probes: 3)
                            #expect(found == Array(all[..<count]), "\(metric.name) \(dimensions) \(size) \(offset)")
                        }
                    }
                }
            }
        }
    }

    @Test("estimates differ from the products by no more than they say", arguments: [4, 6, 8])
    func estimatesDifferByNoMoreThanTheySay(_ bits: Int) throws {
        var random = SeededNumbers(seed: 32)
        for dimensions in [1, 2, 5, 33, 300, 4096] {
            for size: Float in [1e-20, 1, 1e20] {
                let products = vectors(1, dimensions, size: size, offset: 0, &random)
                let filter = try #require(CodeFilter(products, bits: bits))
                let quantizer = ScalarQuantizer(
                    bits: bits,
                    minima: Array(repeating: 0, count: dimensions),
                    steps: Array(repeating: 1, count: dimensions)
                )
                var codes = [UInt8](repeating: 255, count: quantizer.codeSize)
                // All numbers the largest, and any others.
                for _ in 0..<5 {
                    var (levels, estimate) = ([UInt8](repeating: 0, count: dimensions), [Int32](repeating: 0, count: 1))
                    var scratch = levels
                    quantizer.unpack(codes, into: &levels)
                    filter.estimate(codes, count: 1, into: &estimate, scratch: &scratch)
                    let product = zip(products, levels).reduce(0.0) { $0 + Double($1.0) * Double($1.1) }
                    let difference = abs(Double(estimate[0]) * Double(filter.scale) - product)
                    #expect(difference <= Double(filter.error))
                    codes = codes.map { _ in UInt8.random(in: 0...255, using: &random) }
                }
            }
        }
    }

    @Test("targets that are too large for estimates are compared without")
    func targetsThatAreTooLargeAreComparedWithout() throws {
        #expect(CodeFilter([.greatestFiniteMagnitude, 1], bits: 8) == nil)
        #expect(CodeFilter([.nan, 1], bits: 8) == nil)
        #expect(CodeFilter([.infinity, 1], bits: 8) == nil)
        #expect(CodeFilter([.leastNonzeroMagnitude, 0], bits: 8) == nil)
        #expect(CodeFilter([0, 0], bits: 8) != nil)
        var random = SeededNumbers(seed: 33)
        let data = (0..<200).map { _ in Float.random(in: -1..<1, using: &random) * 3e38 }
        for metric in VectorMetric.allCases {
            let options = VectorIndexOptions(dimensions: 2, centroids: 2, metric: metric)
            let index = try InMemoryIndex(data, VectorModel(training: options, sample: data, &random))
            let all = try index.search([3e38, -3e38], count: .max, probes: 2)
            #expect(try index.search([3e38, -3e38], count: 5, probes: 2) == Array(all.prefix(5)), "\(metric.name)")
        }
    }

    @Test("norms of a damaged file do not end the search")
    func normsOfADamagedFileDoNotEndTheSearch() throws {
        var random = SeededNumbers(seed: 34)
        let data = vectors(200, 8, size: 1, offset: 0, &random)
        let options = VectorIndexOptions(dimensions: 8, centroids: 1)
        let model = try VectorModel(training: options, sample: data, &random)
        let layout = VectorCell.Layout(trained: options)
        for norm: Float in [.nan, .infinity, -.infinity, .greatestFiniteMagnitude] {
            let entries = model.entries(of: data).map { norm.bitPattern.littleEndianBytes + $0[4...] }
            let bytes = VectorCell.encode(rows: Array(0..<200), entries: entries, layout)
            var heap = NearestHeap(capacity: 10)
            let target = VectorTarget(Array(data[..<8]), options, model)
            try bytes.withUnsafeBytes { try VectorCell.View($0, count: 200, layout).scan(target, into: &heap) { _ in true } }
            #expect(heap.sorted.count <= 10)
        }
    }
}

extension UInt32 {
    fileprivate var littleEndianBytes: [UInt8] { withUnsafeBytes(of: littleEndian) { Array($0) } }
}

extension ScalarQuantizer {
    fileprivate var codeSize: Int { (dimensions * bits + 7) / 8 }
}
