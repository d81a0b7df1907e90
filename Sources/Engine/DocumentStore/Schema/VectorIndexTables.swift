import Base
package import SQLiteEngine

/// The tables and triggers of one vector index (Vector search 10.3). The registry has their common name, under which there is no table.
///
/// The triggers contain no functions, so that every program that knows SQL can write to the file: what it changes is marked, and the index is
/// completed by the next transaction of this library.
package struct VectorIndexTables: Sendable, Hashable {
    /// The common name: `kv_.words:vector:words_index`.
    package let name: String

    /// Creates the names for an index of a collection.
    package init(indexNamed index: String, ofTable liveTable: String) {
        name = "\(liveTable)\(Self.mark)\(StoreName.mangled(index))"
    }

    /// Creates the names from the common name in a registry, which may be that of an untrusted file; `nil` if no index has this name.
    package init?(registered name: String) {
        guard IndexTables.isIndexTable(name), let mark = name.firstRange(of: Self.mark),
            StoreName.store(ofTable: String(name[..<mark.lowerBound])) != nil
        else { return nil }
        self.name = name
    }

    private static let mark = ":vector:"

    /// The name of the table of the documents that are indexed.
    package var documents: String { name.firstRange(of: Self.mark).map { String(name[..<$0.lowerBound]) } ?? name }

    /// Returns the names of the index to which a table or trigger of a file belongs by its name; `nil` if that is none of a vector index.
    package init?(owning object: String) {
        let ends = Part.allCases.map(\.mark) + Change.allCases.map { Part.rows.mark + $0.mark }
        guard let end = ends.first(where: { object.utf8.reversed().starts(with: $0.utf8.reversed()) }) else { return nil }
        self.init(registered: String(decoding: object.utf8.dropLast(end.utf8.count), as: UTF8.self))
    }

    /// The tables of an index.
    private enum Part: String, CaseIterable {
        case rows, dead, cells, model

        /// What follows the common name in the name of the table.
        var mark: String { ":\(rawValue)" }
    }

    /// The changes of documents for which there are triggers.
    private enum Change: String, CaseIterable {
        case insertion = "ins"
        case update = "upd"
        case deletion = "del"

        /// What follows the name of the table of rows in the name of the trigger.
        var mark: String { "::\(rawValue)" }
    }

    private func table(_ part: Part) -> String { name + part.mark }

    // MARK: Registry

    /// The name of the table of all vector indexes.
    package static let registry = "vector_indexes"

    /// The statement that creates the registry.
    package static let createRegistry = """
        CREATE TABLE IF NOT EXISTS vector_indexes (id INTEGER PRIMARY KEY, keyStore TEXT NOT NULL, name TEXT NOT NULL, \
        expression TEXT NOT NULL, options TEXT NOT NULL, tableName TEXT NOT NULL, format INTEGER NOT NULL, \
        generation INTEGER NOT NULL, doneSequence INTEGER NOT NULL DEFAULT 0, UNIQUE (keyStore, name))
        """

    /// The form of the tables that this library knows.
    package static let format: Int64 = 1

    // MARK: Tables

    /// The table with one row for each document that is, or has to be, in the index.
    package var rows: String { table(.rows) }
    /// The table with the places in cells that do not count any more.
    package var dead: String { table(.dead) }
    /// The table with the cells.
    package var cells: String { table(.cells) }
    /// The table with what training has found.
    package var model: String { table(.model) }

    /// The SQL index of the rows that are marked, and that of the vectors outside of cells, as in SQL. Statements name them, because SQLite could
    /// prefer to read all rows.
    package var dirtyIndex: String { "\(name):dirty".quotedIdentifier }
    /// See ``dirtyIndex``.
    package var looseIndex: String { "\(name):loose".quotedIdentifier }

    private var bucketIndex: String { "\(name):buckets".quotedIdentifier }

    private var all: [String] { Part.allCases.map(table) }

    /// The statements that create the tables.
    package var creation: [String] {
        let (rows, dead, cells) = (rows.quotedIdentifier, dead.quotedIdentifier, cells.quotedIdentifier)
        return [
            "CREATE TABLE \(rows) (docid INTEGER PRIMARY KEY, state INTEGER NOT NULL DEFAULT 0, sequence INTEGER, bucket INTEGER, "
                + "cell INTEGER, slot INTEGER, code BLOB)",
            "CREATE INDEX \(dirtyIndex) ON \(rows) (docid) WHERE state = 0",
            "CREATE INDEX \(looseIndex) ON \(rows) (docid) WHERE state = 2",
            "CREATE TABLE \(dead) (cell INTEGER, slot INTEGER, PRIMARY KEY (cell, slot)) WITHOUT ROWID",
            "CREATE TABLE \(cells) (id INTEGER PRIMARY KEY, bucket INTEGER NOT NULL, count INTEGER NOT NULL, data BLOB NOT NULL)",
            "CREATE INDEX \(bucketIndex) ON \(cells) (bucket)",
            "CREATE TABLE \(model.quotedIdentifier) (part INTEGER PRIMARY KEY, data BLOB NOT NULL)",
        ]
    }

    /// Returns whether the file has all tables, and none of them is a virtual table.
    package func exist(on connection: Connection) throws -> Bool {
        try all.allSatisfy { name in
            try !connection.texts("SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0 AND name = ?", name).isEmpty
        }
    }

    /// Drops the tables and the triggers, and SQL indexes of these names, which a strange file can have on other tables.
    package func drop(on connection: Connection) throws {
        for table in all { try IndexTables.drop(table, on: connection) }
        try dropIndexes(on: connection)
    }

    /// Does the same in a transaction, but leaves strange tables that SQLite can neither read nor drop.
    package func dropIfPossible(on connection: Connection) throws {
        for table in all { try IndexTables.dropIfPossible(table, on: connection) }
        try dropIndexes(on: connection)
    }

    private func dropIndexes(on connection: Connection) throws {
        for index in [dirtyIndex, looseIndex, bucketIndex] + all.map(\.quotedIdentifier) {
            try connection.execute("DROP INDEX IF EXISTS \(index)")
        }
    }

    /// Drops the triggers alone, so that changes of documents do not need the tables.
    package func dropTriggers(on connection: Connection) throws {
        for table in all { try IndexTables.dropTriggers(of: table, on: connection) }
    }

    /// Drops the vector indexes of a collection that is about to be dropped.
    static func dropAll(of tables: CollectionTables, on connection: Connection) throws {
        guard try connection.contains("table", named: registry) else { return }
        let found = try connection.texts("SELECT tableName FROM vector_indexes WHERE keyStore = ?", tables.store)
        for name in found { try VectorIndexTables(registered: name)?.dropIfPossible(on: connection) }
        let rows = try connection.prepare("DELETE FROM vector_indexes WHERE keyStore = ?")
        defer { rows.finalize() }
        try rows.bindText(tables.store, at: 1)
        try rows.run()
    }

    // MARK: Triggers

    /// Returns the statements that create the triggers on the table of documents.
    ///
    /// - Parameter isLazy: Whether the app computes the vectors: a changed document then has none, and is not marked.
    package func triggers(on liveTable: String, isLazy: Bool) -> [String] {
        let table = liveTable.quotedIdentifier
        let rows = self.rows.quotedIdentifier
        func trigger(_ change: Change, _ event: String, _ body: String) -> String {
            "CREATE TRIGGER \("\(self.rows)\(change.mark)".quotedIdentifier) AFTER \(event) ON \(table) BEGIN \(body) END"
        }
        let deletion = trigger(.deletion, "DELETE", removal(when: nil))
        if isLazy {
            let lowering =
                "UPDATE \(Self.registry) SET doneSequence = new.sequence - 1 WHERE tableName = \(name.quotedLiteral) "
                + "AND doneSequence >= new.sequence;"
            return [deletion, trigger(.update, "UPDATE OF body, flags", "\(removal(when: nil)) \(lowering)")]
        }
        let marking =
            "INSERT INTO \(rows) (docid, state) SELECT new.rowid, 0 WHERE (new.flags & 1) = 0 ON CONFLICT (docid) DO UPDATE SET state = 0;"
        return [
            trigger(.insertion, "INSERT", marking), deletion,
            trigger(.update, "UPDATE OF body, flags", "\(removal(when: "(new.flags & 1) <> 0")) \(marking)"),
        ]
    }

    /// The statements that remove the document of the changed row from the index.
    private func removal(when condition: String?) -> String {
        let rows = self.rows.quotedIdentifier
        let filter = "docid = old.rowid" + (condition.map { " AND \($0)" } ?? "")
        return "INSERT OR IGNORE INTO \(dead.quotedIdentifier) (cell, slot) SELECT cell, slot FROM \(rows) "
            + "WHERE \(filter) AND cell IS NOT NULL; DELETE FROM \(rows) WHERE \(filter);"
    }

    /// Returns whether a trigger is one of a vector index, exactly as this library creates it.
    static func isTrigger(_ sql: String, name: String, on table: String) -> Bool {
        guard let end = name.ranges(of: "\(Part.rows.mark)::").last,
            let tables = VectorIndexTables(registered: String(name[..<end.lowerBound])), tables.name.beginsExactly(with: table + mark)
        else { return false }
        return [false, true].contains { tables.triggers(on: table, isLazy: $0).containsExactly(sql) }
    }
}
