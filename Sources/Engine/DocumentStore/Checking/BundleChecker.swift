import Base
import Fleece
import SQLiteEngine

/// Checks a whole database: the SQLite file, the shared keys, every record with its revisions, the indexes, and the blobs.
///
/// Reads everything in one read snapshot of the database, and changes nothing. Where SQLite gives up at a damaged page, the pages are read
/// without it (``DamagedBundleChecker``), so that all damage is found. Memory does not depend on the number of documents.
package struct BundleChecker {
    /// Called from time to time; an error that it throws ends the check.
    package typealias Progress = (CheckProgress) throws -> Void

    private let file: DatabaseFile

    /// Creates the checker of an open database.
    package init(_ file: DatabaseFile) { self.file = file }

    /// Checks a database, also one that is too damaged to be opened.
    ///
    /// - Throws: The reason why the database cannot be read at all: it does not exist, is locked, or needs another key.
    package static func check(_ path: String, options: DatabaseFile.Options, progress: Progress = { _ in }) throws -> CheckResult {
        var options = options
        options.isReadOnly = true
        let file: DatabaseFile
        do {
            file = try DatabaseRegistry.open(path, options: options)
        } catch let error where DamagedBundleChecker.mayRead(after: error) {
            let damaged = try DamagedFile(BundlePath(path).canonical, options)
            // The file is intact, but is not one of this format.
            if case StoreError.wrongFormat = error, damaged.tables.isComplete, damaged.tables.documentTables.isEmpty { throw error }
            var result = CheckResult()
            result.hasDamagedPages = true
            result.error(.file, "db.sqlite3", "the database cannot be opened: \(error)")
            try DamagedBundleChecker(damaged).check(&result, options, progress)
            return result
        }
        defer { DatabaseRegistry.closeLoggingErrors(file) }
        return try BundleChecker(file).check(progress)
    }

    /// Returns all problems found, in the order in which they were found.
    package func findings() throws -> [Finding] { try check().findings }

    /// Returns all problems found and the numbers of checked objects.
    package func check(_ progress: Progress = { _ in }) throws -> CheckResult {
        try file.read { context in
            // Reading the anchor of the snapshot fails if its page is damaged.
            let anchor = try? context.connection.cachedStatement("SELECT 1 FROM kv_info LIMIT 1")
            defer { anchor?.reset() }
            _ = try? anchor?.step()
            return try check(context, progress)
        }
    }

    private func check(_ context: ConnectionContext, _ progress: Progress) throws -> CheckResult {
        var result = CheckResult()
        let connection = context.connection
        // Checking an index evaluates its expressions, which look up properties by the numbers of their shared keys. Damaged shared
        // keys are reported below.
        try? context.refreshSharedKeys()
        let outdated = (try? context.outdatedIndexes()) ?? OutdatedIndexes()
        try readable("db.sqlite3", &result) {
            try SQLiteFindings.add(to: &$0, connection, file.bundle, file.encryption, outdated, progress)
        }
        try readable("kv_info", &result) { try checkInformation(connection, &$0) }
        try readable("the list of tables", &result) { try checkSchema(connection, &$0) }
        try readable("the full-text indexes", &result) { try checkSharedWords(connection, &$0) }
        let keys = try readable("shared keys", &result) { try checkSharedKeys(connection, &$0) } ?? .empty
        result.sharedKeys = keys.count
        // If the row is damaged, which is reported above, both kinds of records are accepted.
        let versioning = try? InfoStore.integer(InfoStore.versioning, on: connection)
        let hasVersionVectors = versioning.map { $0 == InfoStore.versionVectors } ?? true
        var blobs = BlobReferencesChecker(file.blobs)
        let collections = try readable("the list of tables", &result) { _ in
            try Schema(connection).collections.compactMap { try file.collection($0) }
        }
        let total = (collections ?? []).reduce(0) { $0 + $1.rowEstimate(on: connection) }
        var unreadable: Set<CollectionID> = []
        for collection in collections ?? [] {
            result.collections += 1
            let before = result
            let rows = collection.rowEstimate(on: connection)
            var checker = CollectionChecker(collection.id, keys: keys, hasVersionVectors: hasVersionVectors, rows: rows)
            let isRead: Void? = try readable(collection.id.fullName, &result) { result in
                try checker.check(collection, connection, &result, &blobs) { try progress(.documents($0, of: total)) }
            }
            if isRead == nil {
                // The rows are read from their pages below.
                result = before
                result.hasDamagedPages = true
                unreadable.insert(collection.id)
                continue
            }
            if let support = file.options.indexes {
                _ = try readable("the indexes of \(collection.id.fullName)", &result) { result in
                    for finding in try support.check(collection, context) { result.add(finding) }
                }
            }
        }
        if collections == nil || !unreadable.isEmpty {
            try DamagedBundleChecker(DamagedFile(file.bundle, file.encryption))
                .checkDocuments(of: collections == nil ? nil : unreadable, &result, &blobs, progress)
        }
        try blobs.checkFiles(&result, progress)
        return result
    }

    /// Runs a part of the check. If SQLite cannot read what it needs, that is a finding.
    ///
    /// - Returns: `nil` if the part could not be completed.
    private func readable<Value>(
        _ subject: String,
        _ result: inout CheckResult,
        _ body: (inout CheckResult) throws -> Value
    ) throws -> Value? {
        do {
            return try body(&result)
        } catch let error where DamagedBundleChecker.mayRead(after: error) {
            result.hasDamagedPages = true
            result.error(.table, subject, "it cannot be read completely: \(error)")
            return nil
        }
    }

    private func checkInformation(_ connection: Connection, _ result: inout CheckResult) throws {
        for key in [InfoStore.publicUUID, InfoStore.privateUUID] {
            if let bytes = try InfoStore.bytes(key, on: connection), bytes.count != 16 {
                result.warning(.information, "kv_info/\(key)", "has \(bytes.count) bytes instead of 16")
            }
        }
    }

    private func checkSchema(_ connection: Connection, _ result: inout CheckResult) throws {
        let foreign = try ForeignSchema(connection)
        for name in foreign.views { result.warning(.table, name, "it is a view of another program, and is never used") }
        // Such a file is not opened; another program may have changed it since.
        for name in foreign.changedTables { result.error(.table, name, "it has \(ForeignSchema.changes)") }
        for name in foreign.triggers {
            result.warning(.table, name, "it is a trigger of another program, and is removed when the database is opened for writing")
        }
        guard try connection.contains("table", named: "indexes") else { return }
        let statement = try connection.prepare("SELECT name, indexTableName FROM indexes WHERE indexTableName IS NOT NULL ORDER BY name")
        defer { statement.finalize() }
        while try statement.step() {
            let (name, table) = (statement.text(at: 0), statement.text(at: 1))
            guard !IndexTables.isIndexTable(table) else { continue }
            result.warning(.index, "index \(name)", "its registered table \"\(table)\" is not an index table")
        }
    }

    /// Reports the full-text indexes whose text Couchbase Lite would split into other words (Query 6.9).
    private func checkSharedWords(_ connection: Connection, _ result: inout CheckResult) throws {
        let statement = try connection.prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND instr(sql, ?)")
        defer { statement.finalize() }
        try statement.bindText(FullTextLanguage.wordBreaksMark, at: 1)
        while try statement.step() {
            result.warning(
                .index,
                statement.text(at: 0),
                "text is split into words with this system's dictionaries: Couchbase Lite finds other words, and leaves the index "
                    + "malformed when it changes documents"
            )
        }
    }

    private func checkSharedKeys(_ connection: Connection, _ result: inout CheckResult) throws -> SharedKeys {
        guard let bytes = try InfoStore.bytes(InfoStore.sharedKeys, on: connection) else { return .empty }
        return result.checkSharedKeys(bytes)
    }
}

extension CheckResult {
    /// Decodes the shared keys.
    mutating func checkSharedKeys(_ bytes: [UInt8]) -> SharedKeys {
        do throws(FleeceError) {
            let keys = try bytes.withUnsafeBytes { bytes throws(FleeceError) in try SharedKeys(encoded: bytes) }
            if Set(exactly: keys.keys).count != keys.count { error(.information, "shared keys", "a key occurs twice") }
            for key in keys.keys where key.utf8.count > SharedKeys.maximumKeyLength {
                warning(.information, "shared keys", "\"\(key)\" is too long to be shared")
            }
            return keys
        } catch let failure {
            error(.information, "shared keys", failure.description)
            return .empty
        }
    }
}

extension CollectionStore {
    /// Returns about how many rows the collection has, without counting them.
    fileprivate func rowEstimate(on connection: Connection) -> Int {
        tables.all.reduce(0) { sum, table in
            // For the progress only. The check itself reports a damaged table.
            let highest = (try? connection.scalar("SELECT max(rowid) FROM \(table)")) ?? nil
            return sum + Int(clamping: min(max(highest ?? 0, 0), Int64(Int32.max)))
        }
    }
}
