/// What training has found: the centroids of the buckets, and how vectors are encoded (Vector search 5, 9.4).
package final class VectorModel: Sendable {
    /// The configuration of the index.
    package let options: VectorIndexOptions
    /// The number of vectors used for training.
    package let trainingCount: Int
    /// The largest norm of the sample, for the metric of products (Vector search EN-19).
    let largestNorm: Float
    let centroids: [Float]
    let quantizer: Quantizer
    private let panels: CentroidPanels
    /// The centroids in groups, if they are very many; then ``panels`` has none.
    private let groups: CentroidGroups?

    enum Quantizer {
        case none
        case scalar(ScalarQuantizer)
        case product(ProductQuantizer)
    }

    /// The number of components of a centroid: for products one more than those of a vector.
    var centroidDimensions: Int { options.dimensions + (options.metric == .dot ? 1 : 0) }

    init(_ options: VectorIndexOptions, trainingCount: Int, largestNorm: Float, centroids: [Float], quantizer: Quantizer) {
        self.options = options
        self.trainingCount = trainingCount
        self.largestNorm = largestNorm
        self.centroids = centroids
        self.quantizer = quantizer
        let dimensions = options.dimensions + (options.metric == .dot ? 1 : 0)
        let isGrouped = options.centroids > CentroidGroups.largestFlatCount
        panels = CentroidPanels(isGrouped ? [] : centroids, dimensions: dimensions)
        groups = isGrouped ? CentroidGroups(centroids, dimensions: dimensions) : nil
    }

    /// Trains an index.
    ///
    /// - Parameters:
    ///   - sample: The components of the vectors, one after another; at least one vector.
    ///   - random: The source of random choices.
    ///   - isCancelled: Asked again and again; training ends soon after it returns `true`. The default never does.
    /// - Throws: `CancellationError` if training was cancelled.
    package convenience init(
        training options: VectorIndexOptions,
        sample: [Float],
        _ random: inout SeededNumbers,
        isCancelled: () -> Bool = { false }
    ) throws(CancellationError) {
        let dimensions = options.dimensions
        let vectors = options.metric == .cosine ? Self.normalized(sample, dimensions) : sample
        let norm = options.metric == .dot ? Self.largestNorm(of: sample, dimensions) : 0
        let quantizer: Quantizer
        switch options.encoding {
        case .none: quantizer = .none
        case .scalar(let bits): quantizer = .scalar(ScalarQuantizer(bits: bits, sample: vectors, dimensions: dimensions))
        case .product(let subquantizers, let bits):
            quantizer = .product(
                try ProductQuantizer(
                    subquantizers: subquantizers,
                    bits: bits,
                    sample: vectors,
                    dimensions: dimensions,
                    &random,
                    isCancelled: isCancelled
                )
            )
        }
        let isDot = options.metric == .dot
        let kMeans = KMeans(
            dimensions: isDot ? dimensions + 1 : dimensions,
            count: options.centroids,
            normalizes: options.metric == .cosine
        )
        let centroids = try kMeans.centroids(
            of: isDot ? Self.augmented(vectors, dimensions, norm) : vectors,
            &random,
            isCancelled: isCancelled
        )
        self.init(
            options,
            trainingCount: sample.count / dimensions,
            largestNorm: norm,
            centroids: centroids,
            quantizer: quantizer
        )
    }

    /// About how many bytes of memory the model takes.
    package var memorySize: Int {
        let quantizerSize =
            switch quantizer {
            case .none: 0
            case .scalar(let quantizer): quantizer.memorySize
            case .product(let quantizer): quantizer.memorySize
            }
        return centroids.count * MemoryLayout<Float>.stride + panels.memorySize + (groups?.memorySize ?? 0) + quantizerSize
    }

    // MARK: Buckets

    /// Returns the bucket of each vector.
    ///
    /// - Parameter vectors: The components of the vectors, one after another.
    package func buckets(of vectors: [Float]) -> [Int32] {
        let prepared: [Float]
        switch options.metric {
        case .cosine: prepared = Self.normalized(vectors, options.dimensions)
        case .dot: prepared = Self.augmented(vectors, options.dimensions, largestNorm)
        case .euclidean, .euclideanSquared: prepared = vectors
        }
        let number = vectors.count / options.dimensions
        var (nearest, distances) = ([Int32](repeating: 0, count: number), [Float](repeating: 0, count: number))
        prepared.withUnsafeBufferPointer { vectors in
            nearest.withUnsafeMutableBufferPointer { nearest in
                if let groups { return groups.assign(vectors, dimensions: centroidDimensions, buckets: nearest) }
                distances.withUnsafeMutableBufferPointer { panels.assign(vectors, nearest: nearest, distances: $0) }
            }
        }
        return nearest
    }

    /// Returns the buckets that a search for a target looks at, the nearest first.
    package func probedBuckets(for target: [Float], count: Int) -> [Int] {
        let prepared: [Float] =
            switch options.metric {
            case .cosine: Self.normalized(target, options.dimensions)
            case .dot: target + [0]
            case .euclidean, .euclideanSquared: target
            }
        var nearest = NearestHeap(capacity: count)
        if let groups {
            let near = prepared.withUnsafeBufferPointer { groups.near($0, least: 4 * count) }
            for (bucket, value) in near { nearest.add(value, Int64(bucket)) }
            return nearest.sorted.map { Int($0.rowID) }
        }
        let order = prepared.withUnsafeBufferPointer { panels.order(of: $0) }
        for (bucket, value) in order.enumerated() { nearest.add(value, Int64(bucket)) }
        return nearest.sorted.map { Int($0.rowID) }
    }

    // MARK: Codes

    /// The number of bytes of a code.
    package var codeSize: Int { options.encoding.codeSize(dimensions: options.dimensions) }

    /// Returns the codes of vectors, one after another.
    package func codes(of vectors: [Float]) -> [UInt8] {
        if case .none = quantizer { return vectors.vectorBytes }
        let vectors = options.metric == .cosine ? Self.normalized(vectors, options.dimensions) : vectors
        switch quantizer {
        case .none: return vectors.vectorBytes
        case .product(let quantizer): return quantizer.encode(vectors)
        case .scalar(let quantizer):
            var codes: [UInt8] = []
            codes.reserveCapacity(vectors.count / options.dimensions * codeSize)
            vectors.withUnsafeBufferPointer { vectors in
                guard let base = vectors.baseAddress else { return }
                for start in stride(from: 0, to: vectors.count, by: options.dimensions) { quantizer.encode(base + start, into: &codes) }
            }
            return codes
        }
    }

    /// Returns Σx̂ᵢ² of the vector that a code stands for.
    package func norm(ofCode code: UnsafePointer<UInt8>) -> Float {
        withUnsafeTemporaryAllocation(of: Float.self, capacity: options.dimensions) { vector in
            guard let base = vector.baseAddress else { return 0 }
            switch quantizer {
            case .none: return 0
            case .scalar(let quantizer): quantizer.decode(code, into: base)
            case .product(let quantizer): quantizer.decode(code, into: base)
            }
            return Float(VectorKernels.norm(base, options.dimensions))
        }
    }

    // MARK: Preparing vectors

    /// Returns the vectors scaled to length 1. Zero vectors stay as they are.
    static func normalized(_ vectors: [Float], _ dimensions: Int) -> [Float] {
        var vectors = vectors
        vectors.withUnsafeMutableBufferPointer { vectors in
            guard let base = vectors.baseAddress else { return }
            for start in stride(from: 0, to: vectors.count, by: dimensions) {
                let norm = VectorKernels.norm(base + start, dimensions)
                guard norm > 0 else { continue }
                let scale = 1 / norm.squareRoot()
                for index in start..<start + dimensions { vectors[index] = Float(Double(vectors[index]) * scale) }
            }
        }
        return vectors
    }

    private static func largestNorm(of vectors: [Float], _ dimensions: Int) -> Float {
        vectors.withUnsafeBufferPointer { vectors in
            guard let base = vectors.baseAddress else { return 0 }
            let largest = stride(from: 0, to: vectors.count, by: dimensions).map { VectorKernels.norm(base + $0, dimensions) }.max() ?? 0
            return Float(min(largest.squareRoot(), Double(Float.greatestFiniteMagnitude)))
        }
    }

    /// Returns the vectors with one more component, which makes all of them as long as the longest: then the nearest have the largest
    /// product (Vector search EN-19).
    private static func augmented(_ vectors: [Float], _ dimensions: Int, _ largest: Float) -> [Float] {
        var result: [Float] = []
        result.reserveCapacity(vectors.count / dimensions * (dimensions + 1))
        vectors.withUnsafeBufferPointer { vectors in
            guard let base = vectors.baseAddress else { return }
            for start in stride(from: 0, to: vectors.count, by: dimensions) {
                result += vectors[start..<start + dimensions]
                let rest = Double(largest) * Double(largest) - VectorKernels.norm(base + start, dimensions)
                result.append(Float(max(0, rest).squareRoot()))
            }
        }
        return result
    }
}
