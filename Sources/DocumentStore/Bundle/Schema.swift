import ExactStrings
import SQLiteEngine

/// The tables of a file, as they are (Storage format 2.4): what releases wrote differs, and is adapted to.
struct Schema: Sendable {
    /// Columns by table name, for every table of a store.
    private(set) var columns: [ExactString: Set<ExactString>] = [:]
    private(set) var version: FileVersion

    init(_ connection: Connection) throws {
        version = FileVersion(Int(try connection.scalar("PRAGMA user_version") ?? 0))
        // Index tables are left out: asking for the columns of a virtual one fails where its module or tokenizer is unknown.
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
    }

    func hasTable(_ table: String) -> Bool { columns[ExactString(table)] != nil }

    func hasColumn(_ column: String, in table: String) -> Bool {
        columns[ExactString(table)]?.contains(column) ?? false
    }

    /// Whether table names mark capital letters.
    var isMangled: Bool { version >= .collections || version == .none }

    /// The tables of stores, in the format's enumeration: without tombstone tables and without those of indexes.
    var storeTables: [String] {
        columns.keys.filter { StoreName.store(ofTable: $0.string) != nil }.sorted().map(\.string)
    }

    /// The collections that exist, the default one always among them.
    var collections: [CollectionID] {
        var result: Set<CollectionID> = [.default]
        for table in columns.keys {
            guard let store = StoreName.store(ofTable: table.string), let id = CollectionID(storeName: store) else { continue }
            // From 500 on an unmangled table is not the collection's (Storage format 2.4).
            if !isMangled || StoreName.table(store).isExactly(table.string) { result.insert(id) }
        }
        return result.sorted()
    }

    static let dataColumns = """
        key TEXT PRIMARY KEY, sequence INTEGER, flags INTEGER DEFAULT 0, version BLOB, body BLOB, \
        expiration INTEGER, extra BLOB
        """

    /// The statements that make a table of a store, with its index of expirations.
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

    /// For reading documents by sequence. Not made before somebody does.
    static func createSequenceIndex(_ table: String) -> String {
        "CREATE UNIQUE INDEX IF NOT EXISTS \("\(table)_seqs".quotedIdentifier) ON \(table.quotedIdentifier) (sequence)"
    }

    static let createMeta = """
        CREATE TABLE IF NOT EXISTS kvmeta \
        (name TEXT PRIMARY KEY, lastSeq INTEGER DEFAULT 0, purgeCnt INTEGER DEFAULT 0) WITHOUT ROWID;
        """
}
