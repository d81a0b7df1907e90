import Base
import Fleece
package import SQLiteEngine

/// The names of the tables used by indexes, besides the tables of documents (Storage format 2.8 and 5).
package enum IndexTables {
    /// The statement that creates the table of the definitions (Storage format 5.1).
    package static let createRegistry = """
        CREATE TABLE IF NOT EXISTS indexes (name TEXT PRIMARY KEY, type INTEGER NOT NULL, keyStore TEXT NOT NULL, \
        expression TEXT, whereClause TEXT, indexTableName TEXT, lastSeq TEXT)
        """

    /// Returns the possible names in the file of a registered table, the newer one first: since 3.2.1 the table of an array index is named
    /// by the hexadecimal digest of its registered name (Storage format 5.5).
    package static func possibleNames(of name: String) -> [String] { [hashedName(name), name] }

    /// Returns whether a name can be that of an index table, and not that of a table of documents. Names in the registry of an untrusted
    /// file must be checked with this function. Tables of documents never have a colon in their names.
    package static func isIndexTable(_ name: String) -> Bool { name.utf8.starts(with: "kv_".utf8) && name.utf8.contains(UInt8(ascii: ":")) }

    /// Returns whether a name can be a result of ``hashedName(_:)``.
    static func isHashedName(_ name: String) -> Bool {
        name.utf8.count == 40
            && name.utf8.allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
            }
    }

    /// Returns the digest of a table's name, in lowercase hexadecimal digits.
    package static func hashedName(_ name: String) -> String { Array(name.utf8).withUnsafeBytes { BlobDigest(of: $0).bytes }.hexadecimal }

    /// Returns the names of the tables that belong to a registered index table: for an array index there is one for each level of its path,
    /// the outermost first. The name may be that of an untrusted file: values nest at most ``Limits/maximumDepth`` levels deep, so a path
    /// with more levels has no elements.
    package static func levels(of name: String) -> [String] {
        let bytes = Array(name.utf8)
        guard let mark = bytes.firstRange(of: Array(unnestMark.utf8)) else { return [name] }
        var levels: [String] = []
        var isEscaped = false
        for position in mark.upperBound..<bytes.count {
            if isEscaped {
                isEscaped = false
            } else if bytes[position] == UInt8(ascii: "\\") {
                isEscaped = true
            } else if bytes[position...].starts(with: levelMark.utf8) {
                guard levels.count < Limits.maximumDepth else { return [name] }
                levels.append(String(decoding: bytes[..<position], as: UTF8.self))
            }
        }
        return levels + [name]
    }

    /// The separator between the name of the documents' table and the path, in the name of an array index's table.
    package static let unnestMark = ":unnest:"
    /// The separator between the levels of an array index's path.
    package static let levelMark = "[]."

    /// Drops a registered table that no registered index uses any more, with its triggers. For array indexes, also drops outer levels that
    /// are not used any more.
    ///
    /// Does nothing if the name is not that of an index table: the registry of a hostile file can contain the name of a table of documents.
    package static func dropUnused(_ name: String, on connection: Connection) throws {
        guard isIndexTable(name) else { return }
        let tables = try connection.texts("SELECT indexTableName FROM indexes WHERE indexTableName IS NOT NULL")
        let used = Set(exactly: tables.flatMap { levels(of: $0) })
        for level in levels(of: name).reversed() where !used.contains(level) {
            for table in possibleNames(of: level) { try dropIfPossible(table, on: connection) }
        }
    }

    /// Drops a table and the triggers that maintain it, which belong to another table.
    ///
    /// A file can have a virtual table of that name, of a module that SQLite does not have. It is dropped too, but not the tables in which the
    /// module has stored its data.
    package static func drop(_ table: String, on connection: Connection) throws {
        try dropTriggers(of: table, on: connection)
        let statement = "DROP TABLE IF EXISTS \(table.quotedIdentifier)"
        do {
            try connection.execute(statement)
        } catch {
            guard let module = error.missingModule else { throw error }
            try connection.withInertModule(named: module) { try connection.execute(statement) }
        }
    }

    /// Drops a table and its triggers in a transaction. A strange table that SQLite can neither read nor drop stays, without the triggers.
    package static func dropIfPossible(_ table: String, on connection: Connection) throws {
        if try connection.failure(inSavepoint: "dropping", of: { try drop(table, on: connection) }) != nil {
            try dropTriggers(of: table, on: connection)
        }
    }

    /// Drops the triggers that maintain a table.
    package static func dropTriggers(of table: String, on connection: Connection) throws {
        let triggers = try connection.texts(
            "SELECT name FROM sqlite_master WHERE type = 'trigger' AND substr(name, 1, length(?1) + 2) = ?1 || '::'",
            table
        )
        for trigger in triggers { try connection.execute("DROP TRIGGER \(trigger.quotedIdentifier)") }
    }

    /// Drops the index tables of a collection that is about to be dropped, and its rows in `indexes`. Value indexes are dropped together
    /// with their table.
    static func dropAll(of tables: CollectionTables, on connection: Connection) throws {
        try VectorIndexTables.dropAll(of: tables, on: connection)
        guard try connection.contains("table", named: "indexes") else { return }
        let found = try connection.texts(
            "SELECT DISTINCT indexTableName FROM indexes WHERE keyStore = ?1 AND indexTableName IS NOT NULL",
            tables.store
        )
        let rows = try connection.prepare("DELETE FROM indexes WHERE keyStore = ?")
        defer { rows.finalize() }
        try rows.bindText(tables.store, at: 1)
        try rows.run()
        for name in found { try dropUnused(name, on: connection) }
    }
}
