import Base
import Fleece
import SQLiteEngine

/// A damaged database file that is read without SQLite: the list of tables, the properties of the database, and its documents, as far as
/// their pages are intact.
final class DamagedFile {
    let bundle: BundlePath
    let encryption: EncryptedFileSystem?
    let tables: DamagedTables
    private var pages: TablePages
    /// What is wrong with the files as a whole.
    let notes: [String]

    /// What is wrong with single pages.
    var damages: [TablePages.Damage] { pages.damages }

    /// - Throws: ``StoreError`` if there is no database, the key is wrong, or the file is encrypted and its header is damaged: without the
    ///   header, the keys of the pages cannot be computed.
    convenience init(_ bundle: BundlePath, _ options: DatabaseFile.Options) throws {
        try bundle.checkFiles()
        guard bundle.holdsDatabase else { throw StoreError.missing(path: bundle.directory) }
        let head = DatabaseFileHead(ofFileAt: bundle.sqliteFile)
        if head == .encrypted, options.key == nil { throw StoreError.encrypted(path: bundle.directory) }
        if head == .encryptedByOriginal, options.key != nil { throw StoreError.encryptedByOriginal(path: bundle.directory) }
        let encryption: EncryptedFileSystem?
        do {
            encryption = try options.key.map { try EncryptedFileSystem(opening: bundle.sqliteFile, with: $0) }
        } catch let error as EncryptionError {
            throw error == .wrongKey
                ? StoreError.wrongKey(path: bundle.directory)
                : StoreError.unreadableEncryption(path: bundle.directory, reason: error.description)
        }
        try self.init(bundle, encryption)
    }

    init(_ bundle: BundlePath, _ encryption: EncryptedFileSystem?) throws {
        (self.bundle, self.encryption) = (bundle, encryption)
        let file = try PageFile(bundle, encryption)
        var pages = TablePages(file)
        tables = DamagedTables(&pages)
        notes = file.notes
        self.pages = pages
    }

    // MARK: Information

    /// The rows of `kv_info`, by their keys, without which documents cannot be read.
    struct Information {
        let rows: [ExactString: StoredRecord]
        /// Whether no row can be missing.
        let isComplete: Bool

        subscript(key: String) -> [UInt8]? { rows[ExactString(key)]?.values[4].bytes }

        /// Whether the documents have version vectors, which are not supported.
        var hasVersionVectors: Bool { self[InfoStore.versioning] == InfoStore.encode(InfoStore.versionVectors) }
    }

    private(set) lazy var information = readInformation()

    private func readInformation() -> Information {
        var found: [ExactString: StoredRecord] = [:]
        func add(_ record: StoredRecord) {
            guard let key = record.values.first?.text, record.values.count >= 5, record.values[4].bytes != nil else { return }
            found[ExactString(key)] = record
        }
        let damages = pages.damageCount
        let gaps = tables.table(named: StoreName.table(StoreName.info)).map { pages.forEachRow(root: $0.root, add) }
        let isComplete = gaps?.isEmpty == true
        if !isComplete || pages.damageCount > damages {
            // The row may be on a page that no tree leads to any more.
            let known = found
            pages.forEachLostRow { record in
                if record.values.first?.text == InfoStore.sharedKeys || record.values.first?.text == InfoStore.privateUUID { add(record) }
            }
            found.merge(known) { $1 }
        }
        return Information(rows: found, isComplete: isComplete)
    }

    /// Returns the counters of the collections as SQLite reads them, because their table has no pages of rows; `nil` if it cannot.
    func storeCounts() -> [ExactString: StoreCounts]? { withConnection { try? StoreCounts.all(on: $0) } ?? nil }

    /// Runs `body` with a connection to the file, which may fail for every statement; `nil` if the file cannot be opened.
    func withConnection<Result>(_ body: (Connection) -> Result) -> Result? {
        let cleanup = LogFileCleanup(before: bundle)
        defer { cleanup.remove() }
        // Only the raw pages can be read then.
        guard let connection = try? Connection(path: bundle.sqliteFile, mode: .readOnly, encryption: encryption) else { return nil }
        defer { connection.closeLoggingErrors() }
        return body(connection)
    }

    // MARK: Rows

    /// Returns the rows of a table that contains no documents; `nil` if the table does not exist, or if rows may be missing.
    func rows(ofTable name: String) -> [StoredRecord]? {
        guard let table = tables.table(named: name) else { return nil }
        var rows: [StoredRecord] = []
        let damages = pages.damageCount
        let gaps = pages.forEachRow(root: table.root) { rows.append($0) }
        return gaps.isEmpty && pages.damageCount == damages ? rows : nil
    }

    /// What ``forEachDocument(of:_:lost:)`` has found.
    struct FoundRow {
        let row: DamagedRow
        let collection: CollectionID
        /// Whether the row is on a page that no tree leads to any more.
        let isOutsideTrees: Bool
    }

    /// Calls `body` with the row of every document and tombstone.
    ///
    /// - Parameters:
    ///   - collections: The collections to read; `nil` reads all.
    ///   - lost: Called with the place and a description of what cannot be read.
    func forEachDocument(
        of collections: Set<CollectionID>? = nil,
        _ body: (FoundRow) throws -> Void,
        lost: (Finding.Kind, String, String) -> Void
    ) rethrows {
        var gaps: [(table: DamagedTables.DocumentTable, gap: TablePages.Gap)] = []
        for table in tables.documentTables where collections?.contains(table.collection) != false {
            let found = try pages.forEachRow(root: table.root) { record in
                guard let row = DamagedRow(record, columns: table.columns) else {
                    return lost(.document, "\(table.collection.fullName)/row \(record.rowID)", "it is damaged")
                }
                try body(FoundRow(row: row, collection: table.collection, isOutsideTrees: false))
            }
            gaps += found.map { (table, $0) }
        }
        guard !gaps.isEmpty || !tables.isComplete else { return }
        if collections != nil {
            // The pages of the other tables are not searched.
            for table in tables.documentTables where collections?.contains(table.collection) == false {
                _ = pages.forEachRow(root: table.root) { _ in }
            }
        }
        try forEachLostDocument(gaps, body)
        for (table, gap) in gaps {
            let name = table.collection.fullName
            if gap.isRow {
                lost(.document, "\(name)/\(gap.key ?? "row \(gap.through)")", "its row on page \(gap.page) is damaged")
            } else {
                lost(.page, name, "page \(gap.page) is damaged, with documents that may not be found elsewhere")
            }
        }
    }

    /// The collection for documents of which nothing tells the collection.
    private static let recovered = (try? CollectionID(name: "recovered")) ?? .default

    /// Finds the rows of pages that no tree leads to. They belong to the table in which rows of their numbers are missing.
    private func forEachLostDocument(
        _ gaps: [(table: DamagedTables.DocumentTable, gap: TablePages.Gap)],
        _ body: (FoundRow) throws -> Void
    ) rethrows {
        pages.markFreePages()
        let hasTables = tables.isComplete
        // Without the list of tables, nothing tells the collection, unless there is only one.
        let collections = Set(tables.documentTables.map(\.collection))
        let collectionOfOthers = collections.count <= 1 ? collections.first ?? .default : Self.recovered
        try pages.forEachLostRow { record in
            guard let row = DamagedRow(record) else { return }
            let candidates = gaps.filter { record.rowID > $0.gap.after && record.rowID <= $0.gap.through }.map(\.table)
            if let table = candidates.first(where: { $0.isTombstones == row.isDeleted }) ?? candidates.first {
                try body(FoundRow(row: row, collection: table.collection, isOutsideTrees: true))
            } else if !hasTables {
                try body(FoundRow(row: row, collection: collectionOfOthers, isOutsideTrees: true))
            }
        }
    }
}

extension PageFile {
    /// Opens the file of a bundle.
    convenience init(_ bundle: BundlePath, _ encryption: EncryptedFileSystem?) throws {
        let log = encryption == nil ? bundle.writeAheadLog : bundle.encryptedLog
        try self.init(bundle.sqliteFile, log: log, keys: encryption?.keys)
    }
}
