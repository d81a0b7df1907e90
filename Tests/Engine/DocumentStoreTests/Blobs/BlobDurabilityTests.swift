import Foundation
import SQLiteEngine
import TestSupport
import Testing

@testable import DocumentStore

@Suite("Durability of blobs")
struct BlobDurabilityTests {
    private let directory: TemporaryDirectory
    private let store: BlobStore
    /// For the first store, this store is another process.
    private let other: BlobStore

    init() throws {
        directory = try TemporaryDirectory()
        store = BlobStore(directory: directory.path("Attachments"))
        other = BlobStore(directory: directory.path("Attachments"))
    }

    @Test("a stored blob is made durable once before a commit")
    func once() throws {
        #expect(try !store.flush())
        _ = try store.store([1, 2, 3])
        #expect(try store.flush())
        #expect(try !store.flush())
        _ = try store.store([1, 2, 3])
        #expect(try !store.flush())
    }

    @Test("a blob that another process has stored is made durable again when it is stored here")
    func others() throws {
        let digest = try other.store([1, 2, 3])
        #expect(try store.store([1, 2, 3]) == digest)
        #expect(try store.flush())
        _ = try store.store([1, 2, 3])
        #expect(try !store.flush())
        // This includes a blob that was finished separately.
        let second = try other.store([4])
        var writer = try BlobWriter(store: store)
        try [UInt8(4)].withUnsafeBytes { try writer.write($0) }
        #expect(try writer.install() == second)
        #expect(try store.flush())
    }

    @Test("a blob that was removed and stored again is made durable again")
    func again() throws {
        let digest = try store.store([1, 2, 3])
        try store.flush()
        // Prevents the file system from reusing the inode number of the removed file.
        try FileManager.default.moveItem(atPath: store.path(of: digest), toPath: directory.path("removed"))
        #expect(try other.store([1, 2, 3]) == digest)
        _ = try store.store([1, 2, 3])
        #expect(try store.flush())
    }

    @Test("a blob that is written again to a file with the same inode number is made durable again")
    func reusedNumber() throws {
        let digest = try store.store([1, 2, 3])
        try store.flush()
        // The same file with the time of another one, because the file system chooses the number of a new file.
        let time = Date(timeIntervalSince1970: 1_000_000_000)
        try FileManager.default.setAttributes([.modificationDate: time], ofItemAtPath: store.path(of: digest))
        _ = try store.store([1, 2, 3])
        #expect(try store.flush())
        _ = try store.store([1, 2, 3])
        #expect(try !store.flush())
    }

    @Test("files are distinguished by device, inode number and the time when they were written")
    func identity() {
        let digest = [UInt8]().withUnsafeBytes { BlobDigest(of: $0) }
        var names = DurableBlobs()
        names.add(digest, in: FileIdentity(device: 1, inode: 2, seconds: 3, nanoseconds: 4), needsContent: true)
        #expect(names.knows(digest, in: FileIdentity(device: 1, inode: 2, seconds: 3, nanoseconds: 4)))
        #expect(!names.knows(digest, in: FileIdentity(device: 9, inode: 2, seconds: 3, nanoseconds: 4)))
        #expect(!names.knows(digest, in: FileIdentity(device: 1, inode: 9, seconds: 3, nanoseconds: 4)))
        #expect(!names.knows(digest, in: FileIdentity(device: 1, inode: 2, seconds: 9, nanoseconds: 4)))
        #expect(!names.knows(digest, in: FileIdentity(device: 1, inode: 2, seconds: 3, nanoseconds: 9)))
    }

    @Test("the record of durable blobs has a limited size, and discards the oldest blobs when it is full")
    func capacity() {
        var names = DurableBlobs()
        let digests = (0..<9000).map { number in
            withUnsafeBytes(of: number) { BlobDigest(of: $0) }
        }
        func file(_ number: Int) -> FileIdentity { FileIdentity(device: 0, inode: UInt64(number), seconds: 0, nanoseconds: 0) }
        for (number, digest) in digests.enumerated() {
            names.add(digest, in: file(number), needsContent: true)
            #expect(names.knows(digest, in: file(number)))
            names.confirm(names.pending)
            #expect(names.pending.isEmpty)
        }
        #expect(names.knows(digests[8999], in: file(8999)))
        #expect(!names.knows(digests[8999], in: file(1)))
        // Those before the last 4096 are remembered until there are as many newer ones.
        #expect(names.knows(digests[6000], in: file(6000)))
        #expect(!names.knows(digests[0], in: file(0)))
    }

    @Test("a blob whose content was lost in a power failure is written again when it is stored")
    func lostContent() throws {
        let content: [UInt8] = [1, 2, 3]
        let digest = try other.store(content)
        let path = store.path(of: digest)
        try FileManager.default.removeItem(atPath: path)
        // The size was written, the content not.
        try Data([0, 0, 0]).write(to: URL(fileURLWithPath: path))
        #expect(try store.store(content) == digest)
        #expect(try store.contents(of: digest) == content)
        #expect(try store.flush())
    }

    @Test("many blobs are made durable at once, and blobs that were removed before are no error", arguments: [1, 15, 16, 200])
    func many(_ count: Int) throws {
        let digests = try (0..<count).map { number in try store.store([UInt8(number), 1, 2]) }
        try FileManager.default.removeItem(atPath: store.path(of: digests[0]))
        #expect(try store.flush())
        #expect(try !store.flush())
        for digest in digests.dropFirst() { #expect(try store.contents(of: digest) != nil) }
    }

    @Test("after a failed flush, the contents that may be lost are not used again")
    func failedFlush() {
        let digest = [UInt8]().withUnsafeBytes { BlobDigest(of: $0) }
        let other = [UInt8(1)].withUnsafeBytes { BlobDigest(of: $0) }
        let file = FileIdentity(device: 1, inode: 2, seconds: 3, nanoseconds: 4)
        let flushed = FileIdentity(device: 1, inode: 9, seconds: 3, nanoseconds: 4)
        var names = DurableBlobs()
        names.add(digest, in: file, needsContent: true)
        names.add(other, in: flushed, needsContent: false)
        names.fail(names.pending)
        #expect(names.hasFailed(file) && names.hasFailed(flushed))
        #expect(!names.knows(digest, in: file) && !names.knows(other, in: flushed))
        #expect(names.pending.isEmpty)
    }

    @Test(
        "after a failed flush the file is kept, and storing the content again or referring to it writes a new one",
        arguments: FurtherUse.allCases
    )
    private func writtenAgain(_ use: FurtherUse) throws {
        let content: [UInt8] = [1, 2, 3]
        var writer = try BlobWriter(store: store)
        try content.withUnsafeBytes { try writer.write($0) }
        let finished = try writer.finish()
        try finished.install()
        let path = store.path(of: finished.digest)
        let aside = directory.path("aside")
        func number() throws -> UInt64? {
            (try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? NSNumber)?.uint64Value
        }
        let before = try number()
        // A link cannot be flushed.
        try FileManager.default.moveItem(atPath: path, toPath: aside)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: aside)
        #expect(throws: BlobError.self) { try store.flush() }
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(atPath: aside, toPath: path)
        #expect(try number() == before)
        switch use {
        case .installing: try finished.install()
        case .storing: _ = try store.store(content)
        case .referring:
            #expect(try !store.stillHolds(finished.digest))
            #expect(try store.ensureStored(finished.digest) && store.stillHolds(finished.digest))
        }
        #expect(try number() != before)
        #expect(try store.contents(of: finished.digest) == content)
        #expect(try store.flush())
    }

    private enum FurtherUse: CaseIterable { case installing, storing, referring }

    @Test("a blob that another process has stored is made durable again when a document refers to it here")
    func referredTo() throws {
        let digest = try other.store([1, 2, 3])
        #expect(try store.stillHolds(digest) && store.ensureStored(digest))
        #expect(try store.flush())
        #expect(try store.ensureStored(digest))
        #expect(try !store.flush())
        let missing = [UInt8(9)].withUnsafeBytes { BlobDigest(of: $0) }
        #expect(try !store.stillHolds(missing) && !store.ensureStored(missing))
    }

    @Test("a document must not refer to a blob whose content was lost, and no copy of the damaged file is begun")
    func referredToWithoutContent() throws {
        let digest = try other.store([1, 2, 3])
        try FileManager.default.removeItem(atPath: store.path(of: digest))
        try Data([0, 0, 0]).write(to: URL(fileURLWithPath: store.path(of: digest)))
        // A temporary file would change the date of the directory.
        let date = Date(timeIntervalSince1970: 1_000_000_000)
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: store.directory)
        #expect(try !store.ensureStored(digest))
        #expect(try FileManager.default.attributesOfItem(atPath: store.directory)[.modificationDate] as? Date == date)
        #expect(try !store.flush())
    }
}
