import Foundation
import SQLiteEngine
import TestSupport
import Testing

@testable import DocumentStore

@Suite("File permissions")
struct PermissionTests {
    /// The bundle and all of its entries, with the permissions of users other than the owner.
    private func openToOthers(_ bundle: BundlePath) throws -> [String] {
        let names = [""] + (FileManager.default.subpaths(atPath: bundle.directory) ?? []).map { "/" + $0 }
        return try names.filter { name in
            var status = stat()
            try #require(lstat(bundle.directory + name, &status) == 0)
            return status.st_mode & 0o077 != 0
        }
    }

    @Test("a new database, plain or encrypted, is accessible to its owner only", arguments: [false, true])
    func newDatabase(_ isEncrypted: Bool) throws {
        var options = DatabaseFile.Options()
        if isEncrypted { options.key = .test(1) }
        let database = try TestDatabase(options: options)
        let digest = try database.file.blobs.store([1, 2, 3])
        try database.save("a", #"{"b":{"@type":"blob","digest":"\#(digest.string)"}}"#, hasBlobs: true)
        // The log and the lock file exist while the database is open.
        #expect(try openToOthers(database.path) == [])
        var status = stat()
        #expect(stat(database.path.sqliteFile, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        #expect(stat(database.path.directory, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o700)
    }

    @Test("copies and rekeyed databases are accessible to their owner only")
    func copiesAndKeyChanges() throws {
        let database = try TestDatabase()
        _ = try database.file.blobs.store([1, 2, 3])
        let copy = BundlePath(database.directory.path("copies/copy.cblite2"))
        try DatabaseCopy.copy(database.path, to: copy)
        #expect(try openToOthers(copy) == [])
        #expect(try openToOthers(BundlePath(database.directory.path("copies"))) == [])
        try DatabaseRegistry.changeKey(of: database.file, to: .test(1))
        #expect(try openToOthers(database.path) == [])
        try DatabaseRegistry.changeKey(of: database.file, to: nil)
        #expect(try openToOthers(database.path) == [])
    }

    @Test("an existing database file keeps its permissions")
    func existing() throws {
        let database = try TestDatabase()
        try database.close()
        #expect(chmod(database.path.sqliteFile, 0o640) == 0)
        try database.reopen()
        try database.save("a", "{}")
        var status = stat()
        #expect(stat(database.path.sqliteFile, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o640)
    }
}
