import DocumentStore
import Foundation
import TestSupport
import TestTraits
import Testing

@Suite("Databases on a read-only medium", .enabled(if: SmallDisk.canBeMade, "a file system cannot be mounted here"))
struct ReadOnlyMediumTests {
    private let disk: SmallDisk

    init() throws {
        disk = try #require(SmallDisk())
    }

    /// Copies files of a fixture to the disk, and then makes the disk read-only.
    private func burn(_ name: String, without suffix: String? = nil) throws -> String {
        let directory = try TemporaryDirectory()
        let copy = try directory.copy(RealDatabase.url(name))
        if let suffix { try FileManager.default.removeItem(at: copy.appendingPathComponent("db.sqlite3" + suffix)) }
        let bundle = disk.url.appendingPathComponent(copy.lastPathComponent)
        try FileManager.default.copyItem(at: copy, to: bundle)
        #expect(disk.makeReadOnly())
        return bundle.path
    }

    private func count(_ path: String) throws -> UInt64? {
        var options = DatabaseFile.Options()
        options.isReadOnly = true
        let file = try DatabaseRegistry.open(path, options: options)
        defer { try? DatabaseRegistry.close(file) }
        return try file.collection(.default)?.count()
    }

    @Test("a database on a read-only medium can be read, whatever its file version", arguments: [("v2.8", 50), ("bench10k", 10000)])
    func reading(_ name: String, _ expected: UInt64) throws {
        #expect(try count(try burn(name)) == expected)
    }

    @Test("opening a database on a read-only medium for writing throws readOnlyMedium")
    func writing() throws {
        let path = try burn("v2.8")
        #expect(throws: StoreError.readOnlyMedium(path: BundlePath(path).directory)) {
            try DatabaseRegistry.open(path)
        }
        #expect(throws: StoreError.readOnlyMedium(path: disk.url.path + "/new.cblite2")) {
            try DatabaseRegistry.open(disk.url.path + "/new.cblite2")
        }
    }

    @Test("a write-ahead log on a read-only medium is read or causes an error, but is never ignored")
    func log() throws {
        let path = try burn("wal", without: "-shm")
        do {
            #expect(try count(path) == 500)
        } catch let error as StoreError {
            #expect(error == .readOnlyMedium(path: BundlePath(path).directory))
        }
    }
}
