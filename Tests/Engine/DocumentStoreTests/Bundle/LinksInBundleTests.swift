import Foundation
import TestSupport
import Testing

@testable import DocumentStore

/// Entries that an attacker may put into a bundle in addition to files: links to other directories, pipes, directories.
@Suite("Links and pipes in a bundle")
struct LinksInBundleTests {
    let directory: TemporaryDirectory
    let store: BlobStore
    /// A file of the user that does not belong to the database.
    let secret: String
    let secretContent = Array("the user's own".utf8)

    init() throws {
        directory = try TemporaryDirectory()
        store = BlobStore(directory: directory.path("Attachments"))
        secret = directory.path("secret")
        try Data(secretContent).write(to: URL(fileURLWithPath: secret))
    }

    private var files: FileManager { .default }

    private func link(_ path: String, to target: String) throws {
        try files.createSymbolicLink(atPath: path, withDestinationPath: target)
    }

    private func digest(_ content: [UInt8]) -> BlobDigest { content.withUnsafeBytes { BlobDigest(of: $0) } }

    private func makeStoreDirectory() throws {
        try files.createDirectory(atPath: store.directory, withIntermediateDirectories: true)
    }

    @Test("a blob that is a symbolic link does not expose its target")
    func linkedBlob() throws {
        try makeStoreDirectory()
        let digest = digest(secretContent)
        try link(store.path(of: digest), to: secret)
        #expect(throws: BlobError(.notAFile, action: "open", path: store.path(of: digest))) {
            try store.contents(of: digest)
        }
        #expect(try store.size(of: digest) == nil)
        #expect(try !store.contains(digest))
        #expect(try store.digests() == [])
        #expect(try store.foreignEntries() == [digest.fileName])
    }

    @Test("storing a blob over a link replaces the link and leaves its target unchanged")
    func storedOverLink() throws {
        try makeStoreDirectory()
        let content = Array("a blob".utf8)
        try link(store.path(of: digest(content)), to: secret)
        let digest = try store.store(content)
        #expect(try store.contents(of: digest) == content)
        #expect(files.contents(atPath: secret) == Data(secretContent))
        #expect(try store.foreignEntries() == [])
    }

    @Test("a pipe, a socket or a directory with the name of a blob is rejected")
    func pipe() throws {
        try makeStoreDirectory()
        let (piped, socket, folder) = (digest([1]), digest([2]), digest([3]))
        #expect(mkfifo(store.path(of: piped), 0o600) == 0)
        #expect(mknod(store.path(of: socket), S_IFSOCK | 0o600, 0) == 0)
        try files.createDirectory(atPath: store.path(of: folder), withIntermediateDirectories: false)
        for digest in [piped, socket, folder] {
            #expect(throws: BlobError(.notAFile, action: "open", path: store.path(of: digest))) {
                try store.reader(of: digest)
            }
        }
        // An entry that is not a file is kept, and does not prevent removing the other files.
        let real = try store.store([4])
        #expect(try store.delete(except: []) == 1)
        #expect(try store.reader(of: real) == nil)
        #expect(try store.foreignEntries().count == 3)
    }

    @Test("a blob directory that is a link is not followed when blobs are read, stored or deleted")
    func linkedDirectory() throws {
        let other = BlobStore(directory: directory.path("other"))
        let digest = try other.store(secretContent)
        try link(store.directory, to: other.directory)
        let error = BlobError(.notADirectory, action: "open", path: store.directory)
        #expect(throws: error) { try store.contents(of: digest) }
        #expect(throws: error) { try store.digests() }
        #expect(throws: error) { try store.store([1, 2, 3]) }
        #expect(throws: error) { try store.delete(except: []) }
        #expect(try other.contents(of: digest) == secretContent)
        #expect(try other.digests() == [digest])
    }

    @Test("deleting unused blobs ignores an unfinished file that is a link or a pipe")
    func linkedUnfinishedFile() throws {
        try makeStoreDirectory()
        try link(store.directory + "/incoming_abcdef", to: secret)
        #expect(mkfifo(store.directory + "/incoming_pipe00", 0o600) == 0)
        #expect(try store.delete(except: []) == 0)
        #expect(files.contents(atPath: secret) == Data(secretContent))
    }

    @Test(
        "a database with links, pipes or directories in place of its files is rejected",
        arguments: ["db.sqlite3", "db.sqlite3-wal", "db.sqlite3-shm", "db.sqlite3-journal", "db.sqlite3-log"]
    )
    func linkedDatabaseFile(_ name: String) throws {
        let database = try TestDatabase()
        try database.close()
        let path = database.path.directory + "/" + name
        let target = directory.path("target")
        try? files.moveItem(atPath: path, toPath: target)
        let obstacles: [(String) throws -> Void] = [
            { try link($0, to: target) }, { mkfifo($0, 0o600) },
            { try files.createDirectory(atPath: $0, withIntermediateDirectories: false) },
        ]
        for obstacle in obstacles {
            try obstacle(path)
            for isReadOnly in [false, true] {
                var options = DatabaseFile.Options()
                options.isReadOnly = isReadOnly
                let error = #expect(throws: StoreError.self) {
                    try DatabaseRegistry.open(database.bundle.path, options: options)
                }
                #expect(error?.code == 21)
                #expect(error?.description.contains("\(name) in it is") == true)
            }
            try files.removeItem(atPath: path)
        }
    }

    @Test("a dangling link in place of the database file does not create a file at its target")
    func danglingLink() throws {
        let bundle = directory.url.appendingPathComponent("new.cblite2")
        try files.createDirectory(at: bundle, withIntermediateDirectories: false)
        let target = directory.path("made-elsewhere")
        try link(bundle.path + "/db.sqlite3", to: target)
        #expect(throws: StoreError.self) { try DatabaseRegistry.open(bundle.path) }
        #expect(!files.fileExists(atPath: target))
    }

    @Test("a bundle that is reached through a symbolic link can be opened")
    func linkedBundle() throws {
        let database = try TestDatabase()
        try database.save("a", "{}")
        let path = directory.path("shortcut.cblite2")
        try link(path, to: database.bundle.path)
        let file = try DatabaseRegistry.open(path)
        #expect(file === database.file)
        try DatabaseRegistry.close(file)
    }

    @Test("a check reports links and pipes in a bundle")
    func check() throws {
        let database = try TestDatabase()
        let blobs = database.file.blobs
        _ = try blobs.store([1])
        let (linked, piped) = (digest([2]), digest([3]))
        try link(blobs.path(of: linked), to: secret)
        #expect(mkfifo(blobs.path(of: piped), 0o600) == 0)
        let findings = try BundleChecker(database.file).findings()
        #expect(Set(findings.map(\.subject)) == [linked.fileName, piped.fileName])
        #expect(findings.allSatisfy { $0.severity == .warning && $0.message.contains("symbolic link") })
        try database.close()
        try files.moveItem(atPath: blobs.directory, toPath: directory.path("moved"))
        try link(blobs.directory, to: directory.path("moved"))
        try database.reopen()
        let found = try BundleChecker(database.file).findings()
        #expect(found.map(\.subject) == ["Attachments"])
        #expect(throws: BlobError.self) { try database.file.compact() }
        #expect(files.fileExists(atPath: directory.path("moved")))
    }

    @Test("a copy of a database contains the blobs, but no links or pipes")
    func copy() throws {
        let database = try TestDatabase()
        let blobs = database.file.blobs
        let kept = try blobs.store([1, 2, 3])
        try link(blobs.path(of: digest(secretContent)), to: secret)
        #expect(mkfifo(blobs.path(of: digest([9])), 0o600) == 0)
        let copy = BundlePath(directory.path("copy.cblite2"))
        try DatabaseCopy.copy(database.path, to: copy)
        #expect(try files.contentsOfDirectory(atPath: copy.attachments) == [kept.fileName])
        let attributes = try files.attributesOfItem(atPath: copy.attachments + "/" + kept.fileName)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o400)
    }
}
