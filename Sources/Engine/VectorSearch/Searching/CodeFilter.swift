import CVectorKernels

/// Estimates the products of a target with the codes of a scalar quantizer, which are sums of whole numbers: several times faster than sums of floats,
/// and of known error.
struct CodeFilter {
    /// How much an estimate can differ from the true product.
    let error: Float
    /// What 1 in the result of ``estimate(_:count:into:scratch:)`` stands for.
    let scale: Float
    private let bits: Int
    private let dimensions: Int
    /// The weights as whole numbers. For codes of 4 bits those of even components, and then those of odd ones.
    private let weights: [Int16]

    private static let roundingOffset = 0x1.8p52

    /// - Parameter products: For each component by how much the product grows with each step of the code.
    /// - Returns: `nil` if the products are too large for floats.
    init?(_ products: [Float], bits: Int) {
        let largestCode = Double(1 << bits - 1)
        var (largest, sum) = (0.0, 0.0)
        for product in products {
            largest = max(largest, abs(Double(product)))
            sum += abs(Double(product))
        }
        // Each weight fits into 16 bits, and the sum for any code into 32, also after rounding.
        let most = Double(Int32.max) / largestCode - Double(products.count)
        let scale = max(largest / Double(Int16.max), sum / most)
        // NaN compares as false. Below, whole numbers would not be proportional to the products.
        guard sum < Double(Float.greatestFiniteMagnitude) / largestCode, scale == 0 || scale > Double(Float.leastNormalMagnitude) else {
            return nil
        }
        let factor = scale == 0 ? 0 : 1 / scale
        var remainder = 0.0
        func weight(_ index: Int) -> Int16 {
            // The last byte of an odd number of components has four bits that do not count.
            guard index < products.count else { return 0 }
            let product = Double(products[index])
            // Adding a number with no bits for fractions rounds, without a call to a library.
            let rounded = max(-32767, min(32767, product * factor + Self.roundingOffset - Self.roundingOffset))
            remainder += abs(product - rounded * Double(Float(scale)))
            return Int16(rounded)
        }
        let size = (products.count + 1) / 2
        let count = bits == 4 ? 2 * size : products.count
        weights = Array(unsafeUninitializedCapacity: count) { weights, used in
            for index in 0..<count { weights.initializeElement(at: index, to: weight(bits != 4 ? index : index % size * 2 + index / size)) }
            used = count
        }
        (self.bits, dimensions) = (bits, products.count)
        self.scale = Float(scale)
        // A float may be smaller than the number it was rounded from.
        error = Float(remainder * largestCode * 1.000_001)
    }

    /// Writes the estimates for codes that follow one another.
    ///
    /// - Parameters:
    ///   - codes: `count` codes of a quantizer with so many bits, and a component for each product.
    ///   - result: Memory for `count` numbers.
    ///   - scratch: Memory for a byte for each product.
    func estimate(
        _ codes: UnsafePointer<UInt8>,
        count: Int,
        into result: UnsafeMutablePointer<Int32>,
        scratch: UnsafeMutablePointer<UInt8>
    ) {
        weights.withUnsafeBufferPointer { weights in
            guard let first = weights.baseAddress else { return }
            switch bits {
            case 8: VectorKernels.functions.products_of_bytes(first, codes, dimensions, count, result)
            case 4:
                let size = (dimensions + 1) / 2
                VectorKernels.functions.products_of_halves(first, first + size, codes, size, count, result)
            default:
                let size = (dimensions * bits + 7) / 8
                for index in 0..<count {
                    VectorKernels.functions.unpack_sixths(codes + index * size, dimensions, scratch)
                    VectorKernels.functions.products_of_bytes(first, scratch, dimensions, 1, result + index)
                }
            }
        }
    }
}
