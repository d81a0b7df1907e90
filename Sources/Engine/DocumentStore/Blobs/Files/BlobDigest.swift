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
        var string = string
        let parsed = string.withUTF8 { text -> BlobDigest? in
            let base64 = Self.text(text, between: Self.prefix, "")
            return base64.flatMap { BlobDigest(base64: $0, slash: UInt8(ascii: "/")) }
        }
        guard let parsed else { return nil }
        self = parsed
    }

    /// Parses the name of a blob's file. Returns `nil` for any other name.
    package init?(fileName: String) {
        var name = fileName
        let parsed = name.withUTF8 { text -> BlobDigest? in
            let base64 = Self.text(text, between: "", Self.suffix)
            return base64.flatMap { BlobDigest(base64: $0, slash: UInt8(ascii: "_")) }
        }
        guard let parsed else { return nil }
        self = parsed
    }

    /// Returns the part of a text between a start and an end; `nil` if it does not have them.
    private static func text(
        _ text: UnsafeBufferPointer<UInt8>,
        between start: StaticString,
        _ end: StaticString
    ) -> UnsafeBufferPointer<UInt8>? {
        let (first, last) = (start.utf8CodeUnitCount, text.count - end.utf8CodeUnitCount)
        guard first <= last, start.withUTF8Buffer({ text.starts(with: $0) }),
            end.withUTF8Buffer({ text[last...].elementsEqual($0) })
        else { return nil }
        return UnsafeBufferPointer(rebasing: text[first..<last])
    }

    /// Returns `nil` unless these are 28 characters that encode exactly twenty bytes.
    private init?(base64: UnsafeBufferPointer<UInt8>, slash: UInt8) {
        guard base64.count == Self.base64Count, base64[27] == UInt8(ascii: "=") else { return nil }
        var words: (UInt64, UInt64, UInt64) = (0, 0, 0)
        let isValid = withUnsafeMutableBytes(of: &words) { bytes in
            for group in 0..<7 {
                var bits: UInt32 = 0
                for index in (group * 4)..<(group * 4 + 4) {
                    guard let value = index == 27 ? 0 : Self.value(of: base64[index], slash: slash) else { return false }
                    bits = bits << 6 | value
                }
                for index in 0..<3 { bytes[group * 3 + index] = UInt8(truncatingIfNeeded: bits >> UInt32(16 - index * 8)) }
            }
            return bytes[Self.byteCount] == 0
        }
        guard isValid else { return nil }
        (first, second, third) = withUnsafeBytes(of: &words) {
            (
                $0.loadUnaligned(as: UInt64.self),
                $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self),
                $0.loadUnaligned(fromByteOffset: 16, as: UInt32.self)
            )
        }
    }

    @inline(__always)
    private static func value(of character: UInt8, slash: UInt8) -> UInt32? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character) - 65
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character) - 71
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character) + 4
        case UInt8(ascii: "+"): 62
        default: character == slash ? 63 : nil
        }
    }

    /// The bytes of the digest, in an array of twenty.
    package var bytes: [UInt8] {
        var words = (first, second, third)
        return withUnsafeBytes(of: &words) { [UInt8]($0.prefix(Self.byteCount)) }
    }

    /// The form used in documents: `sha1-` and standard base64 (Storage format 4.2).
    package var string: String { text(Self.prefix, slash: UInt8(ascii: "/"), "") }

    /// The name of the blob's file: base64 with `_` instead of `/`, and `.blob` (Storage format 4.1).
    package var fileName: String { text("", slash: UInt8(ascii: "_"), Self.suffix) }

    private static let base64Count = 28
    private static var prefix: StaticString { "sha1-" }
    private static var suffix: StaticString { ".blob" }

    /// Returns base64 between two texts of ASCII characters.
    private func text(_ start: StaticString, slash: UInt8, _ end: StaticString) -> String {
        // The digest and one byte more, because base64 encodes groups of three bytes.
        var words = (first, second, third, UInt32(0))
        return withUnsafeBytes(of: &words) { bytes in
            let count = start.utf8CodeUnitCount + Self.base64Count + end.utf8CodeUnitCount
            return String(unsafeUninitializedCapacity: count) { buffer in
                var place = 0
                func append(_ text: StaticString) {
                    for index in 0..<text.utf8CodeUnitCount { buffer[place + index] = text.utf8Start[index] }
                    place += text.utf8CodeUnitCount
                }
                append(start)
                for group in 0..<7 {
                    let byte = group * 3
                    let bits = UInt32(bytes[byte]) << 16 | UInt32(bytes[byte + 1]) << 8 | UInt32(bytes[byte + 2])
                    for index in 0..<4 {
                        let value = UInt8(truncatingIfNeeded: bits >> UInt32(18 - index * 6)) & 0x3F
                        buffer[place + index] = Self.character(for: value, slash: slash)
                    }
                    place += 4
                }
                buffer[place - 1] = UInt8(ascii: "=")
                append(end)
                return count
            }
        }
    }

    @inline(__always)
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
