import Fleece
import Foundation
import SQLiteEngine
import TestSupport
import TestTraits
import Testing

@testable import DocumentStore

/// A database in a temporary directory, with helper functions for tests.
final class TestDatabase {
    let directory: TemporaryDirectory
    let bundle: URL
    private(set) var file: DatabaseFile

    var path: BundlePath { BundlePath(bundle.path) }

    /// A new database, or one that `prepare` has created at the path.
    init(options: DatabaseFile.Options = .init(), prepare: (BundlePath) throws -> Void = { _ in }) throws {
        directory = try TemporaryDirectory()
        bundle = directory.url.appendingPathComponent("test.cblite2")
        try prepare(BundlePath(bundle.path))
        file = try DatabaseRegistry.open(bundle.path, options: options)
    }

    /// A copy of a real database.
    init(fixture: String, options: DatabaseFile.Options = .init()) throws {
        directory = try TemporaryDirectory()
        bundle = try directory.copy(RealDatabase.url(fixture))
        file = try DatabaseRegistry.open(bundle.path, options: options)
    }

    /// A database with live documents, a tombstone and a blob.
    static func withEachKind() throws -> TestDatabase {
        let database = try TestDatabase()
        try database.save("a", #"{"n":1,"text":"something long enough"}"#)
        try database.save("b", #"{"n":2}"#)
        try database.save("gone", #"{"n":3}"#)
        try database.delete("gone")
        let digest = try database.file.blobs.store(Array("blob".utf8))
        try database.save("withBlob", #"{"b":{"@type":"blob","digest":"\#(digest.string)"}}"#, hasBlobs: true)
        return database
    }

    deinit {
        try? DatabaseRegistry.close(file)
    }

    func close() throws {
        try DatabaseRegistry.close(file)
    }

    func reopen(options: DatabaseFile.Options = .init()) throws {
        try close()
        file = try DatabaseRegistry.open(bundle.path, options: options)
    }

    func collection(_ id: CollectionID = .default) throws -> CollectionStore {
        try #require(try file.collection(id))
    }

    // MARK: Documents

    @discardableResult
    func save(
        _ documentID: String,
        _ json: String,
        base: DocumentSave.Base = .latest,
        hasBlobs: Bool = false,
        in collection: CollectionID = .default
    ) throws -> DocumentSaveOutcome {
        let collection = try self.collection(collection)
        return try file.transaction { writer in
            try collection.save(DocumentSave(documentID, base: base), json, hasBlobs: hasBlobs, in: writer)
        }
    }

    @discardableResult
    func delete(
        _ documentID: String,
        base: DocumentSave.Base = .latest,
        in collection: CollectionID = .default
    ) throws -> DocumentSaveOutcome {
        let collection = try self.collection(collection)
        return try file.transaction { try collection.delete(documentID, base: base, in: $0) }
    }

    @discardableResult
    func purge(_ documentID: String, in collection: CollectionID = .default) throws -> Bool {
        let collection = try self.collection(collection)
        return try file.transaction { try collection.purge(documentID, in: $0) }
    }

    /// The properties of a live document as canonical JSON.
    func json(_ documentID: String, in collection: CollectionID = .default) throws -> String? {
        try self.collection(collection).document(documentID)?.canonicalJSON()
    }

    // MARK: The file itself

    /// Runs SQL on a separate connection, like another process.
    func sql(_ sql: String) throws {
        try Self.sql(sql, on: path)
    }

    static func sql(_ sql: String, on bundle: BundlePath) throws {
        let connection = try Connection(path: bundle.sqliteFile, mode: .create)
        defer { try? connection.close() }
        try connection.execute(sql)
    }

    func scalar(_ sql: String) throws -> Int64? {
        try file.read { try $0.connection.scalar(sql) }
    }

    func text(_ sql: String) throws -> String? {
        try file.read { try $0.connection.scalarText(sql) }
    }

    /// The first column of all rows.
    func texts(_ sql: String) throws -> [String] {
        try file.read { context in
            let statement = try context.connection.prepare(sql)
            defer { statement.finalize() }
            var result: [String] = []
            while try statement.step() { result.append(statement.text(at: 0)) }
            return result
        }
    }

    // MARK: Checking

    /// Checks the database with the library's checker and, if it is installed, the independent one. Closes the file.
    func checkAndClose(sourceLocation: SourceLocation = #_sourceLocation) throws {
        let findings = try BundleChecker(file).findings()
        #expect(findings == [], sourceLocation: sourceLocation)
        try close()
        let problems = try DatabaseChecker.check(bundle).problems
        #expect(problems == [], sourceLocation: sourceLocation)
    }
}

extension CollectionStore {
    /// Saves properties given as JSON.
    @discardableResult
    func save(_ change: DocumentSave, _ json: String, hasBlobs: Bool = false, in writer: Writer) throws -> DocumentSaveOutcome {
        try save(change, in: writer) { encoder in
            try Array(json.utf8).withUnsafeBytes { bytes in try JSON.parse(bytes, into: &encoder) }
            return hasBlobs
        }
    }
}

extension DocumentRecord {
    /// Calls `read` with the properties. Returns `nil` without calling it if they are damaged.
    func withProperties<Result>(_ read: (DictionaryValue) throws -> Result) rethrows -> Result? {
        try withExtendedLifetime(body) { try body.root?.dictionary.map(read) }
    }

    func canonicalJSON() throws -> String {
        try body.withRoot { root in try JSON.string(root, sharedKeys: sharedKeys, form: .canonical) } ?? "damaged"
    }
}

extension DocumentSaveOutcome {
    /// The revision that was stored.
    var revision: RevisionID? {
        if case .saved(let revision, _) = self { revision } else { nil }
    }

    var sequence: UInt64? {
        if case .saved(_, let sequence) = self { sequence } else { nil }
    }
}

extension TestDatabase {
    /// A connection that the file does not know, like that of another process.
    func foreignConnection() throws -> Connection {
        let connection = try Connection(path: path.sqliteFile, mode: .readWrite)
        connection.busyTimeout = .milliseconds(20)
        return connection
    }

    /// Changes the revision tree of a document like a replication.
    func editTree(of documentID: String, _ change: (inout RevisionTree) -> Void) throws {
        let collection = try self.collection()
        try file.transaction { writer in
            let state = try writer.state(of: collection)
            let row = try #require(try collection.row(of: documentID, state: state, on: writer.context))
            var tree = try row.tree()
            change(&tree)
            _ = try collection.write(tree, over: row, state: state, in: writer)
        }
    }

    func tree(of documentID: String) throws -> RevisionTree {
        let collection = try self.collection()
        return try file.read { context in
            try #require(try collection.row(of: documentID, on: context)).tree()
        }
    }
}

/// Encoded properties that use the existing shared keys of a database.
struct JSONBody {
    let bytes: [UInt8]

    init(_ json: String, _ database: TestDatabase) throws {
        let data = try JSON.fleece(json, sharedKeys: MutableSharedKeys(database.file.sharedKeys))
        bytes = withExtendedLifetime(data) { Array(data.bytes) }
    }
}
