import Base
import SQLiteEngine

/// The existing tables of a file (Storage format 2.4). They depend on the release that wrote the file.
struct Schema: Sendable {
    /// The names of the columns by table name, for every table of a store.
    private(set) var columns: [ExactString: Set<ExactString>] = [:]
    private(set) var version: FileVersion
    /// The existing collections, sorted. The default collection is always included.
    private(set) var collections: [CollectionID] = []

    init(_ connection: Connection) throws {
        version = FileVersion(Int(try connection.scalar("PRAGMA user_version") ?? 0))
        // Index tables are excluded: reading the columns of a virtual table fails if its module or tokenizer is unknown.
        let tables = try connection.prepare(
            """
            SELECT name FROM sqlite_master
            WHERE type = 'table' AND (name GLOB 'kv_*' AND name NOT GLOB '*:*' OR name IN ('kvmeta', 'indexes'))
            """
        )
        defer { tables.finalize() }
        let names = try connection.prepare("SELECT name FROM pragma_table_info(?)")
        defer { names.finalize() }
        while try tables.step() {
            let table = tables.text(at: 0)
            var found: Set<ExactString> = []
            try names.bindText(table, at: 1)
            while try names.step() { found.insert(ExactString(names.text(at: 0))) }
            names.reset()
            columns[ExactString(table)] = found
        }
        collections = findCollections()
    }

    func hasTable(_ table: String) -> Bool { columns[ExactString(table)] != nil }

    func hasColumn(_ column: String, in table: String) -> Bool { columns[ExactString(table)]?.contains(column) ?? false }

    /// Whether capital letters in table names are escaped.
    var escapesCapitals: Bool { version >= .collections || version == .none }

    /// The tables of stores in the format's definition: without the tables of tombstones and of indexes.
    var storeTables: [String] { columns.keys.filter { StoreName.store(ofTable: $0.string) != nil }.sorted().map(\.string) }

    private func findCollections() -> [CollectionID] {
        var result: Set<CollectionID> = [.default]
        for table in columns.keys {
            guard let store = StoreName.store(ofTable: table.string), let id = CollectionID(storeName: store) else { continue }
            // Since version 500 a table with an unescaped name does not belong to the collection (Storage format 2.4).
            if !escapesCapitals || StoreName.table(store).isExactly(table.string) { result.insert(id) }
        }
        return result.sorted()
    }

    static let dataColumns = """
        key TEXT PRIMARY KEY, sequence INTEGER, flags INTEGER DEFAULT 0, version BLOB, body BLOB, \
        expiration INTEGER, extra BLOB
        """

    /// Returns the statements that create a table of a store, with its index of expirations.
    static func createTable(_ table: String) -> String {
        """
        CREATE TABLE IF NOT EXISTS \(table.quotedIdentifier) (\(dataColumns));
        \(createExpirationIndex(table))
        """
    }

    static func createExpirationIndex(_ table: String) -> String {
        """
        CREATE INDEX IF NOT EXISTS \("\(table)_expiration".quotedIdentifier) ON \(table.quotedIdentifier) (expiration) \
        WHERE expiration not null;
        """
    }

    /// Returns the statement that creates the index for reading documents by sequence. The index is created when it is first needed.
    static func createSequenceIndex(_ table: String) -> String {
        "CREATE UNIQUE INDEX IF NOT EXISTS \("\(table)_seqs".quotedIdentifier) ON \(table.quotedIdentifier) (sequence)"
    }

    static let createMeta = """
        CREATE TABLE IF NOT EXISTS kvmeta \
        (name TEXT PRIMARY KEY, lastSeq INTEGER DEFAULT 0, purgeCnt INTEGER DEFAULT 0) WITHOUT ROWID;
        """
}
