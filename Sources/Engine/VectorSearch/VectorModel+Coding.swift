import CZlib

/// What is wrong with the stored parts of a vector index.
package struct VectorIndexDamage: Error, Hashable, Sendable {
    /// The problem in words.
    package let reason: String

    package init(_ reason: String) { self.reason = reason }
}

/// The stored form of a model (Vector search FL-8): a header, then the numbers of the quantizer and the centroids. All numbers are
/// little-endian.
///
/// The header has the version of the form, the metric, the encoding, the dimensions, the centroids, the training count, the largest norm, the
/// number of the floats that follow, and the CRC-32 of these.
extension VectorModel {
    private static var version: UInt32 { 1 }
    private static var headerSize: Int { 40 }

    /// The model as bytes.
    package var encoded: [UInt8] {
        var floats: [Float] = []
        switch quantizer {
        case .none: break
        case .scalar(let quantizer): floats = quantizer.minima + quantizer.steps
        case .product(let quantizer): floats = quantizer.codebooks
        }
        floats += centroids
        let body = floats.vectorBytes
        var bytes: [UInt8] = []
        let (kind, detail) = Self.numbers(of: options.encoding)
        let numbers: [UInt32] = [
            Self.version, UInt32(options.metric.rawValue), kind, detail, UInt32(options.dimensions), UInt32(options.centroids),
            UInt32(clamping: trainingCount), largestNorm.bitPattern, UInt32(clamping: floats.count), CRC32.checksum(body),
        ]
        for number in numbers { withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) } }
        return bytes + body
    }

    /// A number that identifies the model; never 0.
    package var checksum: Int64 {
        let bytes = encoded
        return Int64(CRC32.checksum(bytes)) | 1 << 32
    }

    /// Returns the number of bytes of a model.
    package static func encodedSize(_ options: VectorIndexOptions) -> Int {
        let (centroids, quantizer) = floatCounts(options)
        return headerSize + 4 * (centroids + quantizer)
    }

    private static func floatCounts(_ options: VectorIndexOptions) -> (centroids: Int, quantizer: Int) {
        // The numbers come from checked options, so that none of these can overflow.
        let dimensions = options.dimensions
        let centroids = options.centroids * (dimensions + (options.metric == .dot ? 1 : 0))
        switch options.encoding {
        case .none: return (centroids, 0)
        case .scalar: return (centroids, 2 * dimensions)
        case .product(_, let bits): return (centroids, (1 << bits) * dimensions)
        }
    }

    private static func numbers(of encoding: StoredVectorEncoding) -> (kind: UInt32, detail: UInt32) {
        switch encoding {
        case .none: (0, 0)
        case .scalar(let bits): (1, UInt32(bits))
        case .product(let subquantizers, let bits): (2, UInt32(subquantizers) << 8 | UInt32(bits))
        }
    }

    /// Reads a model.
    ///
    /// - Parameter options: The configuration, for which the model must have been trained.
    /// - Throws: ``VectorIndexDamage`` if the bytes are not a model, or one for another configuration.
    package convenience init(_ bytes: [UInt8], options: VectorIndexOptions) throws(VectorIndexDamage) {
        guard bytes.count >= Self.headerSize else { throw VectorIndexDamage("its model is too short") }
        let header = bytes.withUnsafeBytes { bytes in
            (0..<Self.headerSize / 4).map { UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: $0 * 4, as: UInt32.self)) }
        }
        guard header[0] == Self.version else { throw VectorIndexDamage("its model has the unknown version \(header[0])") }
        let (kind, detail) = Self.numbers(of: options.encoding)
        guard header[1] == UInt32(options.metric.rawValue), header[2] == kind, header[3] == detail,
            header[4] == UInt32(options.dimensions), header[5] == UInt32(options.centroids)
        else { throw VectorIndexDamage("its model was trained for another configuration") }
        let dimensions = options.dimensions
        let (centroidCount, quantizerCount) = Self.floatCounts(options)
        let count = centroidCount + quantizerCount
        guard Int(header[8]) == count, bytes.count == Self.headerSize + 4 * count else {
            throw VectorIndexDamage("its model has \(bytes.count) bytes instead of \(Self.headerSize + 4 * count)")
        }
        let body = Array(bytes[Self.headerSize...])
        guard CRC32.checksum(body) == header[9] else { throw VectorIndexDamage("the checksum of its model is wrong") }
        let floats = body.withUnsafeBytes { body in
            (0..<count).map { Float(bitPattern: UInt32(littleEndian: body.loadUnaligned(fromByteOffset: $0 * 4, as: UInt32.self))) }
        }
        let norm = Float(bitPattern: header[7])
        guard norm.isFinite, floats.allSatisfy(\.isFinite) else {
            throw VectorIndexDamage("its model contains a number that is not finite")
        }
        let quantizer: Quantizer
        switch options.encoding {
        case .none: quantizer = .none
        case .scalar(let bits):
            quantizer = .scalar(
                ScalarQuantizer(bits: bits, minima: Array(floats[..<dimensions]), steps: Array(floats[dimensions..<2 * dimensions]))
            )
        case .product(let subquantizers, let bits):
            quantizer = .product(
                ProductQuantizer(
                    subquantizers: subquantizers,
                    bits: bits,
                    partDimensions: dimensions / subquantizers,
                    codebooks: Array(floats[..<quantizerCount])
                )
            )
        }
        self.init(
            options,
            trainingCount: Int(header[6]),
            largestNorm: norm,
            centroids: Array(floats[quantizerCount...]),
            quantizer: quantizer
        )
    }
}

/// The checksum of zlib.
enum CRC32 {
    static func checksum(_ bytes: [UInt8]) -> UInt32 {
        bytes.withUnsafeBufferPointer { UInt32(truncatingIfNeeded: crc32_z(0, $0.baseAddress, $0.count)) }
    }
}
