import Crypto
import Foundation
import TestSupport
import Testing

@testable import DocumentStore

/// The vectors were made by another implementation of the format (Python, `cryptography`).
@Suite("Encrypted blob format")
struct SealedBlobVectorTests {
    static let key = SymmetricKey(data: [UInt8](0..<32))
    static let salt = [UInt8](0x40..<0x60)
    static let header =
        "43424c53426c6f620110000000000000404142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f"
    static let emptyTrailer = "f86755cdd18b2f09229bae2c0d968132"
    static let shortContent = Array("This is a blob to store in the store!".utf8)
    static let shortRest = """
        400ab6e4670ce1754093db212bf72eaae44e98c2f3d30ed902b37543402d5abc651be02f2e8dc840f26a8027004692580aa3e047da
        288e3b409d493db8aba28f194c30a5ea
        """

    let directory: TemporaryDirectory
    let store: BlobStore

    init() throws {
        directory = try TemporaryDirectory()
        store = BlobStore(directory: directory.path("Attachments"), cipher: BlobCipher(key: Self.key))
        try store.makeDirectory()
    }

    /// The bytes that are written for `content`, which is passed in pieces of `pieceSize` bytes.
    private func seal(_ content: [UInt8], pieceSize: Int) throws -> [UInt8] {
        let path = directory.path("sealed")
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        let file = BlobFile(descriptor: descriptor, "sealed", in: directory.path("."))
        defer { file.close() }
        var sealer = try BlobSealer(file, cipher: BlobCipher(key: Self.key), header: SealedBlobHeader(salt: Self.salt))
        for start in stride(from: 0, to: content.count, by: pieceSize) {
            let piece = Array(content[start..<min(content.count, start + pieceSize)])
            try piece.withUnsafeBytes { bytes throws(BlobError) in try sealer.append(bytes) }
        }
        try sealer.finish(digest: content.withUnsafeBytes { BlobDigest(of: $0) })
        return [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    @Test("an empty encrypted blob consists of a header and a trailer")
    func empty() throws {
        #expect(try seal([], pieceSize: 1) == hex(Self.header + Self.emptyTrailer))
    }

    @Test("a short encrypted blob has one chunk, whatever the size of the written pieces", arguments: [1, 5, 100])
    func short(pieceSize: Int) throws {
        #expect(try seal(Self.shortContent, pieceSize: pieceSize) == hex(Self.header + Self.shortRest))
    }

    @Test(
        "a long encrypted blob has the same bytes, whatever the size of the written pieces",
        arguments: [
            (132_072, 132_184, "6d6b6dbdf7de860f6caf07acd3cb23b6b7fbcd690447fe950cf8d5dc1dec2b56"),
            (131_072, 131_168, "c4884a70766717732268ef3b77e13cff6ddc8b7f8080356dd94b0691df6ddefa"),
        ],
        [1000, 65536, 70_001, 200_000]
    )
    func long(vector: (count: Int, fileSize: Int, digest: String), pieceSize: Int) throws {
        let sealed = try seal((0..<vector.count).map { UInt8(truncatingIfNeeded: $0 &* 31) }, pieceSize: pieceSize)
        #expect(sealed.count == vector.fileSize)
        #expect(SHA256.hash(data: sealed).elementsEqual(hex(vector.digest)))
    }

    @Test("encrypted blobs of another implementation can be read")
    func reading() throws {
        for (content, rest) in [([], Self.emptyTrailer), (Self.shortContent, Self.shortRest)] {
            let digest = content.withUnsafeBytes { BlobDigest(of: $0) }
            try Data(hex(Self.header + rest)).write(to: URL(fileURLWithPath: store.path(of: digest)))
            #expect(try store.contents(of: digest) == content)
        }
    }
}
