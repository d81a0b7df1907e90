import Base
import Crypto
import Fleece

/// The ID of a revision in a tree: a generation, which is 1 for the first revision of a document, and a digest (Storage format 3.5).
///
/// The binary form is stored inline, so that reading a document needs no allocation for it.
package struct TreeRevisionID: Sendable {
    /// The maximum length of the binary form, in bytes.
    package static let maximumLength = 56

    /// The maximum generation. No real document reaches it, but incrementing a damaged number must not overflow.
    package static let maximumGeneration: UInt64 = 1 << 62

    // The binary form, padded with zeros. It is compared and hashed in whole words.
    private var words: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0, 0)
    private var length: UInt8
    private var digestStart: UInt8
    /// The number of the revision in its branch, from 1 to ``maximumGeneration``.
    package let generation: UInt64

    /// Parses the binary form: a varint and the bytes of the digest. Returns `nil` if it is too short, too long, or a version vector.
    package init?(binary: UnsafeRawBufferPointer) {
        guard let start = binary.baseAddress, binary.count >= 2, binary.count <= Self.maximumLength,
            let (generation, size) = Varint.read64(start, available: binary.count),
            (1...Self.maximumGeneration).contains(generation), size < binary.count
        else { return nil }
        self.generation = generation
        digestStart = UInt8(size)
        length = UInt8(binary.count)
        Swift.withUnsafeMutableBytes(of: &words) { $0.copyMemory(from: binary) }
    }

    /// Creates an ID. Returns `nil` if the generation or the digest is out of range.
    ///
    /// - Parameters:
    ///   - generation: From 1 to ``maximumGeneration``.
    ///   - digest: 1 to 46 bytes.
    init?(generation: UInt64, digest: UnsafeRawBufferPointer) {
        guard (1...Self.maximumGeneration).contains(generation), digest.count >= 1,
            digest.count <= Self.maximumLength - 10
        else { return nil }
        self.generation = generation
        var size = 0
        Swift.withUnsafeMutableBytes(of: &words) { buffer in
            size = Varint.write(generation, to: buffer.baseAddress!)
            buffer[size...].copyBytes(from: digest)
        }
        digestStart = UInt8(size)
        length = UInt8(size + digest.count)
    }

    /// Parses the textual form, `2-826d…c85f`. Returns `nil` unless it is a positive decimal number, a dash and hexadecimal digits: at most 92
    /// lowercase ones if their number is even, otherwise at most 40 (Storage format 3.5).
    package init?(_ text: String) {
        let utf8 = Array(text.utf8)
        guard let dash = utf8.firstIndex(of: UInt8(ascii: "-")), dash > 0, dash <= 19 else { return nil }
        var generation: UInt64 = 0
        for digit in utf8[..<dash] {
            guard digit >= UInt8(ascii: "0"), digit <= UInt8(ascii: "9") else { return nil }
            generation = generation * 10 + UInt64(digit - UInt8(ascii: "0"))
        }
        guard let digest = RevisionDigest.binary(utf8[(dash + 1)...]) else { return nil }
        guard let id = digest.withUnsafeBytes({ TreeRevisionID(generation: generation, digest: $0) }) else { return nil }
        self = id
    }

    /// Calls `body` with the binary form.
    package func withBinary<Result, Failure: Error>(_ body: (UnsafeRawBufferPointer) throws(Failure) -> Result) throws(Failure) -> Result {
        var copy = words
        // `withUnsafeBytes` does not preserve typed errors, so its closure returns a `Result`.
        let outcome: Swift.Result<Result, Failure> = Swift.withUnsafeBytes(of: &copy) { bytes in
            do throws(Failure) {
                return .success(try body(UnsafeRawBufferPointer(rebasing: bytes[..<Int(length)])))
            } catch {
                return .failure(error)
            }
        }
        return try outcome.get()
    }

    /// The binary form.
    package var binary: [UInt8] { withBinary { Array($0) } }

    /// The digest, without the generation.
    package var digest: [UInt8] { withBinary { Array($0[Int(digestStart)...]) } }
}

extension TreeRevisionID: Hashable {
    package static func == (left: TreeRevisionID, right: TreeRevisionID) -> Bool {
        left.length == right.length && left.words.0 == right.words.0 && left.words.1 == right.words.1
            && left.words.2 == right.words.2 && left.words.3 == right.words.3 && left.words.4 == right.words.4
            && left.words.5 == right.words.5 && left.words.6 == right.words.6
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(words.0)
        hasher.combine(words.1)
        hasher.combine(words.2)
    }
}

extension TreeRevisionID: Comparable {
    /// Orders by generation, then by the bytes of the digest, where a prefix is lower.
    package static func < (left: TreeRevisionID, right: TreeRevisionID) -> Bool {
        if left.generation != right.generation { return left.generation < right.generation }
        return left.withBinary { leftBytes in
            right.withBinary { rightBytes in
                compareBytes(
                    UnsafeRawBufferPointer(rebasing: leftBytes[Int(left.digestStart)...]),
                    UnsafeRawBufferPointer(rebasing: rightBytes[Int(right.digestStart)...])
                ) < 0
            }
        }
    }
}

extension TreeRevisionID: CustomStringConvertible {
    /// The textual form, for example `2-826d817506218838cdfee7e9e3b72900175dc85f`.
    package var description: String {
        String(unsafeUninitializedCapacity: 20 + 2 * (Int(length) - Int(digestStart))) { writeText(to: UnsafeMutableRawBufferPointer($0)) }
    }

    /// The decimal digits of a generation, a dash, and two digits for each byte of a digest.
    private static let maximumTextLength = 19 + 1 + 2 * maximumLength

    /// Writes the textual form and returns its length. There must be space for ``maximumTextLength`` bytes.
    private func writeText(to buffer: UnsafeMutableRawBufferPointer) -> Int {
        var end = 1
        var rest = generation / 10
        while rest > 0 {
            end += 1
            rest /= 10
        }
        rest = generation
        for position in (0..<end).reversed() {
            buffer[position] = UInt8(ascii: "0") + UInt8(rest % 10)
            rest /= 10
        }
        buffer[end] = UInt8(ascii: "-")
        end += 1
        return withBinary { binary in
            let digest = UnsafeRawBufferPointer(rebasing: binary[Int(digestStart)...])
            return end + RevisionDigest.write(digest, to: UnsafeMutableRawBufferPointer(rebasing: buffer[end...]))
        }
    }

    /// The digest as in the textual form, without the generation.
    package var digestText: String {
        withBinary { binary in
            let digest = UnsafeRawBufferPointer(rebasing: binary[Int(digestStart)...])
            return String(unsafeUninitializedCapacity: 2 * digest.count) {
                RevisionDigest.write(digest, to: UnsafeMutableRawBufferPointer($0))
            }
        }
    }
}

extension TreeRevisionID {
    /// Returns the ID of the revision with `body` that is a child of `parent`. It contains a digest of both (Storage format 3.6).
    ///
    /// Identical changes result in identical IDs.
    static func generate(parent: TreeRevisionID?, isDeleted: Bool, body: UnsafeRawBufferPointer) -> TreeRevisionID {
        var hasher = Insecure.SHA1()
        // The length of the parent's ID, which is less than 256, the ID, and whether the revision is a tombstone.
        withUnsafeTemporaryAllocation(byteCount: 2 + maximumTextLength, alignment: 1) { prefix in
            let length = parent?.writeText(to: UnsafeMutableRawBufferPointer(rebasing: prefix[1...])) ?? 0
            prefix[0] = UInt8(length)
            prefix[1 + length] = isDeleted ? 1 : 0
            hasher.update(bufferPointer: UnsafeRawBufferPointer(rebasing: prefix[..<(2 + length)]))
        }
        hasher.update(bufferPointer: body)
        let generation = min((parent?.generation ?? 0) + 1, maximumGeneration)
        // A SHA-1 digest has twenty bytes, which is within the limits of the initializer.
        return hasher.finalize().withUnsafeBytes { TreeRevisionID(generation: generation, digest: $0)! }
    }
}

extension TreeRevisionID {
    /// The version that stands for this revision where versions are compared; `nil` if the generation is too high for one (Version vectors
    /// 2.8).
    package var version: Version? {
        withBinary { Version(generation: generation, digest: UnsafeRawBufferPointer(rebasing: $0[Int(digestStart)...])) }
    }
}
