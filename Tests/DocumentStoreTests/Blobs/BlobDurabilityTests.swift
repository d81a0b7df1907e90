import Foundation
import SQLiteEngine
import TestSupport
import Testing

@testable import DocumentStore

@Suite("Durability of blobs")
struct BlobDurabilityTests {
    private let directory: TemporaryDirectory
    private let store: BlobStore
    /// Another process's, as far as the first store knows.
    private let other: BlobStore

    init() throws {
        directory = try TemporaryDirectory()
        store = BlobStore(directory: directory.path("Attachments"))
        other = BlobStore(directory: directory.path("Attachments"))
    }

    @Test("a stored blob is made durable once before a commit")
    func once() throws {
        #expect(try !store.syncNames())
        _ = try store.store([1, 2, 3])
        #expect(try store.syncNames())
        #expect(try !store.syncNames())
        _ = try store.store([1, 2, 3])
        #expect(try !store.syncNames())
    }

    @Test("a blob that another process has stored is made durable again when it is stored here")
    func others() throws {
        let digest = try other.store([1, 2, 3])
        #expect(try store.store([1, 2, 3]) == digest)
        #expect(try store.syncNames())
        _ = try store.store([1, 2, 3])
        #expect(try !store.syncNames())
        // One that was finished aside, too.
        let second = try other.store([4])
        var writer = try BlobWriter(store: store)
        try [UInt8(4)].withUnsafeBytes { try writer.write($0) }
        #expect(try writer.install() == second)
        #expect(try store.syncNames())
    }

    @Test("a blob that was removed and stored again is made durable again")
    func again() throws {
        let digest = try store.store([1, 2, 3])
        try store.syncNames()
        // Keeps the number of the removed file from being given to the new one.
        try FileManager.default.moveItem(atPath: store.path(of: digest), toPath: directory.path("removed"))
        #expect(try other.store([1, 2, 3]) == digest)
        _ = try store.store([1, 2, 3])
        #expect(try store.syncNames())
    }

    @Test("the record of durable blobs has a limited size, after which the oldest blobs are forgotten")
    func capacity() {
        var names = DurableBlobs()
        let digests = (0..<5000).map { number in
            withUnsafeBytes(of: number) { BlobDigest(of: $0) }
        }
        for (number, digest) in digests.enumerated() {
            names.add(digest, inode: UInt64(number))
            #expect(names.knows(digest, inode: UInt64(number)))
            names.confirm()
            #expect(names.isComplete)
        }
        #expect(names.knows(digests[4999], inode: 4999))
        #expect(!names.knows(digests[4999], inode: 1))
        #expect(!names.knows(digests[0], inode: 0))
    }
}
