import Base
import SQLiteEngine

/// A damaged database file that is read without SQLite: the list of tables, the properties of the database, and its documents, as far as
/// their pages are intact.
final class DamagedFile {
    let bundle: BundlePath
    let encryption: EncryptedFileSystem?
    let tables: DamagedTables
    private let pageFile: PageFile
    private var pages: TablePages
    /// What is wrong with the files as a whole.
    let notes: [String]

    /// What is wrong with single pages, once for each page.
    var damages: [TablePages.Damage] {
        var known: Set<Int> = []
        return pages.damages.filter { known.insert($0.page).inserted }
    }

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
        pageFile = file
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

        /// Whether the documents have version vectors.
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

    /// What ``forEachDocument(of:_:lost:)`` could not read.
    struct LostPart {
        let kind: Finding.Kind
        /// A document as `collection/id`, or the name of a collection.
        let subject: String
        /// What cannot be read.
        let message: String
        /// The damaged page, if the message names it.
        var page: Int?
        /// Whether all documents that the page contains or leads to were found elsewhere.
        var isFoundElsewhere = false
    }

    /// Calls `body` with the row of every document and tombstone.
    ///
    /// - Parameters:
    ///   - collections: The collections to read; `nil` reads all.
    ///   - lost: Called with each document that is known to be lost, and each page with documents that may be.
    func forEachDocument(
        of collections: Set<CollectionID>? = nil,
        _ body: (FoundRow) throws -> Void,
        lost: (LostPart) -> Void
    ) rethrows {
        var gaps: [(table: DamagedTables.DocumentTable, gap: TablePages.Gap)] = []
        for table in tables.documentTables where collections?.contains(table.collection) != false {
            let found = try pages.forEachRow(root: table.root) { record in
                guard let row = DamagedRow(record, columns: table.columns) else {
                    let subject = "\(table.collection.fullName)/row \(record.rowID)"
                    return lost(LostPart(kind: .document, subject: subject, message: "it is damaged"))
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
        let rescued = try forEachLostDocument(gaps, body)
        for table in tables.documentTables {
            let ofTable = gaps.filter { $0.table.root == table.root }.map(\.gap)
            if !ofTable.isEmpty { report(ofTable, of: table, rescued: rescued[table.root] ?? [], lost) }
        }
    }

    /// Reports what is lost in the gaps of a table: the documents, if the index of the IDs names them, and each page once.
    private func report(
        _ gaps: [TablePages.Gap],
        of table: DamagedTables.DocumentTable,
        rescued: Set<Int64>,
        _ lost: (LostPart) -> Void
    ) {
        let name = table.collection.fullName
        let index = tables.keyIndex(of: table)
        let named = index.map { LostDocuments(of: table, gaps, rescued: rescued, index: $0, in: pageFile) }
        for document in named?.documents ?? [] {
            lost(LostPart(kind: .document, subject: "\(name)/\(document.id)", message: "its row on page \(document.page) is damaged"))
        }
        let isComplete = named?.isComplete ?? false
        let rows = Set(named?.documents.map(\.rowID) ?? [])
        let pagesOfLost = Set(named?.documents.map(\.page) ?? [])
        var reported: Set<Int> = []
        for gap in gaps {
            if gap.isRow {
                guard !rows.contains(gap.through) else { continue }
                let subject = "\(name)/\(gap.key ?? "row \(gap.through)")"
                let message = "its row on page \(gap.page) is damaged\(isComplete ? "; it was found elsewhere" : "")"
                lost(LostPart(kind: .document, subject: subject, message: message, isFoundElsewhere: isComplete))
            } else if reported.insert(gap.page).inserted, !isComplete || !pagesOfLost.contains(gap.page) {
                let documents = isComplete ? "; all its documents were found" : ", with documents that may not be found elsewhere"
                let message = "page \(gap.page) is damaged\(documents)"
                lost(LostPart(kind: .page, subject: name, message: message, page: gap.page, isFoundElsewhere: isComplete))
            }
        }
    }

    /// The collection for documents of which nothing tells the collection.
    private static let recovered = (try? CollectionID(name: "recovered")) ?? .default

    /// Finds the rows of pages that no tree leads to. They belong to the table in which rows of their numbers are missing.
    ///
    /// - Returns: The numbers of the rows that were found, by the pages at which the trees of their tables begin.
    private func forEachLostDocument(
        _ gaps: [(table: DamagedTables.DocumentTable, gap: TablePages.Gap)],
        _ body: (FoundRow) throws -> Void
    ) rethrows -> [Int: Set<Int64>] {
        var rescued: [Int: Set<Int64>] = [:]
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
                rescued[table.root, default: []].insert(record.rowID)
            } else if !hasTables {
                try body(FoundRow(row: row, collection: collectionOfOthers, isOutsideTrees: true))
            }
        }
        return rescued
    }
}

extension PageFile {
    /// Opens the file of a bundle.
    convenience init(_ bundle: BundlePath, _ encryption: EncryptedFileSystem?) throws {
        let log = encryption == nil ? bundle.writeAheadLog : bundle.encryptedLog
        try self.init(bundle.sqliteFile, log: log, keys: encryption?.keys)
    }
}
