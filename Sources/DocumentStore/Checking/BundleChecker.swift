import ExactStrings
import Fleece
import SQLiteEngine

/// Checks a whole database: the SQLite file, the shared keys, every record with its revisions, the indexes, and the blobs.
///
/// Reads everything in one read snapshot of the database, and changes nothing.
package struct BundleChecker {
    private let file: DatabaseFile

    package init(_ file: DatabaseFile) {
        self.file = file
    }

    /// The numbers of checked objects.
    package struct Summary: Sendable, Equatable {
        package var documents = 0
        package var tombstones = 0
        package var revisions = 0
        /// The number of revisions whose ID is not the digest of their body. This is not an error: servers generate other IDs.
        package var foreignRevisionIDs = 0
        package var collections = 0
        package var blobs = 0
        package var sharedKeys = 0

        package init() {}
    }

    /// Returns all problems found, in the order in which they were found.
    package func findings() throws -> [Finding] {
        try check().findings
    }

    /// Returns all problems found and the numbers of checked objects.
    package func check() throws -> (findings: [Finding], summary: Summary) {
        try file.read { context in
            try context.withOneView { try check(context) }
        }
    }

    private func check(_ context: ConnectionContext) throws -> (findings: [Finding], summary: Summary) {
        var report = Report()
        // Checking an index evaluates its expressions, which look up properties by the numbers of their shared keys. Damaged shared
        // keys are reported below.
        try? context.refreshSharedKeys()
        try checkSQLite(context.connection, &report)
        try checkSchema(context.connection, &report)
        try checkSharedWords(context.connection, &report)
        let keys = try checkSharedKeys(context.connection, &report)
        report.summary.sharedKeys = keys.count
        for id in try Schema(context.connection).collections {
            guard let collection = try file.collection(id) else { continue }
            report.summary.collections += 1
            var checker = CollectionChecker(collection, keys: keys, blobs: file.blobs)
            try checker.check(context.connection, &report)
            if let support = file.options.indexes { report.findings += try support.check(collection, context) }
        }
        checkBlobs(&report)
        return (report.findings, report.summary)
    }

    private func checkSQLite(_ connection: Connection, _ report: inout Report) throws {
        let statement = try connection.prepare("PRAGMA integrity_check(20)")
        defer { statement.finalize() }
        while try statement.step() {
            let message = statement.text(at: 0)
            if message != "ok" { report.error("db.sqlite3", message) }
        }
        for key in [InfoStore.publicUUID, InfoStore.privateUUID] {
            if let bytes = try InfoStore.bytes(key, on: connection), bytes.count != 16 {
                report.warning("kv_info/\(key)", "has \(bytes.count) bytes instead of 16")
            }
        }
    }

    private func checkSchema(_ connection: Connection, _ report: inout Report) throws {
        let foreign = try ForeignSchema(connection)
        for name in foreign.views { report.warning(name, "it is a view of another program, and is never used") }
        // Such a file is not opened; another program may have changed it since.
        for name in foreign.changedTables { report.error(name, "it has \(ForeignSchema.changes)") }
        for name in foreign.triggers {
            report.warning(name, "it is a trigger of another program, and is removed when the database is opened for writing")
        }
        guard try connection.contains("table", named: "indexes") else { return }
        let statement = try connection.prepare("SELECT name, indexTableName FROM indexes WHERE indexTableName IS NOT NULL ORDER BY name")
        defer { statement.finalize() }
        while try statement.step() {
            let (name, table) = (statement.text(at: 0), statement.text(at: 1))
            guard !IndexTables.isIndexTable(table) else { continue }
            report.warning("index \(name)", "its registered table \"\(table)\" is not an index table")
        }
    }

    /// Reports the full-text indexes whose text Couchbase Lite would split into other words (Query 6.9).
    private func checkSharedWords(_ connection: Connection, _ report: inout Report) throws {
        let statement = try connection.prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND instr(sql, ?)")
        defer { statement.finalize() }
        try statement.bindText(FullTextLanguage.wordBreaksMark, at: 1)
        while try statement.step() {
            report.warning(
                statement.text(at: 0),
                "text is split into words with this system's dictionaries: Couchbase Lite finds other words, and leaves the index "
                    + "malformed when it changes documents"
            )
        }
    }

    private func checkSharedKeys(_ connection: Connection, _ report: inout Report) throws -> SharedKeys {
        guard let bytes = try InfoStore.bytes(InfoStore.sharedKeys, on: connection) else { return .empty }
        do throws(FleeceError) {
            let keys = try bytes.withUnsafeBytes { bytes throws(FleeceError) in try SharedKeys(encoded: bytes) }
            if Set(exactly: keys.keys).count != keys.count { report.error("shared keys", "a key occurs twice") }
            for key in keys.keys where key.utf8.count > SharedKeys.maximumKeyLength {
                report.warning("shared keys", "\"\(key)\" is too long to be shared")
            }
            return keys
        } catch {
            report.error("shared keys", error.description)
            return .empty
        }
    }

    private func checkBlobs(_ report: inout Report) {
        let digests: [BlobDigest]
        do throws(BlobError) {
            for name in try file.blobs.foreignEntries() {
                report.warning(name, "it is a symbolic link or another entry that is not a file, and is ignored")
            }
            digests = try file.blobs.digests()
        } catch {
            report.error("Attachments", error.description)
            return
        }
        for digest in digests {
            report.summary.blobs += 1
            do throws(BlobError) {
                if try file.blobs.actualDigest(of: digest) != digest {
                    report.error(digest.fileName, "the content does not have this digest")
                }
            } catch {
                report.error(digest.fileName, error.description)
            }
        }
    }
}

/// The findings and counts collected so far by a check.
struct Report {
    var findings: [Finding] = []
    var summary = BundleChecker.Summary()

    mutating func error(_ subject: String, _ message: String) {
        findings.append(Finding(severity: .error, subject: subject, message: message))
    }

    mutating func warning(_ subject: String, _ message: String) {
        findings.append(Finding(severity: .warning, subject: subject, message: message))
    }
}
