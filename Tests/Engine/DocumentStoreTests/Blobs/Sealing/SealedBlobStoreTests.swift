import Crypto
import DocumentStore
import Foundation
import TestSupport
import Testing

@Suite("Storage of encrypted blobs")
struct SealedBlobStoreTests {
    static let chunk = 65536
    let directory: TemporaryDirectory
    let store: BlobStore

    init() throws {
        directory = try TemporaryDirectory()
        store = Self.store(directory.path("Attachments"), key: 1)
    }

    private static func store(_ path: String, key: UInt8?) -> BlobStore {
        BlobStore(directory: path, cipher: key.map { BlobCipher(key: SymmetricKey(data: [UInt8](repeating: $0, count: 32))) })
    }

    private func content(_ count: Int, seed: UInt8 = 0) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) &+ seed }
    }

    private func file(_ digest: BlobDigest) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: store.path(of: digest))))
    }

    private func replaceFile(_ digest: BlobDigest, by bytes: [UInt8]) throws {
        let path = store.path(of: digest)
        try? FileManager.default.removeItem(atPath: path)
        try Data(bytes).write(to: URL(fileURLWithPath: path))
    }

    private func reason(_ body: () throws -> Void) -> BlobError.Reason? {
        do {
            try body()
            return nil
        } catch {
            return (error as? BlobError)?.reason
        }
    }

    @Test(
        "an encrypted blob is read back, and its file does not contain the plaintext",
        arguments: [0, 1, 15, 16, 17, chunk - 1, chunk, chunk + 1, 3 * chunk, 3 * chunk + 77]
    )
    func contents(_ count: Int) throws {
        let content = content(count)
        let digest = try store.store(content)
        #expect(digest == content.withUnsafeBytes { BlobDigest(of: $0) })
        #expect(try store.contents(of: digest) == content)
        #expect(try store.size(of: digest) == UInt64(count))
        #expect(try store.digests() == [digest])
        let sealed = try file(digest)
        #expect(sealed.count == count + 64 + 16 * ((count + Self.chunk - 1) / Self.chunk))
        if count >= 15 { #expect(Data(sealed).range(of: Data(content.prefix(15))) == nil) }
    }

    @Test("encrypted blobs with equal contents are stored once")
    func once() throws {
        let digest = try store.store(content(1000))
        let before = try file(digest)
        #expect(try store.store(content(1000)) == digest)
        #expect(try file(digest) == before)
    }

    @Test("two encrypted files with the same content and key differ")
    func salted() throws {
        let other = Self.store(directory.path("Other"), key: 1)
        let digest = try store.store(content(1000))
        #expect(try other.store(content(1000)) == digest)
        #expect(try Data(contentsOf: URL(fileURLWithPath: other.path(of: digest))) != Data(file(digest)))
    }

    @Test("a reader of an encrypted blob reads from any position")
    func seeking() throws {
        let content = content(3 * Self.chunk + 77)
        let reader = try #require(try store.reader(of: store.store(content)))
        var generator = SeededGenerator(seed: TestSeed.forThisTest())
        #expect(reader.size == UInt64(content.count))
        for _ in 0..<200 {
            let start = Int.random(in: 0...content.count + 10, using: &generator)
            let length = Int.random(in: 0...2 * Self.chunk, using: &generator)
            var buffer = [UInt8](repeating: 0, count: length)
            reader.seek(to: UInt64(start))
            let count = try buffer.withUnsafeMutableBytes { try reader.read(into: $0) }
            #expect(buffer.prefix(count).elementsEqual(content.dropFirst(start).prefix(length)))
            #expect(reader.position == UInt64(min(start, content.count) + count))
        }
        reader.close()
        var buffer: [UInt8] = [0]
        #expect(throws: BlobError.self) { try buffer.withUnsafeMutableBytes { try reader.read(into: $0) } }
    }

    @Test("a changed bit anywhere in an encrypted file is detected", arguments: [0, 1, 500])
    func tampered(_ count: Int) throws {
        let content = content(count)
        let digest = try store.store(content)
        let sealed = try file(digest)
        for position in sealed.indices {
            var changed = sealed
            changed[position] ^= 1 << UInt8(position % 8)
            try replaceFile(digest, by: changed)
            let reason = reason { _ = try store.contents(of: digest) }
            #expect(reason == .damaged || reason == .notSealed, "byte \(position)")
        }
    }

    @Test("a damaged chunk of an encrypted blob does not affect the other chunks")
    func oneBadChunk() throws {
        let content = content(3 * Self.chunk)
        let digest = try store.store(content)
        var sealed = try file(digest)
        sealed[48 + Self.chunk + 16 + 5] ^= 1
        try replaceFile(digest, by: sealed)
        let reader = try #require(try store.reader(of: digest))
        var buffer = [UInt8](repeating: 0, count: Self.chunk)
        #expect(try buffer.withUnsafeMutableBytes { try reader.read(into: $0) } == Self.chunk)
        #expect(buffer.elementsEqual(content.prefix(Self.chunk)))
        #expect(reason { _ = try buffer.withUnsafeMutableBytes { try reader.read(into: $0) } } == .damaged)
        reader.seek(to: UInt64(2 * Self.chunk))
        #expect(try buffer.withUnsafeMutableBytes { try reader.read(into: $0) } == Self.chunk)
        #expect(buffer.elementsEqual(content.suffix(Self.chunk)))
    }

    @Test("a truncated or extended encrypted file is detected when it is opened")
    func truncated() throws {
        let digest = try store.store(content(2 * Self.chunk + 40))
        let sealed = try file(digest)
        let chunkEnds = [48, 48 + Self.chunk + 16, 48 + 2 * (Self.chunk + 16)]
        for length in [0, 1, 47, 63, 64, sealed.count - 1, sealed.count - 16] + chunkEnds + chunkEnds.map({ $0 + 16 }) {
            try replaceFile(digest, by: Array(sealed.prefix(length)))
            let reason = reason { _ = try store.reader(of: digest) }
            #expect(reason == .damaged || reason == .notSealed, "\(length) bytes")
        }
        // A file with a valid end after fewer chunks is not the whole file either.
        try replaceFile(digest, by: Array(sealed.prefix(chunkEnds[1])) + sealed.suffix(16))
        #expect(reason { _ = try store.reader(of: digest) } == .damaged)
        try replaceFile(digest, by: sealed + [0])
        #expect(reason { _ = try store.reader(of: digest) } == .damaged)
    }

    @Test("swapped chunks of an encrypted file are detected")
    func reordered() throws {
        let digest = try store.store(content(3 * Self.chunk))
        var sealed = try file(digest)
        let size = Self.chunk + 16
        let (first, second) = (48..<48 + size, 48 + size..<48 + 2 * size)
        let moved = Array(sealed[first])
        sealed.replaceSubrange(first, with: sealed[second])
        sealed.replaceSubrange(second, with: moved)
        try replaceFile(digest, by: sealed)
        #expect(reason { _ = try store.contents(of: digest) } == .damaged)
    }

    @Test("an encrypted file under the name of another blob is detected when it is opened, even at equal length")
    func swapped() throws {
        let first = try store.store(content(1000))
        let second = try store.store(content(1000, seed: 1))
        try replaceFile(first, by: try file(second))
        #expect(reason { _ = try store.reader(of: first) } == .damaged)
        #expect(try store.contents(of: second) == content(1000, seed: 1))
    }

    @Test("a wrong key throws an error, and so does a file that is not encrypted")
    func wrongKey() throws {
        let digest = try store.store(content(1000))
        let other = Self.store(store.directory, key: 2)
        #expect(reason { _ = try other.reader(of: digest) } == .damaged)
        try replaceFile(digest, by: content(1000))
        #expect(reason { _ = try store.reader(of: digest) } == .notSealed)
    }

    @Test("storing a blob again replaces an encrypted file that cannot be opened")
    func repaired() throws {
        let digest = try store.store(content(1000))
        try replaceFile(digest, by: [1, 2, 3])
        #expect(try store.store(content(1000)) == digest)
        #expect(try store.contents(of: digest) == content(1000))
    }

    @Test(
        "all blobs of a store are copied from one key, or none, to another, or none",
        arguments: [(1, 2), (1, nil), (nil, 2), (nil, nil)] as [(UInt8?, UInt8?)]
    )
    func copying(from old: UInt8?, to new: UInt8?) throws {
        let source = Self.store(directory.path("Source"), key: old)
        let destination = Self.store(directory.path("Destination"), key: new)
        let contents = [0, 1, 1000, Self.chunk, 2 * Self.chunk + 5].map { content($0) }
        let digests = try contents.map { try source.store($0) }
        try source.copyAll(to: destination)
        #expect(Set(try destination.digests()) == Set(digests))
        for (digest, content) in zip(digests, contents) {
            #expect(try destination.contents(of: digest) == content)
        }
    }

    @Test("copying a store stops at a damaged blob, with an error that names the file", arguments: [1, nil] as [UInt8?])
    func copyingDamaged(key: UInt8?) throws {
        let source = Self.store(store.directory, key: key)
        let destination = Self.store(directory.path("Destination"), key: 2)
        let digest = try source.store(content(1000))
        var bytes = try file(digest)
        bytes[500] ^= 1
        try replaceFile(digest, by: bytes)
        let error = #expect(throws: BlobError.self) { try source.copyAll(to: destination) }
        #expect(error?.reason == .damaged)
        #expect(error?.path.hasSuffix(digest.fileName) == true)
        #expect(try FileManager.default.contentsOfDirectory(atPath: destination.directory).isEmpty)
    }
}
