/// Divides vectors into parts, and stores for each part the number of the nearest entry of a codebook (Vector search 9.4).
struct ProductQuantizer {
    let subquantizers: Int
    let bits: Int
    /// The number of components of a part.
    let partDimensions: Int
    /// The codebooks of the parts, one after another, each with 2^`bits` entries.
    let codebooks: [Float]
    private let panels: [CentroidPanels]

    var entries: Int { 1 << bits }
    /// About how many bytes of memory the codebooks take.
    var memorySize: Int { panels.reduce(codebooks.count * MemoryLayout<Float>.stride) { $0 + $1.memorySize } }

    init(subquantizers: Int, bits: Int, partDimensions: Int, codebooks: [Float]) {
        self.subquantizers = subquantizers
        self.bits = bits
        self.partDimensions = partDimensions
        self.codebooks = codebooks
        let size = (1 << bits) * partDimensions
        panels = (0..<subquantizers).map {
            CentroidPanels(Array(codebooks[$0 * size..<($0 + 1) * size]), dimensions: partDimensions)
        }
    }

    /// Trains the codebooks.
    ///
    /// - Throws: `CancellationError` if `isCancelled` returns `true`.
    init(
        subquantizers: Int,
        bits: Int,
        sample: [Float],
        dimensions: Int,
        _ random: inout SeededNumbers,
        isCancelled: () -> Bool = { false }
    ) throws(CancellationError) {
        let part = dimensions / subquantizers
        let number = sample.count / dimensions
        var codebooks: [Float] = []
        codebooks.reserveCapacity((1 << bits) * dimensions)
        for subquantizer in 0..<subquantizers {
            var parts: [Float] = []
            parts.reserveCapacity(number * part)
            for index in 0..<number {
                let start = index * dimensions + subquantizer * part
                parts += sample[start..<start + part]
            }
            codebooks += try KMeans(dimensions: part, count: 1 << bits).centroids(of: parts, &random, isCancelled: isCancelled)
        }
        self.init(subquantizers: subquantizers, bits: bits, partDimensions: part, codebooks: codebooks)
    }

    /// Returns the codes of several vectors, one after another.
    func encode(_ vectors: [Float]) -> [UInt8] {
        let dimensions = subquantizers * partDimensions
        let number = vectors.count / dimensions
        var numbers = [Int32](repeating: 0, count: number * subquantizers)
        var (nearest, distances) = ([Int32](repeating: 0, count: number), [Float](repeating: 0, count: number))
        var parts = [Float](repeating: 0, count: number * partDimensions)
        for subquantizer in 0..<subquantizers {
            for index in 0..<number {
                let start = index * dimensions + subquantizer * partDimensions
                for component in 0..<partDimensions { parts[index * partDimensions + component] = vectors[start + component] }
            }
            parts.withUnsafeBufferPointer { parts in
                nearest.withUnsafeMutableBufferPointer { nearest in
                    distances.withUnsafeMutableBufferPointer { panels[subquantizer].assign(parts, nearest: nearest, distances: $0) }
                }
            }
            for index in 0..<number { numbers[index * subquantizers + subquantizer] = nearest[index] }
        }
        var codes: [UInt8] = []
        codes.reserveCapacity(number * ((subquantizers * bits + 7) / 8))
        for index in 0..<number {
            var packer = BitPacker()
            for subquantizer in 0..<subquantizers {
                packer.append(UInt32(truncatingIfNeeded: numbers[index * subquantizers + subquantizer]), bits: bits, to: &codes)
            }
            packer.finish(&codes)
        }
        return codes
    }

    /// Returns the vector that a code stands for.
    func decode(_ code: UnsafePointer<UInt8>, into vector: UnsafeMutablePointer<Float>) {
        var reader = BitReader(code)
        for subquantizer in 0..<subquantizers {
            let entry = Int(reader.next(bits: bits))
            let start = (subquantizer * entries + entry) * partDimensions
            for component in 0..<partDimensions { vector[subquantizer * partDimensions + component] = codebooks[start + component] }
        }
    }

    /// Returns for each entry of each codebook what it contributes to the result for a target: the squared distance, or the product.
    func table(for target: [Float], isProduct: Bool) -> [Float] {
        var table = [Float](repeating: 0, count: subquantizers * entries)
        target.withUnsafeBufferPointer { target in
            codebooks.withUnsafeBufferPointer { codebooks in
                guard let target = target.baseAddress, let codebooks = codebooks.baseAddress else { return }
                for index in table.indices {
                    let part = target + index / entries * partDimensions
                    let entry = codebooks + index * partDimensions
                    table[index] =
                        isProduct
                        ? VectorKernels.dot(part, entry, partDimensions)
                        : VectorKernels.squaredDistance(part, entry, partDimensions)
                }
            }
        }
        return table
    }

    /// Returns the sum of the entries of a table that a code names.
    @inline(__always)
    func sum(_ table: UnsafePointer<Float>, _ code: UnsafePointer<UInt8>) -> Float {
        var sum: Float = 0
        if bits == 8 {
            var (second, index) = (Float(0), 0)
            while index + 2 <= subquantizers {
                sum += table[index << 8 + Int(code[index])]
                second += table[(index + 1) << 8 + Int(code[index + 1])]
                index += 2
            }
            if index < subquantizers { sum += table[index << 8 + Int(code[index])] }
            return sum + second
        }
        var reader = BitReader(code)
        for index in 0..<subquantizers { sum += table[index << bits + Int(reader.next(bits: bits))] }
        return sum
    }
}
