/// Reads vectors from the forms in which documents contain them (Vector search VV-1…6).
package enum VectorReader {
    /// Reads consecutive little-endian 32-bit floats.
    ///
    /// - Parameter dimensions: The number of components that the vector must have; `nil` if any number from 2 is permitted.
    package static func vector(bytes: UnsafeRawBufferPointer, dimensions: Int?) throws(VectorProblem) -> [Float] {
        guard !bytes.isEmpty, bytes.count % 4 == 0 else { throw .wrongLength }
        let count = bytes.count / 4
        try check(count, dimensions)
        let vector = (0..<count).map {
            Float(bitPattern: UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: $0 * 4, as: UInt32.self)))
        }
        return try checked(vector)
    }

    /// Reads base64 of the same bytes. White space around it is ignored, and padding may be missing.
    package static func vector(base64 text: UnsafeRawBufferPointer, dimensions: Int?) throws(VectorProblem) -> [Float] {
        guard let bytes = decoded(text) else { throw .wrongLength }
        // A typed error does not pass the closure of `withUnsafeBytes`.
        let result = bytes.withUnsafeBytes { bytes -> Result<[Float], VectorProblem> in
            do throws(VectorProblem) {
                return .success(try vector(bytes: bytes, dimensions: dimensions))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    /// Checks the components that were converted from other numbers. −0 becomes 0.
    package static func checked(_ vector: [Float]) throws(VectorProblem) -> [Float] {
        var vector = vector
        for index in vector.indices {
            guard vector[index].isFinite else { throw .notFinite }
            if vector[index] == 0 { vector[index] = 0 }
        }
        return vector
    }

    /// Checks a number of components.
    package static func check(_ count: Int, _ dimensions: Int?) throws(VectorProblem) {
        guard count >= 2, count == dimensions ?? count, count <= VectorIndexOptions.dimensionCounts.upperBound else {
            throw .wrongDimensions
        }
    }

    private static func decoded(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
        var text = text[...]
        while let first = text.first, isSpace(first) { text.removeFirst() }
        while let last = text.last, isSpace(last) { text.removeLast() }
        var padding = 0
        while padding < 2, text.last == UInt8(ascii: "=") {
            text.removeLast()
            padding += 1
        }
        // Longer texts than those of the largest vectors are not decoded.
        guard !text.isEmpty, text.count % 4 != 1, text.count <= 1 << 20, padding == 0 || (text.count + padding) % 4 == 0 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count * 3 / 4)
        var (bits, count): (UInt32, UInt32) = (0, 0)
        for character in text {
            let value = values[Int(character)]
            guard value < 64 else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> count))
            }
        }
        return bytes
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    /// The values of the characters of base64; 255 for all others.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 255, count: 256)
        for (value, character) in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8.enumerated() {
            values[Int(character)] = UInt8(value)
        }
        return values
    }()
}

extension [Float] {
    /// The components as little-endian 32-bit floats.
    package var vectorBytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count * 4)
        for component in self {
            Swift.withUnsafeBytes(of: component.bitPattern.littleEndian) { bytes.append(contentsOf: $0) }
        }
        return bytes
    }
}
