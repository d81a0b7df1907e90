/// A target vector, prepared for comparing it with many stored vectors.
package struct VectorTarget {
    /// The components.
    package let vector: [Float]
    private let options: VectorIndexOptions
    private let norm: Float
    private let coded: Coded

    /// How codes are compared with the target.
    private enum Coded {
        /// There are only vectors as they are.
        case none
        case scalar(ScalarTarget)
        /// The result is the sum of one entry of the table for each part of a code.
        case product(ProductQuantizer, table: [Float])
    }

    /// Prepares a target.
    ///
    /// - Parameter model: What training has found; `nil` if the index is not trained.
    package init(_ vector: [Float], _ options: VectorIndexOptions, _ model: VectorModel?) {
        self.vector = vector
        self.options = options
        norm = vector.withUnsafeBufferPointer { $0.baseAddress.map { Float(VectorKernels.norm($0, vector.count)) } ?? 0 }
        func prepared() -> [Float] { options.metric == .cosine ? VectorModel.normalized(vector, options.dimensions) : vector }
        switch model?.quantizer ?? .none {
        case .none: coded = .none
        case .scalar(let quantizer): coded = .scalar(ScalarTarget(prepared(), quantizer, options.metric))
        case .product(let quantizer):
            let isProduct = options.metric == .dot || options.metric == .cosine
            coded = .product(quantizer, table: quantizer.table(for: prepared(), isProduct: isProduct))
        }
    }

    /// Whether codes have a norm beside them.
    package static func storesNorms(_ options: VectorIndexOptions) -> Bool {
        guard case .scalar = options.encoding else { return false }
        return options.metric == .euclidean || options.metric == .euclideanSquared
    }

    // MARK: Comparing

    /// Adds the distances of vectors as they are.
    ///
    /// - Parameters:
    ///   - vectors: The components as little-endian floats.
    ///   - isIncluded: Returns whether the vector at a position counts.
    package func scan(
        vectors: UnsafeRawPointer,
        rows: UnsafeRawPointer,
        count: Int,
        into heap: inout NearestHeap,
        isIncluded: (Int) -> Bool
    ) {
        for index in 0..<count {
            let found = distance(toVector: vectors + index * options.dimensions * 4)
            if found <= heap.bound, isIncluded(index) { heap.add(found, Self.row(rows, index)) }
        }
    }

    /// Adds the distances of codes.
    ///
    /// - Parameters:
    ///   - norms: Σx̂ᵢ² of each vector as little-endian floats, if ``storesNorms(_:)``.
    ///   - isIncluded: Returns whether the vector at a position counts. Only asked about vectors that are near enough.
    package func scan(
        codes: UnsafeRawPointer,
        norms: UnsafeRawPointer,
        rows: UnsafeRawPointer,
        count: Int,
        into heap: inout NearestHeap,
        isIncluded: (Int) -> Bool
    ) {
        let codes = codes.assumingMemoryBound(to: UInt8.self)
        switch coded {
        case .none: break
        case .scalar(let target): target.scan(codes: codes, norms: norms, rows: rows, count: count, into: &heap, isIncluded: isIncluded)
        case .product(let quantizer, let table):
            let size = options.encoding.codeSize(dimensions: options.dimensions)
            table.withUnsafeBufferPointer { table in
                guard let table = table.baseAddress else { return }
                for index in 0..<count {
                    let found = order(ofSum: quantizer.sum(table, codes + index * size))
                    if found <= heap.bound, isIncluded(index) { heap.add(found, Self.row(rows, index)) }
                }
            }
        }
    }

    @inline(__always)
    private func order(ofSum sum: Float) -> Float {
        switch options.metric {
        case .dot: -sum
        case .cosine: Self.cosine(sum)
        case .euclidean, .euclideanSquared: max(0, sum)
        }
    }

    @inline(__always)
    static func row(_ rows: UnsafeRawPointer, _ index: Int) -> Int64 {
        Int64(littleEndian: rows.loadUnaligned(fromByteOffset: index * 8, as: Int64.self))
    }

    /// Returns the number that orders a vector as it is: the distance, without its square root.
    package func distance(toVector other: UnsafeRawPointer) -> Float {
        #if _endian(big)
        let swapped = (0..<vector.count).map {
            Float(bitPattern: UInt32(littleEndian: other.loadUnaligned(fromByteOffset: $0 * 4, as: UInt32.self)))
        }
        return swapped.withUnsafeBytes { $0.baseAddress.map(comparison) ?? 0 }
        #else
        return comparison(other)
        #endif
    }

    private func comparison(_ other: UnsafeRawPointer) -> Float {
        vector.withUnsafeBufferPointer { vector in
            guard let target = vector.baseAddress else { return 0 }
            switch options.metric {
            case .euclidean, .euclideanSquared: return VectorKernels.squaredDistance(target, other, vector.count)
            case .dot: return -VectorKernels.dot(target, other, vector.count)
            case .cosine:
                let otherNorm = VectorKernels.squaredNorm(other, vector.count)
                guard norm > 0, otherNorm > 0 else { return 1 }
                return Self.cosine(VectorKernels.dot(target, other, vector.count) / (norm.squareRoot() * otherNorm.squareRoot()))
            }
        }
    }

    @inline(__always)
    static func cosine(_ similarity: Float) -> Float { min(2, max(0, 1 - similarity)) }
}
