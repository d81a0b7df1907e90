import Base
import Fleece
import Foundation
import SQLiteEngine

/// Copies a database to a file that older releases of Couchbase Lite can open (Storage format 2.2, 2.4, 3.2 and 7).
package enum OlderRelease: String, Sendable, CaseIterable {
    /// Has collections. Version 500.
    case collections = "3.1"
    /// Has trees apart from bodies, and one collection. Version 400.
    case separateTrees = "3.0"
    /// Has the bodies in the trees, and one collection. Version 302; releases 2.7 and later open it.
    case treesWithBodies = "2.8"

    /// What was copied.
    package struct Report: Sendable {
        /// The number of documents, without tombstones.
        package internal(set) var documents = 0
        /// The number of tombstones.
        package internal(set) var tombstones = 0
        /// The names of the indexes, which are not copied.
        package internal(set) var indexes: [String] = []
    }

    var version: FileVersion {
        switch self {
        case .collections: .collections
        case .separateTrees: .separateTrees
        case .treesWithBodies: .purgeCount
        }
    }

    fileprivate var hasCollections: Bool { self == .collections }
    fileprivate var columns: String {
        let common = "key TEXT PRIMARY KEY, sequence INTEGER, flags INTEGER DEFAULT 0, version BLOB, body BLOB"
        return self == .treesWithBodies ? common : common + ", extra BLOB"
    }

    /// Copies documents with their revision trees, tombstones, expirations, blobs, UUIDs and checkpoints. Indexes are not copied: their SQL
    /// differs between releases, and apps create their indexes again. The copy is not encrypted. It appears when it is complete.
    ///
    /// - Parameters:
    ///   - indexNames: Returns the names of the indexes of the database.
    ///   - progress: Called with the number of documents so far; it may throw to stop.
    /// - Throws: `versionVectors` if the documents have version vectors; `cannotDowngrade` if there are documents in collections that the
    ///   release does not have; `alreadyExists`; the errors of reading and writing.
    package func copy(
        _ source: BundlePath,
        to destination: BundlePath,
        options: DatabaseFile.Options,
        indexNames: (DatabaseFile) throws -> [String],
        progress: (Int) throws -> Void = { _ in }
    ) throws -> Report {
        guard !FileManager.default.fileExists(atPath: destination.directory) else {
            throw StoreError.alreadyExists(path: destination.directory)
        }
        var reading = options
        reading.isReadOnly = true
        let file = try DatabaseRegistry.open(source.directory, options: reading)
        defer { DatabaseRegistry.closeLoggingErrors(file) }
        try file.checkHasTrees(for: "release \(rawValue) cannot open them")
        let replacement = try BundleReplacement(of: destination)
        let made = BundlePath(replacement.unfinished.directory + "/converted.cblite2")
        try makePrivateDirectory(made.attachments)
        // Documents and blobs must belong together while others write and compact.
        let lock = BundleLock(source, .copying)
        defer { lock?.release() }
        var report = Report()
        let connection = try Connection(path: made.sqliteFile, mode: .create)
        do {
            try file.read { context in
                try OlderReleaseCopy(self, file, context, connection).run(&report, progress)
            }
            report.indexes = try indexNames(file)
            guard try connection.checkpoint() else { throw StoreError.locked(path: connection.path) }
            try connection.close()
        } catch {
            connection.closeLoggingErrors()
            throw error
        }
        try file.blobs.copyAll(to: BlobStore(directory: made.attachments))
        try replacement.installAsNew(made)
        EngineLog.log(.info, .database, "converted the database at \(source.directory) for release \(rawValue)")
        return report
    }
}

/// The state of a copy.
private struct OlderReleaseCopy {
    private let release: OlderRelease
    private let file: DatabaseFile
    private let context: ConnectionContext
    private let target: Connection

    init(_ release: OlderRelease, _ file: DatabaseFile, _ context: ConnectionContext, _ target: Connection) {
        (self.release, self.file, self.context, self.target) = (release, file, context, target)
    }

    func run(_ report: inout OlderRelease.Report, _ progress: (Int) throws -> Void) throws {
        try target.execute("PRAGMA page_size=4096; PRAGMA encoding='UTF-8'; PRAGMA auto_vacuum=incremental; PRAGMA journal_mode=WAL")
        // The file is not used before it has been flushed completely.
        try target.execute("PRAGMA synchronous=off; BEGIN")
        try target.execute(
            """
            CREATE TABLE kvmeta (name TEXT PRIMARY KEY, lastSeq INTEGER DEFAULT 0, purgeCnt INTEGER DEFAULT 0) WITHOUT ROWID;
            CREATE TABLE kv_info (\(release.columns));
            """
        )
        try copyInformation()
        for store in [StoreName.checkpoints, StoreName.peerCheckpoints] { try copyRawStore(store) }
        for id in try file.collectionIDs() {
            guard let collection = try file.collection(id) else { continue }
            guard release.hasCollections || id.isDefault else {
                try checkIsEmpty(collection)
                continue
            }
            try copy(collection, &report, progress)
        }
        try target.execute("PRAGMA user_version=\(release.version.number); COMMIT")
    }

    private func checkIsEmpty(_ collection: CollectionStore) throws {
        for table in collection.tables.all
        where try context.connection.scalar("SELECT 1 FROM \(table) LIMIT 1") != nil {
            throw StoreError.cannotDowngrade(
                path: file.bundle.directory,
                release: release.rawValue,
                reason: "files of that release have only the default collection, but there are documents in \(collection.id.fullName)"
            )
        }
    }

    private func copyInformation() throws {
        let layout = release == .treesWithBodies ? 0 : InfoStore.treesApartFromBodies
        try InfoStore.set(InfoStore.versioning, to: InfoStore.encode(layout), on: target)
        let kept = [
            InfoStore.publicUUID, InfoStore.privateUUID, InfoStore.previousPrivateUUID, InfoStore.sharedKeys, InfoStore.remotes,
            InfoStore.maximumTreeDepth,
        ]
        for key in kept {
            if let bytes = try InfoStore.bytes(key, on: context.connection) { try InfoStore.set(key, to: bytes, on: target) }
        }
        for key in try file.collectionIDs().map({ InfoStore.identity(of: $0) }) + [InfoStore.lastIdentity] {
            if let bytes = try InfoStore.bytes(key, on: context.connection) { try InfoStore.set(key, to: bytes, on: target) }
        }
    }

    /// Copies a store of checkpoints, so that the next replication goes on where the last one ended.
    private func copyRawStore(_ store: String) throws {
        let escapes = file.version >= .collections
        let from = StoreName.table(store, escapesCapitals: escapes)
        guard try context.connection.contains("table", named: from) else { return }
        let to = StoreName.table(store, escapesCapitals: release.hasCollections).quotedIdentifier
        try target.execute("CREATE TABLE \(to) (\(release.columns))")
        let rows = try context.connection.prepare("SELECT key, version, body FROM \(from.quotedIdentifier)")
        defer { rows.finalize() }
        let insert = try target.prepare("INSERT INTO \(to) (key, version, body) VALUES (?, ?, ?)")
        defer { insert.finalize() }
        while try rows.step() {
            try insert.bindText(rows.text(at: 0), at: 1)
            if rows.isNull(at: 1) { try insert.bindNull(at: 2) } else { try insert.bindBlob(rows.blob(at: 1), at: 2) }
            try insert.bindBlob(rows.blob(at: 2), at: 3)
            try insert.run()
            insert.reset()
        }
    }

    // MARK: Documents

    private func copy(_ collection: CollectionStore, _ report: inout OlderRelease.Report, _ progress: (Int) throws -> Void) throws {
        let source = collection.tables
        let live = StoreName.table(source.store, escapesCapitals: release.hasCollections)
        let tombstones = release.hasCollections ? StoreName.tombstoneTable(source.store) : live
        let hasExpiration =
            try source.hasExpiration
            && source.all.contains {
                try context.connection.scalar("SELECT 1 FROM \($0) WHERE expiration IS NOT NULL LIMIT 1") != nil
            }
        for name in Set(exactly: [live, tombstones]) {
            let table = name.string.quotedIdentifier
            try target.execute("CREATE TABLE \(table) (\(release.columns))")
            guard hasExpiration else { continue }
            // As in those releases, when the first expiration is set.
            try target.execute("ALTER TABLE \(table) ADD COLUMN expiration INTEGER; \(Schema.createExpirationIndex(name.string))")
        }
        for (table, isTombstoneTable) in [(source.live, false), (source.tombstones, true)] {
            guard let table else { continue }
            let rows = try context.connection.prepare("SELECT key, \(source.rowColumns) FROM \(table) ORDER BY rowid")
            defer { rows.finalize() }
            while try rows.step() {
                let row = try StoredRow(rows, id: rows.text(at: 0), firstColumn: 1, isInTombstoneTable: isTombstoneTable)
                let tree = try row.tree()
                let isTombstone = tree.current?.isDeleted == true
                try insert(row, tree, into: isTombstone ? tombstones : live, hasExpiration)
                if isTombstone { report.tombstones += 1 } else { report.documents += 1 }
                try progress(report.documents + report.tombstones)
            }
        }
        let counts = try StoreCounts(of: source.store, on: context.connection)
        let insert = try target.prepare("INSERT INTO kvmeta (name, lastSeq, purgeCnt) VALUES (?, ?, ?)")
        defer { insert.finalize() }
        try insert.bindText(source.store, at: 1)
        try insert.bind(Int64(clamping: counts.lastSequence), at: 2)
        try insert.bind(counts.purgeCount, at: 3)
        try insert.run()
    }

    private func insert(_ row: StoredRow, _ tree: RevisionTree, into table: String, _ hasExpiration: Bool) throws {
        var tree = tree
        let body = tree.revisions[0].body ?? Array(FleeceData.emptyDictionary.bytes)
        var flags: RecordFlags = row.flags.subtracting(.synced)
        if tree.hasConflict { flags.insert(.conflicted) } else { flags.remove(.conflicted) }
        let hasTree = release != .treesWithBodies
        if hasTree { tree.revisions[0].body = nil } else { tree.rejected = [] }
        let columns = (hasTree ? ", extra" : "") + (hasExpiration ? ", expiration" : "")
        let values = (hasTree ? ", ?6" : "") + (hasExpiration ? ", ?7" : "")
        let insert = try target.cachedStatement(
            "INSERT INTO \(table.quotedIdentifier) (key, sequence, flags, version, body\(columns)) VALUES (?1, ?2, ?3, ?4, ?5\(values))"
        )
        defer { insert.reset() }
        try insert.bindText(row.id, at: 1)
        try insert.bind(Int64(clamping: row.sequence), at: 2)
        try insert.bind(Int64(flags.rawValue), at: 3)
        try insert.bindBlob(row.lineage.binary, at: 4)
        try insert.bindBlob(hasTree ? body : tree.encoded(), at: 5)
        if hasTree { try insert.bindBlob(tree.encoded(), at: 6) }
        if hasExpiration {
            if let expiration = row.expiration { try insert.bind(expiration, at: 7) } else { try insert.bindNull(at: 7) }
        }
        try insert.run()
    }
}
