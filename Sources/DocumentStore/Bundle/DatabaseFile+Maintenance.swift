import Fleece
import Foundation
import LogCore
import SQLiteEngine

extension DatabaseFile {
    /// Removes the blobs that no revision of any document refers to, gives free pages back and empties the log
    /// (Storage format 2.3 and 4.5).
    ///
    /// - Throws: `inTransaction` when the calling thread is inside a transaction, which might yet be taken back.
    package func compact() throws {
        guard !isInTransaction else { throw StoreError.inTransaction(path: bundle.directory) }
        var removed = try deleteUnusedBlobs()
        while removed == nil {
            BundleLock.waitForCopies(of: bundle)
            removed = try deleteUnusedBlobs()
        }
        try withWriteLock { try Maintenance.compact($0) }
        logMaintenance("compacted", ", \(removed ?? 0) blobs removed")
    }

    /// Returns how many there were; nil, without having done anything, while a copy of the database is being made, which may need blobs
    /// that are not used any more.
    private func deleteUnusedBlobs() throws -> Int? {
        // Inside a transaction, so that no document can come to refer to a blob that is about to go. Waiting for a copy in
        // here could wait for its own thread: a copy can be made inside a batch.
        try transaction { writer in
            guard let lock = BundleLock(bundle, .deletingBlobs) else { return nil }
            defer { lock.release() }
            // In the place of a bundle that was moved may be another one, whose documents refer to other blobs.
            try writer.checkIsInPlace()
            let referenced = try referencedBlobs(writer)
            try makeLogDurable()
            return try blobs.delete(except: referenced)
        }
    }

    /// Waits until the medium has the log. Commits do not wait for that, so that a power failure may take the last of them back: had
    /// blobs been deleted by then because of these, documents that are there again would lack them.
    private func makeLogDurable() throws(StoreError) {
        for log in [bundle.writeAheadLog, bundle.encryptedLog] where !synchronize(log) && errno != ENOENT {
            throw .system(path: log, code: errno)
        }
    }

    /// Builds all indexes anew.
    package func reindex() throws {
        try withWriteLock { try $0.execute("REINDEX") }
        logMaintenance("built the indexes anew of")
    }

    /// Updates the statistics that queries are planned with: as far as they seem outdated, or completely.
    package func optimize(completely: Bool) throws {
        try withWriteLock { connection in
            try connection.execute(completely ? "PRAGMA analysis_limit=0; ANALYZE" : "PRAGMA analysis_limit=400; PRAGMA optimize")
        }
        logMaintenance("updated the statistics of")
    }

    /// - Throws: `corrupt` with the first thing that is wrong, if anything is.
    package func checkIntegrity() throws {
        let errors = try BundleChecker(self).findings().filter { $0.severity == .error }
        EngineLog.log(errors.isEmpty ? .info : .warning, .database, "checked the database at \(bundle.directory): \(errors.count) errors")
        if let finding = errors.first {
            throw StoreError.corrupt(path: bundle.directory, reason: finding.description)
        }
    }

    private func logMaintenance(_ done: String, _ details: @autoclosure () -> String = "") {
        EngineLog.log(.info, .database, "\(done) the database at \(bundle.directory)\(details())")
    }

    /// Runs statements that cannot stand in a transaction, with the write lock held.
    private func withWriteLock<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        let writer = try writer()
        // What the transaction below has found, once the lock has been given back.
        defer { changes.deliver() }
        return try whileNobodyWrites {
            guard !writer.connection.isClosed else { throw StoreError.notOpen(what: "the database at \(bundle.directory)") }
            // Building an index computes its expressions, which know properties by the numbers of their keys: a transaction
            // begins with reading these, and they stay known.
            try writer.transaction { _ in }
            return try body(writer.connection)
        }
    }

    /// The digests of all blobs in all revisions of the documents that are marked as having any.
    private func referencedBlobs(_ writer: Writer) throws -> Set<BlobDigest> {
        var referenced: Set<BlobDigest> = []
        for id in try collectionIDs() {
            guard let collection = try collection(id) else { continue }
            for table in [collection.tables.live, collection.tables.tombstones].compactMap({ $0 }) {
                let statement = try writer.connection.prepare(
                    "SELECT key, \(collection.tables.rowColumns) FROM \(table) WHERE (flags & 4) != 0"
                )
                defer { statement.finalize() }
                while try statement.step() {
                    let row = try StoredRow(statement, id: statement.text(at: 0), firstColumn: 1, isInTombstoneTable: false)
                    for revision in try row.tree().revisions {
                        guard let body = revision.body else { continue }
                        body.withUnsafeBytes { bytes in
                            guard let root = Value(root: bytes) else { return }
                            referenced.formUnion(BlobReferences.digests(in: root, sharedKeys: writer.context.sharedKeys))
                        }
                    }
                }
            }
        }
        return referenced
    }
}
