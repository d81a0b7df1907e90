import CVectorKernels

/// A target prepared for comparing it with the codes of a scalar quantizer.
///
/// What counts is the distance from the vector that a code stands for, computed with floats. Most codes need not be looked at so closely: an estimate
/// and its largest error show that they are farther than those found so far. So the result is the same as without estimates.
struct ScalarTarget {
    private let quantizer: ScalarQuantizer
    private let metric: VectorMetric
    private let dimensions: Int
    private let codeSize: Int
    /// For Euclidean metrics what the target is above the smallest values; for products by how much the product grows with each step of a code.
    private let factors: [Float]
    /// The product of the target and the smallest values.
    private let constant: Float
    private let filter: CodeFilter?
    /// What is subtracted from an estimate, so that it is not above the true number that orders the code: for Euclidean metrics without a part that
    /// depends on the code.
    private let margin: Float
    /// For Euclidean metrics what an estimate begins with: the square of the norm of the target minus twice the constant.
    private let base: Float

    /// The largest error of sums of floats, relative to the sum of what the terms can be at most.
    private static let roundingError = 2e-5

    /// - Parameters:
    ///   - target: The components, scaled to length 1 for the metric of cosines.
    ///   - metric: How distances are computed.
    init(_ target: [Float], _ quantizer: ScalarQuantizer, _ metric: VectorMetric) {
        // The functions in C rely on it.
        precondition(target.count == quantizer.dimensions && quantizer.steps.count == quantizer.dimensions)
        (self.quantizer, self.metric) = (quantizer, metric)
        dimensions = quantizer.dimensions
        codeSize = (dimensions * quantizer.bits + 7) / 8
        let products = zip(target, quantizer.steps).map { $0 * $1 }
        var (constant, targetNorm, leastNorm, sum) = (0.0, 0.0, 0.0, 0.0)
        for index in target.indices {
            let (component, least) = (Double(target[index]), Double(quantizer.minima[index]))
            constant += component * least
            targetNorm += component * component
            leastNorm += least * least
            sum += abs(Double(products[index]))
        }
        self.constant = Float(constant)
        let filter = CodeFilter(products, bits: quantizer.bits)
        let error = filter.map { Double($0.error) } ?? 0
        if Self.isEuclidean(metric) {
            factors = zip(target, quantizer.minima).map { $0 - $1 }
            base = Float(targetNorm - 2 * constant)
            margin = Float(2 * error + Self.roundingError * (targetNorm + leastNorm))
        } else {
            factors = products
            base = 0
            margin = Float(error + Self.roundingError * (abs(constant) + sum * Double(1 << quantizer.bits - 1)))
        }
        self.filter = margin.isFinite && base.isFinite ? filter : nil
    }

    private static func isEuclidean(_ metric: VectorMetric) -> Bool { metric == .euclidean || metric == .euclideanSquared }

    /// Adds the distances of codes that follow one another.
    ///
    /// - Parameters:
    ///   - codes: `count` codes.
    ///   - norms: For Euclidean metrics Σx̂ᵢ² of the vectors as little-endian floats.
    ///   - rows: The row numbers.
    ///   - isIncluded: Returns whether the code at a position counts. Only asked about codes that are near enough.
    func scan(
        codes: UnsafePointer<UInt8>,
        norms: UnsafeRawPointer,
        rows: UnsafeRawPointer,
        count: Int,
        into heap: inout NearestHeap,
        isIncluded: (Int) -> Bool
    ) {
        let block = 64
        withUnsafeTemporaryAllocation(of: Int32.self, capacity: block) { estimates in
            withUnsafeTemporaryAllocation(of: UInt8.self, capacity: dimensions) { levels in
                guard let estimates = estimates.baseAddress, let levels = levels.baseAddress else { return }
                var start = 0
                while start < count {
                    let number = min(block, count - start)
                    let first = codes + start * codeSize
                    let filter = heap.keepsAll ? nil : self.filter
                    filter?.estimate(first, count: number, into: estimates, scratch: levels)
                    for index in 0..<number {
                        if let filter {
                            let least = leastOrder(Float(estimates[index]) * filter.scale, norms, start + index)
                            if least > heap.bound { continue }
                        }
                        let found = order(of: first + index * codeSize, levels)
                        if found <= heap.bound, isIncluded(start + index) { heap.add(found, VectorTarget.row(rows, start + index)) }
                    }
                    start += number
                }
            }
        }
    }

    /// Returns a number that is not above the one that orders a code, for the estimate of its product.
    @inline(__always)
    private func leastOrder(_ product: Float, _ norms: UnsafeRawPointer, _ index: Int) -> Float {
        switch metric {
        case .euclidean, .euclideanSquared:
            let bits = UInt32(littleEndian: norms.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self))
            let norm = Float(bitPattern: bits)
            return base + norm - 2 * product - (margin + Float(Self.roundingError) * norm)
        case .dot: return -(constant + product) - margin
        case .cosine: return 1 - (constant + product) - margin
        }
    }

    /// Returns the number that orders a code: the distance, without its square root.
    ///
    /// - Parameter scratch: Memory for a byte for each component.
    private func order(of code: UnsafePointer<UInt8>, _ scratch: UnsafeMutablePointer<UInt8>) -> Float {
        var levels = code
        if quantizer.bits != 8 {
            quantizer.unpack(code, into: scratch)
            levels = UnsafePointer(scratch)
        }
        return factors.withUnsafeBufferPointer { factors in
            guard let factors = factors.baseAddress else { return 0 }
            switch metric {
            case .euclidean, .euclideanSquared:
                let squared = quantizer.steps.withUnsafeBufferPointer { steps in
                    steps.baseAddress.map { VectorKernels.functions.distance_to_bytes(factors, $0, levels, dimensions) } ?? 0
                }
                // The difference of two infinite numbers is none.
                return squared.isNaN ? .infinity : squared
            case .dot: return -(constant + VectorKernels.functions.product_with_bytes(factors, levels, dimensions))
            case .cosine:
                return VectorTarget.cosine(constant + VectorKernels.functions.product_with_bytes(factors, levels, dimensions))
            }
        }
    }
}
