import Base
import Fleece
import Foundation
import SQLiteEngine

/// Copies what can be read of a damaged database into a new one. The pages of the file are read without SQLite, which gives up at the first
/// damaged one.
package enum Salvage {
    /// Copies documents with their revision trees, tombstones, expirations and blobs. Indexes and checkpoints are not copied.
    ///
    /// The new database has the UUIDs and the key of the damaged one. It appears when it is complete. Memory does not depend on the number of
    /// documents, except for one byte for each page.
    ///
    /// - Parameter progress: Called with the number of documents so far; it may throw to stop.
    /// - Throws: ``StoreError`` if the new database exists or cannot be written, or if the database is encrypted and its header is damaged:
    ///   without the header, the keys of the pages cannot be computed.
    package static func copy(
        _ source: BundlePath,
        to destination: BundlePath,
        options: DatabaseFile.Options,
        progress: (Int) throws -> Void = { _ in }
    ) throws -> SalvageReport {
        var status = stat()
        guard lstat(destination.directory, &status) != 0 else { throw StoreError.alreadyExists(path: destination.directory) }
        let file = try DamagedFile(source, options)
        let replacement = try BundleReplacement(of: destination)
        let made = BundlePath(replacement.unfinished.directory + "/salvaged.cblite2")
        let run = try SalvageRun(file, to: made, options)
        try run.copy(progress)
        try replacement.installAsNew(made)
        EngineLog.log(.info, .database, "salvaged \(run.report.contents.documents) documents of \(source.directory)")
        return run.report
    }
}

/// The state of a copy.
final class SalvageRun {
    private let source: DamagedFile
    /// Whether checkpoints, the definitions of indexes and damaged blobs are copied too.
    private let copiesEverything: Bool
    private let made: BundlePath
    private let options: DatabaseFile.Options
    private let writer: SalvageWriter
    private var keys = SharedKeys.empty
    /// Whether the new database is marked as one with version vectors.
    private var hasVersionVectors = false
    private(set) var report = SalvageReport()

    init(_ source: DamagedFile, to made: BundlePath, _ options: DatabaseFile.Options, copiesEverything: Bool = false) throws {
        (self.source, self.made, self.options, self.copiesEverything) = (source, made, options, copiesEverything)
        try makePrivateDirectory(made.attachments)
        try source.encryption?.create(at: made.sqliteFile)
        writer = try SalvageWriter(made, source.encryption)
        for note in source.notes { report.note("db.sqlite3", note) }
        if !source.tables.isComplete { report.lose(.table, "db.sqlite3", "the list of its tables is damaged") }
        for note in source.tables.notes {
            switch note {
            case .found(let message): report.note("the list of tables", message)
            case .unnamed(let message): report.lose(.table, "the list of tables", message)
            }
        }
    }

    func copy(_ progress: (Int) throws -> Void) throws {
        try copyInformation()
        for table in source.tables.documentTables { try writer.createCollection(table.collection) }
        var reportedPages: Set<Int> = []
        try source.forEachDocument { found in
            try copy(found)
            try progress(writer.rowCount)
        } lost: { part in
            if let page = part.page { reportedPages.insert(page) }
            // A repair is only done if nothing had to be searched: what was found elsewhere may be an older state.
            if part.isFoundElsewhere, !copiesEverything {
                report.note(part.subject, part.message)
            } else {
                report.lose(part.kind, part.subject, part.message)
            }
        }
        // Each table is read once: pages that are read again are taken for those of two trees.
        let indexes = source.rows(ofTable: SalvageRun.indexTable)
        let vectorIndexes = source.rows(ofTable: VectorIndexTables.registry)
        report.indexes =
            ((indexes ?? []).compactMap { $0.values.first?.text }
            // The third column is the name.
            + (vectorIndexes ?? []).compactMap { $0.values.dropFirst(2).first?.text }).sorted()
        if copiesEverything { try copyOtherTables(indexes: indexes, vectorIndexes: vectorIndexes) }
        try writer.finish(&report)
        try copyBlobs()
        try check()
        for damage in source.damages where !reportedPages.contains(damage.page) {
            report.note("page \(damage.page)", damage.message)
        }
    }

    /// Copies the UUIDs and the shared keys, without which documents cannot be read.
    private func copyInformation() throws {
        let information = source.information
        if let bytes = information[InfoStore.sharedKeys] {
            // The report says so.
            if let decoded = try? bytes.withUnsafeBytes({ bytes throws(FleeceError) in try SharedKeys(encoded: bytes) }) {
                keys = decoded
                try writer.setInformation(InfoStore.sharedKeys, to: bytes)
            } else {
                report.lose(.information, "shared keys", "they are damaged: documents that use them cannot be read")
            }
        } else if !information.isComplete {
            report.lose(.information, "shared keys", "they were not found: documents that use them cannot be read")
        }
        for key in [InfoStore.publicUUID, InfoStore.privateUUID, InfoStore.previousPrivateUUID] {
            if let bytes = information[key], bytes.count == 16 { try writer.setInformation(key, to: bytes) }
        }
        if information.hasVersionVectors { try setVersionVectors() }
        let kept = [
            InfoStore.remotes, InfoStore.remotesWithTrees, InfoStore.maximumTreeDepth, InfoStore.contentVersion,
            InfoStore.misplacedTombstones,
        ]
        for key in kept {
            if let bytes = information[key] { try writer.setInformation(key, to: bytes) }
        }
    }

    private func setVersionVectors() throws {
        guard !hasVersionVectors else { return }
        hasVersionVectors = true
        try writer.setInformation(InfoStore.versioning, to: InfoStore.encode(InfoStore.versionVectors))
    }

    private func copy(_ found: DamagedFile.FoundRow) throws {
        let subject = "\(found.collection.fullName)/\(found.row.id)"
        var row = found.row
        do throws(StoreError) {
            try row.check(keys) { revision, reason in report.lose(.document, "\(subject) \(revision)", reason) }
        } catch {
            return report.lose(.document, subject, error.description)
        }
        if row.isOfVersions, !hasVersionVectors {
            // The row that says so may be lost.
            guard source.information[InfoStore.versioning] == nil else {
                return report.lose(.document, subject, "it has the form of a record of 4.x, but its database has revision trees")
            }
            try setVersionVectors()
        }
        try writer.createCollection(found.collection)
        guard try writer.insert(row, into: found.collection), found.isOutsideTrees else { return }
        report.foundOutsideTrees += 1
    }

    // MARK: Other tables

    private static let indexTable = "indexes"

    /// Copies everything else that is stored, and the definitions of indexes; `nil` if those are damaged.
    private func copyOtherTables(indexes: [StoredRecord]?, vectorIndexes: [StoredRecord]?) throws {
        let counts = source.storeCounts()
        if let counts {
            try writer.setCounts(counts)
        } else {
            report.note("kvmeta", "it is damaged: the next replication compares all documents")
        }
        for table in source.tables.otherTables where table.isRawStore {
            let store = StoreName.store(ofTable: table.name)
            // Without the last sequences, sequences are assigned again, and a checkpoint would skip the documents that get them.
            if counts == nil, store == StoreName.checkpoints || store == StoreName.peerCheckpoints { continue }
            let rows = store == StoreName.info ? informationRows() : source.rows(ofTable: table.name)
            if let rows {
                try writer.copyTable(table.name, Schema.createTable(table.name), columns: table.columns, rows)
            } else {
                report.note(table.name, "it is damaged, and was left out")
            }
        }
        // The tables of vector indexes are filled from the documents later (Vector search FL-1).
        try copy(vectorIndexes, to: VectorIndexTables.registry, VectorIndexTables.createRegistry, "the definitions of the vector indexes")
        try copy(indexes, to: Self.indexTable, IndexTables.createRegistry, "the definitions of the indexes")
    }

    /// Copies the rows of a table, if the file has it.
    ///
    /// - Parameter rows: The rows; `nil` if the table is damaged.
    private func copy(_ rows: [StoredRecord]?, to name: String, _ creation: String, _ title: String) throws {
        guard let table = source.tables.table(named: name) else { return }
        guard let rows else { return report.lose(.table, name, "\(title) are damaged") }
        try writer.copyTable(name, creation, columns: table.columns, rows)
    }

    /// The rows of `kv_info`, except the one that tells how documents are stored, which the new file has.
    private func informationRows() -> [StoredRecord] {
        source.information.rows.filter { !$0.key.string.isExactly(InfoStore.versioning) }.map(\.value)
    }

    // MARK: Blobs

    private func copyBlobs() throws {
        guard let directory = openBlobs() else { return }
        guard let target = try BlobDirectory(made.attachments) else { return }
        let store = BlobStore(directory: source.bundle.attachments, cipher: source.encryption.map { BlobCipher(key: $0.keys.blobs) })
        for digest in try store.digests() {
            do throws(BlobError) {
                if !copiesEverything, try store.actualDigest(of: digest) != digest {
                    report.lose(.blob, digest.fileName, "the content does not have this digest")
                    continue
                }
                guard let file = try directory.file(digest.fileName) else { continue }
                defer { file.close() }
                try file.copy(to: digest.fileName, in: target)
            } catch {
                report.lose(.blob, digest.fileName, error.description)
            }
        }
    }

    /// Opens the directory of the blobs. Returns `nil` if it does not exist, which is valid for a database without blobs: documents that refer
    /// to missing blobs are found by the check of the new database.
    private func openBlobs() -> BlobDirectory? {
        do throws(BlobError) {
            return try BlobDirectory(source.bundle.attachments)
        } catch {
            report.lose(.blob, "Attachments", "the directory of the blobs cannot be read: \(error.description)")
            return nil
        }
    }

    /// Checks the new database: documents may refer to blobs that are lost.
    private func check() throws {
        var reading = options
        reading.isReadOnly = true
        // The indexes do not exist yet.
        reading.indexes = nil
        let file = try DatabaseRegistry.open(made.directory, options: reading)
        defer { DatabaseRegistry.closeLoggingErrors(file) }
        let result = try BundleChecker(file).check()
        for finding in result.findings where finding.severity == .error { report.lose(finding.kind, finding.subject, finding.message) }
        report.contents = result
    }
}

/// What was copied from a damaged database, and what was lost.
package struct SalvageReport: Sendable {
    /// Something that was not copied, or not as it was.
    package struct Loss: Sendable {
        /// What was lost; it determines the form of ``subject``.
        package let kind: Finding.Kind
        /// A document as `collection/id`, the file name of a blob, a page, or a table.
        package let subject: String
        /// What was lost and why, or what was changed.
        package let message: String
        /// Whether the content exists, but was changed to be stored: not a loss of data.
        package let isNote: Bool
    }

    /// What a check has found in the new database.
    package internal(set) var contents = CheckResult()
    /// The documents, of those copied, that were found on pages that no tree leads to.
    package internal(set) var foundOutsideTrees = 0
    /// The losses and notes in the order in which they occurred; of very many, only the first.
    package internal(set) var losses: [Loss] = []
    /// The number of all losses; of very many, only the first are kept.
    package internal(set) var lossCount = 0
    /// The names of the indexes of the damaged database, which are not copied.
    package internal(set) var indexes: [String] = []

    private static let maximumLosses = 10_000

    /// The number of losses that are not blobs.
    package internal(set) var lossCountWithoutBlobs = 0

    mutating func lose(_ kind: Finding.Kind, _ subject: String, _ message: String) {
        lossCount += 1
        if kind != .blob { lossCountWithoutBlobs += 1 }
        if losses.count < Self.maximumLosses { losses.append(Loss(kind: kind, subject: subject, message: message, isNote: false)) }
    }

    mutating func note(_ subject: String, _ message: String) {
        if losses.count < Self.maximumLosses { losses.append(Loss(kind: .file, subject: subject, message: message, isNote: true)) }
    }
}
