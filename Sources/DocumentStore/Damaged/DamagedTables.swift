import ExactStrings
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

    private(set) var documentTables: [DocumentTable] = []
    private(set) var otherTables: [OtherTable] = []
    /// Whether the list of tables could be read as a whole.
    private(set) var isComplete = false

    /// The columns of a table of documents in the current version (Storage format 2.4).
    static let usualColumns = columns(in: "(\(Schema.dataColumns))")

    /// Reads the list of tables, which begins on page 1.
    init(_ pages: inout TablePages) {
        var rows: [StoredRecord] = []
        let damages = pages.damageCount
        let gaps = pages.forEachRow(root: 1) { rows.append($0) }
        isComplete = gaps.isEmpty && pages.damageCount == damages && !rows.isEmpty
        for row in rows where row.values.count == 5 && row.values[0].text == "table" {
            guard let name = row.values[1].text, let root = row.values[3].integer.flatMap({ Int(exactly: $0) }), root >= 0 else { continue }
            let sql = row.values[4].text
            if root > 0, let (collection, isTombstones) = Self.collection(ofTable: name) {
                let columns = sql.map(Self.columns) ?? Self.usualColumns
                documentTables.append(DocumentTable(collection: collection, isTombstones: isTombstones, root: root, columns: columns))
            } else {
                otherTables.append(OtherTable(name: name, root: root, sql: sql))
            }
        }
    }

    /// Returns a table that contains no documents.
    func table(named name: String) -> OtherTable? {
        otherTables.first { $0.name.isExactly(name) && $0.root > 0 }
    }

    private static func collection(ofTable name: String) -> (CollectionID, isTombstones: Bool)? {
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

    /// Returns the names of the columns in the definition of a table, in their order.
    fileprivate static func columns(in sql: String) -> [ExactString: Int] {
        guard let open = sql.firstIndex(of: "(") else { return [:] }
        var columns: [ExactString: Int] = [:]
        for (place, definition) in sql[sql.index(after: open)...].split(separator: ",").enumerated() {
            if let name = definition.split(whereSeparator: { " \n\t()".contains($0) }).first { columns[ExactString(String(name))] = place }
        }
        return columns
    }
}
