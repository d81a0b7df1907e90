import ExactStrings
import Fleece
import Foundation
import LogCore
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
    /// - Throws: ``StoreError`` if the new database exists or cannot be written, or if the header of an encrypted database is damaged, which
    ///   contains what its keys are made of.
    package static func copy(
        _ source: BundlePath,
        to destination: BundlePath,
        options: DatabaseFile.Options,
        progress: (Int) throws -> Void = { _ in }
    ) throws -> SalvageReport {
        var status = stat()
        guard lstat(destination.directory, &status) != 0 else { throw StoreError.alreadyExists(path: destination.directory) }
        try source.checkFiles()
        guard source.holdsDatabase else { throw StoreError.missing(path: source.directory) }
        let head = DatabaseFileHead(ofFileAt: source.sqliteFile)
        if head == .encrypted, options.key == nil { throw StoreError.encrypted(path: source.directory) }
        if head == .encryptedByOriginal, options.key != nil { throw StoreError.encryptedByOriginal(path: source.directory) }
        let replacement = try BundleReplacement(of: destination)
        let made = BundlePath(replacement.unfinished.directory + "/salvaged.cblite2")
        let run: SalvageRun
        do {
            run = try SalvageRun(source, to: made, options)
        } catch let error as EncryptionError {
            throw error == .wrongKey
                ? StoreError.wrongKey(path: source.directory)
                : StoreError.unreadableEncryption(path: source.directory, reason: error.description)
        }
        try run.copy(progress)
        try replacement.installAsNew(made)
        EngineLog.log(.info, .database, "salvaged \(run.report.documents) documents of \(source.directory)")
        return run.report
    }
}

/// The state of a copy.
private final class SalvageRun {
    private let source: BundlePath
    private let made: BundlePath
    private let options: DatabaseFile.Options
    private let encryption: EncryptedFileSystem?
    private let bundle: DamagedBundle
    private var pages: TablePages
    private let writer: SalvageWriter
    private var keys = SharedKeys.empty
    var report = SalvageReport()

    init(_ source: BundlePath, to made: BundlePath, _ options: DatabaseFile.Options) throws {
        (self.source, self.made, self.options) = (source, made, options)
        let log = options.key == nil ? source.writeAheadLog : source.encryptedLog
        encryption = try options.key.map { try EncryptedFileSystem(opening: source.sqliteFile, with: $0) }
        let file = try PageFile(source.sqliteFile, log: log, keys: encryption?.keys)
        var pages = TablePages(file)
        bundle = DamagedBundle(&pages)
        self.pages = pages
        try makePrivateDirectory(made.attachments)
        try encryption?.create(at: made.sqliteFile)
        writer = try SalvageWriter(made, encryption)
        for note in file.notes { report.note("db.sqlite3", note) }
        if !bundle.hasWholeSchema { report.lose("db.sqlite3", "the list of its tables is damaged") }
    }

    func copy(_ progress: (Int) throws -> Void) throws {
        try copyInformation()
        try copyDocuments(progress)
        try copyIndexNames()
        try writer.finish(&report)
        try copyBlobs()
        try check()
        for damage in pages.damages { report.note("page \(damage.page)", damage.message) }
    }

    // MARK: Information

    /// Copies the UUIDs and the shared keys, without which documents cannot be read.
    private func copyInformation() throws {
        var found: [ExactString: [UInt8]] = [:]
        func take(_ record: StoredRecord) {
            guard let key = record.values.first?.text, record.values.count >= 5, let body = record.values[4].bytes else { return }
            found[ExactString(key)] = body
        }
        let damages = pages.damageCount
        let gaps = bundle.infoRoot.map { pages.forEachRow(root: $0, take) }
        if gaps?.isEmpty != true || pages.damageCount > damages {
            // The row may be on a page that no tree leads to any more.
            let known = found
            pages.forEachLostRow { record in
                if record.values.first?.text == InfoStore.sharedKeys || record.values.first?.text == InfoStore.privateUUID { take(record) }
            }
            found.merge(known) { $1 }
        }
        if let bytes = found[ExactString(InfoStore.sharedKeys)] {
            if let decoded = try? bytes.withUnsafeBytes({ bytes throws(FleeceError) in try SharedKeys(encoded: bytes) }) {
                keys = decoded
                try writer.setInformation(InfoStore.sharedKeys, to: bytes)
            } else {
                report.lose("shared keys", "they are damaged: documents that use them cannot be read")
            }
        } else if gaps?.isEmpty != true {
            report.lose("shared keys", "they were not found: documents that use them cannot be read")
        }
        for key in [InfoStore.publicUUID, InfoStore.privateUUID, InfoStore.previousPrivateUUID] {
            if let bytes = found[ExactString(key)], bytes.count == 16 { try writer.setInformation(key, to: bytes) }
        }
        for key in [InfoStore.remotes, InfoStore.maximumTreeDepth] {
            if let bytes = found[ExactString(key)] { try writer.setInformation(key, to: bytes) }
        }
    }

    private func copyIndexNames() throws {
        guard let root = bundle.indexesRoot else { return }
        var names: [String] = []
        _ = pages.forEachRow(root: root) { record in
            if let name = record.values.first?.text { names.append(name) }
        }
        report.indexes = names.sorted()
    }

    // MARK: Documents

    private func copyDocuments(_ progress: (Int) throws -> Void) throws {
        var gaps: [(table: DamagedBundle.DocumentTable, gap: TablePages.Gap)] = []
        for table in bundle.documentTables {
            try writer.createCollection(table.collection)
            let found = try pages.forEachRow(root: table.root) { record in
                guard let row = DamagedRow(record, columns: table.columns) else {
                    return report.lose("\(table.collection.fullName)/row \(record.rowID)", "it is damaged")
                }
                try copy(row, to: table.collection)
                try progress(writer.rowCount)
            }
            gaps += found.map { (table, $0) }
        }
        guard !gaps.isEmpty || !bundle.hasWholeSchema else { return }
        try copyLostRows(gaps, progress)
    }

    /// Copies the rows of pages that no tree leads to. They belong to the table in which rows of their numbers are missing.
    private func copyLostRows(
        _ gaps: [(table: DamagedBundle.DocumentTable, gap: TablePages.Gap)],
        _ progress: (Int) throws -> Void
    ) throws {
        pages.markFreePages()
        let hasSchema = bundle.hasWholeSchema
        try pages.forEachLostRow { record in
            guard let row = DamagedRow(record) else { return }
            let tables = gaps.filter { record.rowID > $0.gap.after && record.rowID <= $0.gap.through }.map(\.table)
            let isTombstone = row.isDeleted
            guard let table = tables.first(where: { $0.isTombstones == isTombstone }) ?? tables.first else {
                // Without the list of tables, nothing tells the collection.
                guard !hasSchema else { return }
                try writer.createCollection(.default)
                return try copy(row, to: .default, isFound: true)
            }
            try copy(row, to: table.collection, isFound: true)
            try progress(writer.rowCount)
        }
        for (table, gap) in gaps {
            report.lose(table.collection.fullName, "page \(gap.page) is lost, with the documents that were not found elsewhere")
        }
    }

    private func copy(_ row: DamagedRow, to collection: CollectionID, isFound: Bool = false) throws {
        let subject = "\(collection.fullName)/\(row.id)"
        var row = row
        do throws(StoreError) {
            try row.check(keys) { revision, reason in report.lose("\(subject) \(revision)", reason) }
        } catch {
            return report.lose(subject, error.description)
        }
        guard try writer.insert(row, into: collection), isFound else { return }
        report.foundOutsideTrees += 1
    }

    // MARK: Blobs

    private func copyBlobs() throws {
        guard let directory = try? BlobDirectory(source.attachments) else {
            return report.lose("Attachments", "the directory of the blobs cannot be read")
        }
        guard let target = try BlobDirectory(made.attachments) else { return }
        let store = BlobStore(directory: source.attachments, cipher: encryption.map { BlobCipher(key: $0.keys.blobs) })
        for digest in try store.digests() {
            do throws(BlobError) {
                guard try store.actualDigest(of: digest) == digest else {
                    report.lose(digest.fileName, "the content does not have this digest")
                    continue
                }
                guard let file = try directory.file(digest.fileName) else { continue }
                defer { file.close() }
                try file.copy(to: digest.fileName, in: target)
            } catch {
                report.lose(digest.fileName, error.description)
            }
        }
    }

    /// Checks the new database: documents may refer to blobs that are lost.
    private func check() throws {
        var reading = options
        reading.isReadOnly = true
        let file = try DatabaseRegistry.open(made.directory, options: reading)
        defer { try? DatabaseRegistry.close(file) }
        let (findings, summary) = try BundleChecker(file).check()
        for finding in findings where finding.severity == .error { report.lose(finding.subject, finding.message) }
        (report.documents, report.tombstones, report.revisions) = (summary.documents, summary.tombstones, summary.revisions)
        (report.collections, report.blobs) = (summary.collections, summary.blobs)
    }
}
