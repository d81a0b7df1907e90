import Base
import SQLiteEngine

/// The tables of a damaged database file, found without SQLite.
struct DamagedTables {
    /// A table that contains documents.
    struct DocumentTable {
        let collection: CollectionID
        let isTombstones: Bool
        /// The page at which its tree begins.
        let root: Int
        /// The places of the columns, by name.
        let columns: [ExactString: Int]
    }

    /// A table of another kind.
    struct OtherTable {
        let name: String
        /// The page at which its tree begins; 0 for a virtual table.
        let root: Int
        let sql: String?

        /// The names of the columns, in their order.
        var columns: [String] { DamagedTables.columns(in: sql ?? "").sorted { $0.value < $1.value }.map(\.key.string) }
        /// Whether it contains rows with keys that are no documents, for example checkpoints.
        var isRawStore: Bool { root > 0 && StoreName.store(ofTable: name) != nil }
        /// Whether it is a full-text index.
        var isFullTextIndex: Bool { root == 0 && IndexTables.isIndexTable(name) }
    }

    /// What was found out about tables that the damaged list does not name.
    enum Note: Equatable {
        /// How the names of tables were found.
        case found(String)
        /// The name of a collection was not found.
        case unnamed(String)
    }

    private(set) var documentTables: [DocumentTable] = []
    private(set) var otherTables: [OtherTable] = []
    /// The names of the tables of documents that have one, by the pages at which their trees begin.
    private var names: [Int: String] = [:]
    /// The pages at which the trees of the indexes begin, by their names.
    private var indexes: [ExactString: Int] = [:]
    /// Whether the list of tables could be read as a whole.
    private(set) var isComplete = false
    /// How tables were found that a damaged list does not name, and whose names were not found.
    private(set) var notes: [Note] = []

    /// The columns of a table of documents in the current version (Storage format 2.4).
    static let usualColumns = columns(in: "(\(Schema.dataColumns))")

    /// Reads the list of tables, which begins on page 1.
    init(_ pages: inout TablePages) {
        var rows: [StoredRecord] = []
        let damages = pages.damageCount
        let gaps = pages.forEachRow(root: 1) { rows.append($0) }
        isComplete = gaps.isEmpty && pages.damageCount == damages && !rows.isEmpty
        for row in rows { if let row = LostTables.ListRow(row) { add(row) } }
        guard !isComplete else { return }
        let lost = LostTables(pages, known: documentTables, otherRoots: Set(otherTables.map(\.root)))
        for row in lost.rows { add(row) }
        documentTables += lost.documentTables
        otherTables += lost.otherTables
        notes = lost.notes
    }

    private mutating func add(_ row: LostTables.ListRow) {
        if row.kind == "index" { indexes[ExactString(row.name)] = row.root }
        guard row.kind == "table" else { return }
        guard row.root > 0, let (collection, isTombstones) = Self.collection(ofTable: row.name) else {
            otherTables.append(OtherTable(name: row.name, root: row.root, sql: row.sql))
            return
        }
        let columns = row.sql.map(Self.columns) ?? Self.usualColumns
        documentTables.append(DocumentTable(collection: collection, isTombstones: isTombstones, root: row.root, columns: columns))
        names[row.root] = row.name
    }

    /// Returns the page at which the tree of the index of the IDs of a table begins, which SQLite has made for the primary key (Storage format 2.4);
    /// `nil` if it is not known.
    func keyIndex(of table: DocumentTable) -> Int? { names[table.root].flatMap { indexes[ExactString("sqlite_autoindex_\($0)_1")] } }

    /// Returns a table that contains no documents.
    func table(named name: String) -> OtherTable? { otherTables.first { $0.name.isExactly(name) && $0.root > 0 } }

    static func collection(ofTable name: String) -> (CollectionID, isTombstones: Bool)? {
        let tombstonePrefix = "kv_del_"
        if name.utf8.starts(with: tombstonePrefix.utf8) {
            let store = StoreName.store(ofTable: "kv_" + String(decoding: name.utf8.dropFirst(tombstonePrefix.utf8.count), as: UTF8.self))
            return store.flatMap(CollectionID.init(storeName:)).map { ($0, true) }
        }
        guard let store = StoreName.store(ofTable: name), store != StoreName.info, store != StoreName.checkpoints,
            store != StoreName.peerCheckpoints
        else { return nil }
        return CollectionID(storeName: store).map { ($0, false) }
    }

    /// The words with which a constraint of a table begins; see `columns(in:)`.
    private static let constraints = ["constraint", "primary", "unique", "check", "foreign"]

    /// Returns the names of the columns in the definition of a table, in their order. Its constraints, which name columns again, follow them.
    fileprivate static func columns(in sql: String) -> [ExactString: Int] {
        guard let open = sql.firstIndex(of: "(") else { return [:] }
        var columns: [ExactString: Int] = [:]
        for (place, definition) in sql[sql.index(after: open)...].split(separator: ",").enumerated() {
            guard let name = definition.split(whereSeparator: { " \n\t()".contains($0) }).first else { continue }
            if constraints.containsExactly(String(name).asciiLowercased) { break }
            columns[ExactString(String(name))] = place
        }
        return columns
    }
}
