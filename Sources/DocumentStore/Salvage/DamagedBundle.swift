import ExactStrings
import SQLiteEngine

/// The tables of a damaged database file, found without SQLite.
struct DamagedBundle {
    /// A table that contains documents.
    struct DocumentTable {
        let collection: CollectionID
        let isTombstones: Bool
        /// The page at which its tree begins.
        let root: Int
        /// The places of the columns, by name.
        let columns: [ExactString: Int]
    }

    private(set) var documentTables: [DocumentTable] = []
    /// The trees of the tables `kv_info` and `indexes`.
    private(set) var infoRoot: Int?
    private(set) var indexesRoot: Int?
    /// Whether the list of tables could be read as a whole.
    private(set) var hasWholeSchema = false

    /// The columns of a table of documents in the current version (Storage format 2.4).
    static let usualColumns = columns(in: "(\(Schema.dataColumns))")

    /// Reads the list of tables, which begins on page 1.
    init(_ pages: inout TablePages) {
        var rows: [StoredRecord] = []
        let damages = pages.damageCount
        let gaps = pages.forEachRow(root: 1) { rows.append($0) }
        hasWholeSchema = gaps.isEmpty && pages.damageCount == damages && !rows.isEmpty
        for row in rows where row.values.count == 5 && row.values[0].text == "table" {
            guard let name = row.values[1].text, let root = row.values[3].integer.flatMap({ Int(exactly: $0) }), root > 0 else { continue }
            if name == "kv_info" {
                infoRoot = root
            } else if name == "indexes" {
                indexesRoot = root
            } else if let (collection, isTombstones) = Self.collection(ofTable: name) {
                let columns = row.values[4].text.map(Self.columns) ?? Self.usualColumns
                documentTables.append(
                    DocumentTable(collection: collection, isTombstones: isTombstones, root: root, columns: columns)
                )
            }
        }
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
    private static func columns(in sql: String) -> [ExactString: Int] {
        guard let open = sql.firstIndex(of: "(") else { return [:] }
        var columns: [ExactString: Int] = [:]
        for (place, definition) in sql[sql.index(after: open)...].split(separator: ",").enumerated() {
            if let name = definition.split(whereSeparator: { " \n\t()".contains($0) }).first { columns[ExactString(String(name))] = place }
        }
        return columns
    }
}

/// The columns of a document's row.
struct DamagedRow {
    let id: String
    let rowID: Int64
    let sequence: Int64
    let flags: Int64
    let version: [UInt8]
    var body: [UInt8]
    var extra: [UInt8]?
    let expiration: Int64?

    /// - Returns: `nil` if the record is not one of a document.
    init?(_ record: StoredRecord, columns: [ExactString: Int] = DamagedBundle.usualColumns) {
        func value(_ name: String) -> StoredRecord.Value {
            guard let place = columns[ExactString(name)], place < record.values.count else { return .null }
            return record.values[place]
        }
        guard let id = value("key").text, let sequence = value("sequence").integer, let flags = value("flags").integer,
            let version = value("version").bytes
        else { return nil }
        let body = value("body")
        guard body == .null || body.bytes != nil else { return nil }
        self.id = id
        rowID = record.rowID
        self.sequence = sequence
        self.flags = flags
        self.version = version
        self.body = body.bytes ?? []
        extra = value("extra").bytes
        expiration = value("expiration").integer
    }

    var isDeleted: Bool { flags & Int64(DocumentFlags.deleted.rawValue) != 0 }
}
