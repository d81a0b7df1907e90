import DocumentStore
import Fleece
import Foundation
import ReplicationSimulation
import SQLiteEngine
import TestSupport
import TestTraits
import Testing

@testable import Replication

/// A database in a temporary directory, as replication sees it.
final class TestReplica {
    let directory: TemporaryDirectory
    let bundle: URL
    let file: DatabaseFile
    let database: ReplicaDatabase

    /// - Parameters:
    ///   - key: The key of an encrypted database.
    ///   - clock: The clock of a database with version vectors; `nil` creates one with revision trees.
    init(
        key: EncryptionSecret? = nil,
        versionsAt clock: SettableClock? = nil,
        commitHook: ReplicaDatabase.CommitHook? = nil
    ) throws {
        directory = try TemporaryDirectory()
        bundle = directory.url.appendingPathComponent("test.cblite2")
        var options = DatabaseFile.Options()
        options.key = key
        if let clock { (options.versioning, options.clock) = (.versionVectors, clock) }
        file = try DatabaseRegistry.open(bundle.path, options: options)
        database = ReplicaDatabase(file, commitHook: commitHook)
    }

    /// A copy of a real database.
    init(fixture: String, clock: SettableClock? = nil) throws {
        directory = try TemporaryDirectory()
        bundle = try directory.copy(RealDatabase.url(fixture))
        var options = DatabaseFile.Options()
        if let clock { options.clock = clock }
        file = try DatabaseRegistry.open(bundle.path, options: options)
        database = ReplicaDatabase(file)
    }

    deinit {
        try? DatabaseRegistry.close(file)
    }

    func collection() throws -> ReplicaCollection {
        try #require(try database.collection(.default))
    }

    func body(_ json: String) throws -> OwnedBody {
        try file.withBodyEncoder { encoder in
            try Array(json.utf8).withUnsafeBytes { try JSON.parse($0, into: &encoder.encoder) }
            return try encoder.finishOwned()
        }
    }

    /// Saves like an app, and returns the revision.
    ///
    /// - Parameter hasBlobs: Whether the body refers to blobs.
    @discardableResult
    func save(_ documentID: String, _ json: String, in collection: CollectionID = .default, hasBlobs: Bool = false) throws -> RevisionID {
        try save(DocumentSave(documentID, base: .latest), json, in: collection, hasBlobs: hasBlobs)
    }

    /// Deletes like an app, and returns the revision.
    @discardableResult
    func delete(_ documentID: String) throws -> RevisionID {
        try save(DocumentSave(documentID, base: .latest, isDeleted: true), "{}", in: .default, hasBlobs: false)
    }

    private func save(_ save: DocumentSave, _ json: String, in collection: CollectionID, hasBlobs: Bool) throws -> RevisionID {
        let store = try #require(try file.collection(collection))
        let outcome = try file.transaction { writer in
            try store.save(save, in: writer) { encoder in
                try Array(json.utf8).withUnsafeBytes { try JSON.parse($0, into: &encoder) }
                return hasBlobs
            }
        }
        guard case .saved(let revision, _) = outcome else { throw CancellationError() }
        return revision
    }

    /// Overwrites the revision tree of a document with zeros, so that the document cannot be read. With the column `version`, the ID of its
    /// current revision.
    func damage(_ documentID: String, column: String = "extra") throws {
        let connection = try Connection(path: file.bundle.sqliteFile, mode: .readWrite)
        try connection.execute("UPDATE kv_default SET \(column) = x'00000000' WHERE key = '\(documentID)'")
        try connection.close()
    }

    func received(_ documentID: String, _ history: [String], _ json: String = "{}") throws -> ReceivedRevision {
        let ids = try history.map { try #require(RevisionID($0)) }
        return ReceivedRevision(documentID: documentID, revision: ids[0], history: Array(ids.dropFirst()), body: try body(json))
    }

    func json(_ documentID: String) throws -> String? {
        guard let record = try file.collection(.default)?.document(documentID) else { return nil }
        return try record.body.withRoot { try JSON.string($0, sharedKeys: record.sharedKeys, form: .canonical) }
    }

    /// Checks the database with the library's checker and, if it is installed, the independent one. Closes the file.
    func checkAndClose(sourceLocation: SourceLocation = #_sourceLocation) throws {
        #expect(try BundleChecker(file).findings() == [], sourceLocation: sourceLocation)
        try DatabaseRegistry.close(file)
        #expect(try DatabaseChecker.check(bundle).problems == [], sourceLocation: sourceLocation)
    }
}
