import Base
import DocumentStore
import SQLiteEngine

/// The table `indexes` and the objects that its rows describe (Storage format 5.1). Older releases wrote it with fewer columns. Release 2.0
/// has no such table; there the indexes are found by their SQL statements.
enum RegistryTable {
    /// The marks before the stored expressions, from version 501 on.
    static let sqlMark = "=n"
    static let jsonMark = "=j"

    static func exists(on connection: Connection) throws -> Bool { try hasTable("indexes", on: connection) }

    /// Returns whether the file has a table of that name.
    static func hasTable(_ name: String, on connection: Connection) throws -> Bool { try connection.contains("table", named: name) }

    /// Returns whether the file has a trigger of that name.
    static func hasTrigger(_ name: String, on connection: Connection) throws -> Bool { try connection.contains("trigger", named: name) }

    /// Creates the table, or adds the columns that it lacks. Registers the existing indexes if there was no table.
    static func create(on connection: Connection) throws {
        let unregistered = try exists(on: connection) ? [] : UnregisteredIndex.all(on: connection)
        try connection.execute(IndexTables.createRegistry)
        // Tables of older releases lack some columns, which other releases require (Storage format 5.1).
        for column in ["expression", "whereClause", "indexTableName", "lastSeq"]
        where try !hasColumn(column, on: connection) {
            try connection.execute("ALTER TABLE indexes ADD COLUMN \(column) TEXT")
        }
        for index in unregistered {
            try insert(
                name: index.name,
                index.kind,
                store: index.store,
                expressions: jsonMark + index.expressions,
                table: index.table,
                on: connection
            )
        }
    }

    /// Returns the indexes of a collection, in any order.
    static func rows(of collection: CollectionStore, on connection: Connection) throws -> [IndexInfo] {
        guard try exists(on: connection) else { return try unregistered(collection, on: connection) }
        let hasCondition = try hasColumn("whereClause", on: connection)
        let statement = try connection.prepare(
            """
            SELECT name, type, expression, \(hasCondition ? "whereClause" : "NULL"), indexTableName FROM indexes
            WHERE keyStore = ?
            """
        )
        defer { statement.finalize() }
        try statement.bindText(collection.tables.store, at: 1)
        var found: [IndexInfo] = []
        while try statement.step() {
            let storedName = statement.text(at: 0)
            let (expressions, isSQL) = unmarked(statement.text(at: 2))
            found.append(
                IndexInfo(
                    name: plainName(storedName, in: collection.id),
                    kind: IndexInfo.Kind(rawValue: Int(statement.int64(at: 1))),
                    expressions: expressions,
                    isSQL: isSQL,
                    condition: statement.optionalText(at: 3),
                    // In an untrusted file this may be the name of any table; only tables of indexes may be dropped or read.
                    table: statement.optionalText(at: 4).flatMap { IndexTables.isIndexTable($0) ? $0 : nil },
                    storedName: storedName
                )
            )
        }
        return found
    }

    private static func hasColumn(_ column: String, on connection: Connection) throws -> Bool {
        try connection.scalar("SELECT 1 FROM pragma_table_info('indexes') WHERE name = \(column.quotedLiteral)") != nil
    }

    private static func unregistered(_ collection: CollectionStore, on connection: Connection) throws -> [IndexInfo] {
        try UnregisteredIndex.all(on: connection).filter { $0.store.isExactly(collection.tables.store) }.map { index in
            IndexInfo(
                name: index.name,
                kind: index.kind,
                expressions: index.expressions,
                isSQL: false,
                condition: nil,
                table: index.table,
                storedName: index.name
            )
        }
    }

    static func insert(
        _ specification: IndexSpecification,
        _ layout: any IndexLayout,
        named name: String,
        on collection: CollectionStore,
        _ connection: Connection
    ) throws {
        try insert(
            name: name,
            layout.kind,
            store: collection.tables.store,
            expressions: specification.storedExpressions,
            condition: specification.storedCondition,
            table: layout.table(ofIndex: name),
            on: connection
        )
    }

    private static func insert(
        name: String,
        _ kind: IndexInfo.Kind,
        store: String,
        expressions: String,
        condition: String? = nil,
        table: String?,
        on connection: Connection
    ) throws {
        let statement = try connection.prepare(
            """
            INSERT INTO indexes (name, type, keyStore, expression, whereClause, indexTableName) \
            VALUES (?, ?, ?, ?, ?, ?)
            """
        )
        defer { statement.finalize() }
        try statement.bindText(name, at: 1)
        try statement.bind(Int64(kind.rawValue), at: 2)
        try statement.bindText(store, at: 3)
        try statement.bindText(expressions, at: 4)
        if let condition { try statement.bindText(condition, at: 5) }
        if let table { try statement.bindText(table, at: 6) }
        try statement.run()
    }

    /// Drops an index, its table with the triggers on the documents' table, and its row.
    static func drop(_ index: IndexInfo, on connection: Connection) throws {
        try connection.execute("DROP INDEX IF EXISTS \(index.storedName.quotedIdentifier)")
        guard try exists(on: connection) else { return }
        let row = try connection.prepare("DELETE FROM indexes WHERE name = ?")
        defer { row.finalize() }
        try row.bindText(index.storedName, at: 1)
        try row.run()
        guard let table = index.table else { return }
        try SynonymList.store([], forTable: table, on: connection)
        try IndexTables.dropUnused(table, on: connection)
    }

    /// Returns the statement that created an SQL index; `nil` if there is no index of that name.
    static func sql(ofIndex name: String, on connection: Connection) throws -> String? {
        try connection.texts("SELECT sql FROM sqlite_master WHERE type = 'index' AND name = ? AND sql IS NOT NULL", name).first
    }

    /// Returns the statement that created a table; `nil` if there is no table of that name.
    static func sql(ofTable name: String, on connection: Connection) throws -> String? {
        try connection.texts("SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ? AND sql IS NOT NULL", name).first
    }

    /// Returns whether an SQL object or a registered index has the name; case is ignored.
    static func isTaken(_ name: String, on connection: Connection) throws -> Bool {
        try !connection.texts(
            """
            SELECT name FROM sqlite_master WHERE name = ?1 COLLATE NOCASE
            UNION ALL SELECT name FROM indexes WHERE name = ?1 COLLATE NOCASE
            """,
            name
        ).isEmpty
    }

    /// Returns the name with the full name of the collection before it.
    static func qualifiedName(_ name: String, in collection: CollectionID) -> String { "\(collection.fullName).\(name)" }

    /// Returns whether a name begins with the full name of the collection. An index of such a name is always stored under its qualified
    /// name, from which ``plainName(_:in:)`` returns the given one.
    static func isQualified(_ name: String, in collection: CollectionID) -> Bool {
        name.utf8.starts(with: qualifiedName("", in: collection).utf8)
    }

    /// Returns the name that was given to an index.
    static func plainName(_ storedName: String, in collection: CollectionID) -> String {
        guard isQualified(storedName, in: collection) else { return storedName }
        return String(decoding: storedName.utf8.dropFirst(qualifiedName("", in: collection).utf8.count), as: UTF8.self)
    }

    /// Removes the mark. Without a mark, the text is JSON if it begins with `[` or `{`.
    private static func unmarked(_ text: String) -> (expressions: String, isSQL: Bool) {
        if text.hasPrefix(sqlMark) { return (String(text.dropFirst(2)), true) }
        if text.hasPrefix(jsonMark) { return (String(text.dropFirst(2)), false) }
        return (text, !text.hasPrefix("[") && !text.hasPrefix("{"))
    }
}
