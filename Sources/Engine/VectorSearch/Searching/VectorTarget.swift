/// A target vector, prepared for comparing it with many stored vectors.
package struct VectorTarget {
    /// The components.
    package let vector: [Float]
    private let options: VectorIndexOptions
    private let norm: Float
    private let coded: Coded
    private let quantizer: VectorModel.Quantizer

    /// How codes are compared with the target.
    private enum Coded {
        /// There are only vectors as they are.
        case none
        /// The product of target and vector is a constant plus the sum of the codes, multiplied by weights.
        case weights([Float], constant: Float, norm: Float)
        /// The result is the sum of one entry for each part of a code.
        case table([Float])
    }

    /// Prepares a target.
    ///
    /// - Parameter model: What training has found; `nil` if the index is not trained.
    package init(_ vector: [Float], _ options: VectorIndexOptions, _ model: VectorModel?) {
        self.vector = vector
        self.options = options
        norm = vector.withUnsafeBufferPointer { $0.baseAddress.map { Float(VectorKernels.norm($0, vector.count)) } ?? 0 }
        quantizer = model?.quantizer ?? .none
        let prepared = options.metric == .cosine ? VectorModel.normalized(vector, options.dimensions) : vector
        switch quantizer {
        case .none: coded = .none
        case .scalar(let quantizer):
            var constant = 0.0
            for index in prepared.indices { constant += Double(prepared[index]) * Double(quantizer.minima[index]) }
            coded = .weights(zip(prepared, quantizer.steps).map { $0 * $1 }, constant: Float(constant), norm: norm)
        case .product(let quantizer):
            coded = .table(quantizer.table(for: prepared, isProduct: options.metric == .dot || options.metric == .cosine))
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
    ///   - isIncluded: Returns whether the vector at a position counts.
    package func scan(
        codes: UnsafeRawPointer,
        norms: UnsafeRawPointer,
        rows: UnsafeRawPointer,
        count: Int,
        into heap: inout NearestHeap,
        isIncluded: (Int) -> Bool
    ) {
        let size = options.encoding.codeSize(dimensions: options.dimensions)
        let codes = codes.assumingMemoryBound(to: UInt8.self)
        withCodeDistance { distanceOfCode in
            for index in 0..<count {
                let norm = norms.loadUnaligned(fromByteOffset: hasNorms ? index * 4 : 0, as: UInt32.self)
                let found = distanceOfCode(codes + index * size, Float(bitPattern: UInt32(littleEndian: norm)))
                if found <= heap.bound, isIncluded(index) { heap.add(found, Self.row(rows, index)) }
            }
        }
    }

    private var hasNorms: Bool { Self.storesNorms(options) }

    private static func row(_ rows: UnsafeRawPointer, _ index: Int) -> Int64 {
        Int64(littleEndian: rows.loadUnaligned(fromByteOffset: index * 8, as: Int64.self))
    }

    /// Returns the number that orders a vector as it is: the distance, without its square root.
    package func distance(toVector other: UnsafeRawPointer) -> Float {
        // Blobs of SQLite need not be aligned, and the kernels load without alignment.
        #if _endian(big)
        let swapped = (0..<vector.count).map {
            Float(bitPattern: UInt32(littleEndian: other.loadUnaligned(fromByteOffset: $0 * 4, as: UInt32.self)))
        }
        return swapped.withUnsafeBufferPointer { $0.baseAddress.map(comparison) ?? 0 }
        #else
        if Int(bitPattern: other) % MemoryLayout<Float>.alignment == 0 { return comparison(other.assumingMemoryBound(to: Float.self)) }
        return withUnsafeTemporaryAllocation(of: Float.self, capacity: vector.count) { copy in
            UnsafeMutableRawBufferPointer(copy).copyMemory(from: UnsafeRawBufferPointer(start: other, count: vector.count * 4))
            return copy.baseAddress.map { comparison($0) } ?? 0
        }
        #endif
    }

    private func comparison(_ other: UnsafePointer<Float>) -> Float {
        vector.withUnsafeBufferPointer { vector in
            guard let target = vector.baseAddress else { return 0 }
            switch options.metric {
            case .euclidean, .euclideanSquared: return VectorKernels.squaredDistance(target, other, vector.count)
            case .dot: return -VectorKernels.dot(target, other, vector.count)
            case .cosine:
                let (dot, otherNorm) = VectorKernels.dotAndNorm(target, other, vector.count)
                guard norm > 0, otherNorm > 0 else { return 1 }
                return Self.cosine(dot / (norm.squareRoot() * otherNorm.squareRoot()))
            }
        }
    }

    private static func cosine(_ similarity: Float) -> Float { min(2, max(0, 1 - similarity)) }

    /// Calls `body` with the function that returns the number that orders a code.
    private func withCodeDistance(_ body: ((UnsafePointer<UInt8>, _ norm: Float) -> Float) -> Void) {
        switch (coded, quantizer) {
        case (.weights(let weights, let constant, let norm), .scalar(let quantizer)):
            weights.withUnsafeBufferPointer { weights in
                withUnsafeTemporaryAllocation(of: UInt8.self, capacity: vector.count) { bytes in
                    guard let weights = weights.baseAddress, let bytes = bytes.baseAddress else { return }
                    body { code, codeNorm in
                        var levels = code
                        if quantizer.bits != 8 {
                            quantizer.unpack(code, into: bytes)
                            levels = UnsafePointer(bytes)
                        }
                        let product = constant + VectorKernels.dot(weights, bytes: levels, vector.count)
                        switch options.metric {
                        case .dot: return -product
                        case .cosine: return Self.cosine(product)
                        case .euclidean, .euclideanSquared:
                            let squared = norm + codeNorm - 2 * product
                            // The difference of nearly equal numbers has few digits.
                            return squared < 1e-4 * (norm + codeNorm) ? exactDistance(to: code, quantizer) : squared
                        }
                    }
                }
            }
        case (.table(let table), .product(let quantizer)):
            table.withUnsafeBufferPointer { table in
                guard let table = table.baseAddress else { return }
                body { code, _ in
                    let sum = quantizer.sum(table, code)
                    switch options.metric {
                    case .dot: return -sum
                    case .cosine: return Self.cosine(sum)
                    case .euclidean, .euclideanSquared: return max(0, sum)
                    }
                }
            }
        default: break
        }
    }

    @inline(never)
    private func exactDistance(to code: UnsafePointer<UInt8>, _ quantizer: ScalarQuantizer) -> Float {
        withUnsafeTemporaryAllocation(of: Float.self, capacity: vector.count) { decoded in
            guard let base = decoded.baseAddress else { return 0 }
            quantizer.decode(code, into: base)
            return vector.withUnsafeBufferPointer { $0.baseAddress.map { VectorKernels.squaredDistance($0, base, vector.count) } ?? 0 }
        }
    }

    /// Returns the distance that queries show for a number that orders vectors (Vector search VQ-11).
    package func distance(of order: Float) -> Double {
        options.metric == .euclidean ? Double(order).squareRoot() : Double(order)
    }
}
