import Crypto

/// The SHA-1 digest of a blob's content, which identifies the blob (Storage format 4.1).
package struct BlobDigest: Hashable, Sendable {
    // Two and a half words instead of an array, to avoid allocations: digests are created and compared for every blob of every document.
    private let first: UInt64
    private let second: UInt64
    private let third: UInt32

    /// The number of bytes in a digest.
    package static let byteCount = 20

    /// Creates a digest from its bytes. Returns `nil` unless there are exactly twenty.
    package init?(bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Self.byteCount else { return nil }
        first = bytes.loadUnaligned(as: UInt64.self)
        second = bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
        third = bytes.loadUnaligned(fromByteOffset: 16, as: UInt32.self)
    }

    /// Computes the digest of `content`.
    package init(of content: UnsafeRawBufferPointer) {
        var hash = Insecure.SHA1()
        hash.update(bufferPointer: content)
        self.init(hash.finalize())
    }

    init(_ digest: Insecure.SHA1Digest) {
        (first, second, third) = digest.withUnsafeBytes {
            (
                $0.loadUnaligned(as: UInt64.self),
                $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self),
                $0.loadUnaligned(fromByteOffset: 16, as: UInt32.self)
            )
        }
    }

    /// Parses the form used in documents: `sha1-` and standard base64. Returns `nil` for any other text.
    package init?(_ string: String) {
        guard string.utf8.starts(with: "sha1-".utf8) else { return nil }
        self.init(base64: Array(string.utf8.dropFirst(5)))
    }

    /// Parses the name of a blob's file. Returns `nil` for any other name.
    package init?(fileName: String) {
        guard fileName.utf8.suffix(5).elementsEqual(".blob".utf8) else { return nil }
        self.init(base64: fileName.utf8.dropLast(5).map { $0 == UInt8(ascii: "_") ? UInt8(ascii: "/") : $0 })
    }

    /// Returns `nil` unless these are 28 characters that encode exactly twenty bytes.
    private init?(base64: [UInt8]) {
        guard base64.count == 28, base64[27] == UInt8(ascii: "=") else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(21)
        for start in stride(from: 0, to: 28, by: 4) {
            var group: UInt32 = 0
            for index in start..<(start + 4) {
                guard let value = index == 27 ? 0 : Self.value(of: base64[index]) else { return nil }
                group = group << 6 | value
            }
            bytes.append(UInt8(truncatingIfNeeded: group >> 16))
            bytes.append(UInt8(truncatingIfNeeded: group >> 8))
            bytes.append(UInt8(truncatingIfNeeded: group))
        }
        guard bytes.removeLast() == 0 else { return nil }
        guard let digest = bytes.withUnsafeBytes({ BlobDigest(bytes: $0) }) else { return nil }
        self = digest
    }

    private static func value(of character: UInt8) -> UInt32? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character) - 65
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character) - 71
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character) + 4
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }

    /// The bytes of the digest, in an array of twenty.
    package var bytes: [UInt8] {
        var words = (first, second, third)
        return withUnsafeBytes(of: &words) { [UInt8]($0.prefix(Self.byteCount)) }
    }

    /// The form used in documents: `sha1-` and standard base64 (Storage format 4.2).
    package var string: String { "sha1-" + base64(slash: UInt8(ascii: "/")) }

    /// The name of the blob's file: base64 with `_` instead of `/`, and `.blob` (Storage format 4.1).
    package var fileName: String { base64(slash: UInt8(ascii: "_")) + ".blob" }

    private func base64(slash: UInt8) -> String {
        let bytes = bytes + [0]
        return String(unsafeUninitializedCapacity: 28) { buffer in
            for group in 0..<7 {
                let start = group * 3
                let bits = UInt32(bytes[start]) << 16 | UInt32(bytes[start + 1]) << 8 | UInt32(bytes[start + 2])
                for index in 0..<4 {
                    let value = UInt8(truncatingIfNeeded: bits >> UInt32(18 - index * 6)) & 0x3F
                    buffer[group * 4 + index] = Self.character(for: value, slash: slash)
                }
            }
            buffer[27] = UInt8(ascii: "=")
            return 28
        }
    }

    private static func character(for value: UInt8, slash: UInt8) -> UInt8 {
        switch value {
        case 0..<26: value + 65
        case 26..<52: value + 71
        case 52..<62: value - 4
        case 62: UInt8(ascii: "+")
        default: slash
        }
    }
}

extension BlobDigest: CustomStringConvertible {
    package var description: String { string }
}
