import Crypto
import DocumentStore
import Foundation
import TestSupport
import Testing

@Suite("Blob storage")
struct BlobStoreTests {
    let directory: TemporaryDirectory
    let store: BlobStore

    init() throws {
        directory = try TemporaryDirectory()
        store = BlobStore(directory: directory.path("Attachments"))
    }

    private var files: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: store.directory)) ?? []).sorted()
    }

    @Test("the blob directory is created when the first blob is stored")
    func lazyDirectory() throws {
        #expect(try store.digests().isEmpty)
        #expect(!FileManager.default.fileExists(atPath: store.directory))
        _ = try store.store([1, 2, 3])
        #expect(files.count == 1)
    }

    @Test("the content of a stored blob is read back", arguments: [0, 1, 4096, 300_000])
    func contents(_ count: Int) throws {
        let content = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let digest = try store.store(content)
        #expect(try store.contents(of: digest) == content)
        #expect(try store.size(of: digest) == UInt64(count))
        #expect(try store.digests() == [digest])
    }

    @Test("blobs with equal contents are stored once, in a read-only file")
    func once() throws {
        let first = try store.store([1, 2, 3])
        let second = try store.store([1, 2, 3])
        #expect(first == second)
        #expect(files == [first.fileName])
        let attributes = try FileManager.default.attributesOfItem(atPath: store.path(of: first))
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o400)
    }

    @Test("a truncated blob file is replaced when its content is stored again")
    func cutShort() throws {
        let content = [UInt8](repeating: 7, count: 1000)
        let digest = try store.store(content)
        let path = store.path(of: digest)
        try FileManager.default.removeItem(atPath: path)
        try Data(content.prefix(10)).write(to: URL(fileURLWithPath: path))
        #expect(try store.store(content) == digest)
        #expect(try store.contents(of: digest) == content)
    }

    @Test("the content of a file that is too large for the memory is not read as a whole")
    func huge() throws {
        let digest = try store.store([1, 2, 3])
        let path = store.path(of: digest)
        try FileManager.default.removeItem(atPath: path)
        try Data().write(to: URL(fileURLWithPath: path))
        // Bytes that were never written take no disk space.
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try file.truncate(atOffset: 1 << 40)
        try file.close()
        #expect(throws: BlobError(.tooLarge, action: "read", path: path)) { try store.contents(of: digest) }
        let reader = try #require(try store.reader(of: digest))
        reader.seek(to: (1 << 40) - 5)
        var buffer = [UInt8](repeating: 9, count: 10)
        #expect(try buffer.withUnsafeMutableBytes { try reader.read(into: $0) } == 5)
        #expect(buffer == [0, 0, 0, 0, 0, 9, 9, 9, 9, 9])
    }

    @Test("when the directory was replaced, blobs of the new one are found, and blobs that only the old one has are stored again")
    func replacedDirectory() throws {
        let first = try store.store([1])
        #expect(try store.contents(of: first) == [1])
        try FileManager.default.moveItem(atPath: store.directory, toPath: store.directory + "-old")
        let second = try BlobStore(directory: store.directory).store([2])
        #expect(try store.contents(of: second) == [2])
        // Another search has opened the new directory.
        #expect(try store.contents(of: first) == nil)
        let third = try BlobStore(directory: store.directory).store([3])
        #expect(try store.contents(of: third) == [3])
        try FileManager.default.removeItem(atPath: store.directory)
        #expect(try store.store([3]) == third)
        #expect(files == [third.fileName])
        #expect(try store.contents(of: third) == [3])
    }

    #if os(Linux)
    @Test("a store has one open file for its directory, as long as it exists")
    func descriptors() throws {
        let other = try TemporaryDirectory()
        let path = other.path("Attachments")
        do {
            let store = BlobStore(directory: path)
            for number in 0..<10 as Range<UInt8> {
                let digest = try store.store([number])
                #expect(try store.contents(of: digest) == [number])
            }
            #expect(try OpenFiles.count(below: path) == 1)
        }
        #expect(try OpenFiles.count(below: path) == 0)
    }
    #endif

    @Test("a blob can be written in pieces")
    func pieces() throws {
        var writer = try BlobWriter(store: store)
        #expect(files.count == 1)
        #expect(files.first?.hasPrefix("incoming_") == true)
        for piece in [[1, 2], [], [3]] as [[UInt8]] { try piece.withUnsafeBytes { try writer.write($0) } }
        #expect(writer.count == 3)
        let digest = try writer.install()
        #expect(try store.contents(of: digest) == [1, 2, 3])
        #expect(files == [digest.fileName])
    }

    private func writeAndDrop() throws {
        var writer = try BlobWriter(store: store)
        try [UInt8](repeating: 1, count: 100).withUnsafeBytes { try writer.write($0) }
    }

    @Test("a blob writer that is released leaves no file")
    func dropped() throws {
        try writeAndDrop()
        #expect(files.isEmpty)
    }

    @Test("a blob that is not stored has neither size, nor content, nor reader")
    func missing() throws {
        let digest = [UInt8]([9]).withUnsafeBytes { BlobDigest(of: $0) }
        #expect(try store.size(of: digest) == nil)
        #expect(try store.contents(of: digest) == nil)
        #expect(try store.reader(of: digest) == nil)
    }

    @Test("a blob reader reads, seeks, stops at the end, and throws an error after it is closed")
    func reader() throws {
        let digest = try store.store([UInt8](0..<100))
        let reader = try #require(try store.reader(of: digest))
        #expect(reader.size == 100)
        var buffer = [UInt8](repeating: 0, count: 60)
        #expect(try buffer.withUnsafeMutableBytes { try reader.read(into: $0) } == 60)
        #expect(buffer[59] == 59)
        #expect(try buffer.withUnsafeMutableBytes { try reader.read(into: $0) } == 40)
        #expect(buffer[39] == 99)
        #expect(try buffer.withUnsafeMutableBytes { try reader.read(into: $0) } == 0)
        reader.seek(to: 98)
        #expect(try buffer.withUnsafeMutableBytes { try reader.read(into: $0) } == 2)
        reader.seek(to: 1000)
        #expect(reader.position == 100)
        reader.close()
        reader.close()
        #expect(throws: BlobError.self) { try buffer.withUnsafeMutableBytes { try reader.read(into: $0) } }
    }

    @Test("deleting unused blobs keeps referenced blobs, files with other names, and blobs that are being written")
    func deleting() throws {
        let digests = try (0..<5).map { try store.store([UInt8($0)]) }
        let stranger = store.directory + "/notes.txt"
        try Data([1]).write(to: URL(fileURLWithPath: stranger))
        var writer = try BlobWriter(store: store)
        let finished = try writing([7, 7])
        #expect(try store.delete(except: [digests[1], digests[3]]) == 3)
        #expect(Set(try store.digests()) == [digests[1], digests[3]])
        #expect(FileManager.default.fileExists(atPath: stranger))
        try finished.install()
        #expect(try store.contents(of: finished.digest) == [7, 7])
        try [UInt8]([1, 2]).withUnsafeBytes { try writer.write($0) }
        #expect(try store.contents(of: writer.install()) == [1, 2])
    }

    @Test("deleting unused blobs removes leftover files of terminated writers")
    func abandoned() throws {
        let digest = try store.store([1])
        for name in ["incoming_aaaaaa", "incoming_bbbbbb"] {
            try Data([1]).write(to: URL(fileURLWithPath: store.directory + "/" + name))
        }
        #expect(try store.digests() == [digest])
        #expect(try store.delete(except: [digest]) == 0)
        #expect(files == [digest.fileName])
    }

    private func writing(_ content: [UInt8]) throws -> FinishedBlob {
        var writer = try BlobWriter(store: store)
        try content.withUnsafeBytes { try writer.write($0) }
        return try writer.finish()
    }

    @Test("a finished blob can be read at once, and is in the store after it is installed", arguments: [false, true])
    func finished(isEncrypted: Bool) throws {
        let cipher = isEncrypted ? BlobCipher(key: SymmetricKey(size: .bits256)) : nil
        let store = BlobStore(directory: store.directory, cipher: cipher)
        var writer = try BlobWriter(store: store)
        try [UInt8](0..<100).withUnsafeBytes { try writer.write($0) }
        let blob = try writer.finish()
        #expect(try store.digests().isEmpty)
        for _ in 0..<2 {
            let reader = try blob.reader()
            var content = [UInt8](repeating: 0, count: 200)
            #expect(try content.withUnsafeMutableBytes { try reader.read(into: $0) } == 100)
            #expect(content.prefix(100).elementsEqual(0..<100))
            try blob.install()
        }
        #expect(try store.digests() == [blob.digest])
    }

    @Test("a finished blob that is released leaves no file")
    func finishedAndDropped() throws {
        withExtendedLifetime(try writing([1])) { #expect(files.count == 1) }
        #expect(files.isEmpty)
    }

    @Test("a finished blob is installed even if its content is already stored or has just been deleted")
    func installing() throws {
        let (first, second) = (try writing([1, 2, 3]), try writing([1, 2, 3]))
        try first.install()
        try second.install()
        #expect(try store.contents(of: first.digest) == [1, 2, 3])
        try store.delete(except: [])
        try second.install()
        #expect(try store.contents(of: first.digest) == [1, 2, 3])
        let other = BlobStore(directory: directory.path("Other"))
        try second.copy(for: other).install()
        #expect(try other.contents(of: first.digest) == [1, 2, 3])
    }

    @Test("a blob directory that cannot be created gives an error with its path")
    func badDirectory() throws {
        try Data().write(to: directory.url.appendingPathComponent("file"))
        let store = BlobStore(directory: directory.path("file/Attachments"))
        let error = #expect(throws: BlobError.self) { try store.store([1]) }
        #expect(error?.description.contains("file/Attachments") == true)
    }
}
