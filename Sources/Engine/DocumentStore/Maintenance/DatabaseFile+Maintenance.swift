import Base
import Fleece
import Foundation
import SQLiteEngine

extension DatabaseFile {
    /// Removes the blobs that no revision of any document refers to, releases free pages and truncates the write-ahead log (Storage format
    /// 2.3 and 4.5). Waits while the database is being copied.
    ///
    /// - Parameter progress: Called with the number of pages that were released or rewritten, and of all that will be; it may throw to stop.
    ///   Pages that were released are not taken again then.
    /// - Throws: `inTransaction` if the calling thread is inside a transaction, because it could still be rolled back; what `progress` throws.
    package func compact(progress: (Int, _ total: Int) throws -> Void = { _, _ in }) throws {
        guard !isInTransaction else { throw StoreError.inTransaction(path: bundle.directory) }
        try moveMisplacedTombstones()
        var removed = try deleteUnusedBlobs()
        while removed == nil {
            BundleLock.waitForCopies(of: bundle)
            removed = try deleteUnusedBlobs()
        }
        try withWriteLock { connection in
            readers.endIdleSnapshots()
            let keys = try writer().context.sharedKeys.count
            guard try Maintenance.compact(connection, progress) else { return }
            // Another process may have added shared keys, and documents that use them, before the file was rewritten.
            try writer().transaction { writer in
                if writer.context.sharedKeys.count != keys { try rebuildIndexes(writer) }
            }
        }
        logMaintenance("compacted", ", \(removed ?? 0) blobs removed")
    }

    /// Moves the tombstones of the default collection that are not in their own table, if the database has version vectors.
    private func moveMisplacedTombstones() throws {
        guard try hasVersionVectors(), let collection = try self.collection(.default) else { return }
        while try transaction({ try MisplacedTombstones(of: collection, $0).moveSlice() }) {}
    }

    /// Deletes unused blobs and returns their number. Returns `nil` without deleting anything while the database is being copied, because
    /// the copy may need blobs that are not used any more.
    private func deleteUnusedBlobs() throws -> Int? {
        // Inside a transaction, so that no document can start to refer to a blob that is about to be deleted. Waiting for a copy here could
        // be a deadlock, because a copy can be made inside a batch of the same thread.
        try transaction { writer in
            guard let lock = BundleLock(bundle, .deletingBlobs) else { return nil }
            defer { lock.release() }
            // A moved bundle may have been replaced by another one, whose documents refer to other blobs.
            try writer.checkIsInPlace()
            let referenced = try referencedBlobs(writer)
            try makeLogDurable()
            return try blobs.delete(except: referenced)
        }
    }

    /// Flushes the write-ahead log to the medium. Commits do not wait for that, so a power failure may undo the last of them. Without this
    /// flush, restored documents could refer to blobs that were deleted because of the lost commits.
    private func makeLogDurable() throws(StoreError) {
        for log in [bundle.writeAheadLog, bundle.encryptedLog] where !synchronize(log) && errno != ENOENT {
            throw .system(path: log, code: errno)
        }
    }

    /// Rebuilds all indexes.
    package func reindex() throws {
        guard !isInTransaction else { throw StoreError.inTransaction(path: bundle.directory) }
        try transaction { try rebuildIndexes($0) }
        logMaintenance("rebuilt the indexes of")
    }

    /// Building an index evaluates its expressions, which look up properties by the numbers of their shared keys: these are read at the start of
    /// the transaction, and do not change during it.
    private func rebuildIndexes(_ writer: Writer) throws {
        try writer.connection.execute("REINDEX")
        writer.noteIndexChange(ofAll: true)
    }

    /// Updates the statistics used for planning queries.
    ///
    /// - Parameter completely: Whether all statistics are updated, or only those that seem outdated.
    package func optimize(completely: Bool) throws {
        try withWriteLock { connection in
            if completely { try connection.execute("PRAGMA analysis_limit=0; ANALYZE") } else { try Maintenance.analyze(connection) }
        }
        logMaintenance("updated the statistics of")
    }

    /// Checks the whole database.
    ///
    /// - Throws: `corrupt` with the first error found.
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

    /// Runs statements that are not allowed in a transaction, while holding the write lock.
    private func withWriteLock<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        let writer = try self.writer()
        // Delivers the changes found by the transaction below, after the lock has been released.
        defer { changes.deliver() }
        return try withWritersBlocked {
            guard !writer.connection.isClosed else { throw StoreError.notOpen(what: "the database at \(bundle.directory)") }
            // Building an index evaluates its expressions, which look up properties by the numbers of their shared keys. A transaction
            // reads the keys at its start, and they stay cached afterwards.
            try writer.transaction { _ in }
            return try body(writer.connection)
        }
    }

    /// Returns the digests of all blobs in all revisions of the documents that are flagged to have blobs.
    private func referencedBlobs(_ writer: Writer) throws -> Set<BlobDigest> {
        var referenced: Set<BlobDigest> = []
        for id in try collectionIDs() {
            guard let collection = try self.collection(id) else { continue }
            for table in collection.tables.all {
                let statement = try writer.connection.prepare(
                    "SELECT key, \(collection.tables.rowColumns) FROM \(table) WHERE (flags & 4) != 0"
                )
                defer { statement.finalize() }
                while try statement.step() {
                    let row = try StoredRow(statement, id: statement.text(at: 0), firstColumn: 1, isInTombstoneTable: false)
                    for body in try row.revisions().bodies {
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

/// Reduces the size of a file and updates the statistics for query plans (Storage format 2.3).
enum Maintenance {
    /// Optimizes a file when it is closed. Errors are ignored, because nothing depends on it.
    static func cleanUp(_ connection: Connection) {
        // Closing must not wait for another process's write.
        connection.busyTimeout = .zero
        try? analyze(connection)
        // Without these numbers, the free pages stay for the next time.
        let free = (try? connection.scalar("PRAGMA freelist_count")) ?? nil
        let pages = (try? connection.scalar("PRAGMA page_count")) ?? nil
        let size = (try? connection.scalar("PRAGMA page_size")) ?? nil
        if let free, let pages, let size, free * 4 > pages || free * size > 10 << 20 {
            try? connection.execute("PRAGMA incremental_vacuum")
        }
    }

    /// Releases free pages and truncates the log. A file that does not support incremental vacuum is rewritten once.
    ///
    /// - Returns: Whether the file was rewritten with its indexes.
    static func compact(_ connection: Connection, _ progress: (Int, _ total: Int) throws -> Void) throws -> Bool {
        try analyze(connection)
        let isRewritten = try connection.scalar("PRAGMA auto_vacuum") == 0 && !hasRowIDReferences(connection)
        if isRewritten {
            let pages = Int(clamping: try connection.scalar("PRAGMA page_count") ?? 0)
            let total = try Double(StepEstimate.stepsOfVacuum(on: connection))
            try connection.reportingSteps { steps in
                try progress(Int(min(Double(steps) / total, 1) * Double(pages)), pages)
            } _: {
                try connection.execute("PRAGMA auto_vacuum=incremental; VACUUM")
            }
        } else {
            try releaseFreePages(connection, progress)
        }
        try connection.checkpoint()
        return isRewritten
    }

    /// The number of rows from which the statistics of a table are worth more than the assumptions without them.
    ///
    /// Statistics of a small table say that reading all of it costs nothing. They stay when the table grows, until the next analysis, and
    /// then queries read all rows again and again.
    private static let analyzedRows = 1000

    /// Updates the statistics for query plans (`sqlite_stat1`) of the tables that need it according to SQLite, but of no small tables:
    /// SQLite analyzes those too since 3.46.
    fileprivate static func analyze(_ connection: Connection) throws {
        try connection.execute("PRAGMA analysis_limit=400")
        if try connection.contains("table", named: "sqlite_stat1") {
            // The first number of an index is that of its rows, which is smaller than that of the table if it is a partial one.
            let small = "SELECT tbl FROM sqlite_stat1 GROUP BY tbl HAVING max(CAST(stat AS INTEGER)) < \(analyzedRows)"
            if try connection.scalar("SELECT 1 FROM sqlite_stat1 WHERE tbl IN (\(small)) LIMIT 1") != nil {
                try connection.execute("DELETE FROM sqlite_stat1 WHERE tbl IN (\(small))")
            }
        }
        // With these flags the statement returns the names of the tables, in statements that would analyze them.
        for statement in try connection.texts("PRAGMA main.optimize(3)") {
            guard let name = statement.firstMatch(of: /^ANALYZE "main"\.(".*")$/)?.1,
                try connection.scalar("SELECT 1 FROM \(name) LIMIT 1 OFFSET \(analyzedRows - 1)") != nil
            else { continue }
            try connection.execute("ANALYZE main.\(name)")
        }
    }

    /// Moves pages from the end of the file to the free ones. Each step of the statement releases one page. If the statement is ended early,
    /// the pages that were released stay so.
    private static func releaseFreePages(_ connection: Connection, _ progress: (Int, _ total: Int) throws -> Void) throws {
        let total = Int(clamping: try connection.scalar("PRAGMA freelist_count") ?? 0)
        let statement = try connection.prepare("PRAGMA incremental_vacuum")
        defer { statement.finalize() }
        var released = 0
        while try statement.step() {
            released += 1
            if released & 0x3F == 0 { try progress(min(released, total), total) }
        }
    }

    /// Returns whether index tables refer to documents by row id, which could change if the file were rewritten (Storage format 2.4).
    private static func hasRowIDReferences(_ connection: Connection) throws -> Bool {
        try connection.scalar(
            "SELECT 1 FROM sqlite_master WHERE type = 'table' AND (name GLOB 'kv_*::*' OR sql LIKE '%docid INTEGER%') LIMIT 1"
        )
            != nil
    }
}
