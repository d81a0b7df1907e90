import SQLiteEngine

/// The tables of an SQLite file. Its views are not used, because connections do not run the statements that a file brings along.
enum SQLiteTables {
    /// Returns the names, without those of SQLite's own tables, in the order of their creation.
    static func names(_ connection: Connection) throws -> [String] {
        try connection.texts(
            #"SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\_%' ESCAPE '\' ORDER BY rowid"#
        )
    }

    /// Returns the tables of a file, each with the collection for it: that of the same name, in which `_` replaces characters that
    /// names of collections cannot have.
    ///
    /// - Throws: ``Failure`` if there are none, or two have the same collection; `SQLiteError` if the file is not a database.
    static func collections(of path: String) throws -> [(table: String, collection: CollectionName)] {
        let connection = try Connection(path: path, mode: .readOnly)
        defer { try? connection.close() }
        var found: [(table: String, collection: CollectionName)] = []
        for table in try names(connection) {
            let collection = try CollectionName(collectionName(table))
            if let other = found.first(where: { $0.collection.name.lowercased() == collection.name.lowercased() }) {
                throw Failure(
                    .badData,
                    "\(path): the tables \"\(other.table)\" and \"\(table)\" would both be imported into the collection \(collection.name)",
                    hint: "Import one after the other with --table NAME --collection NAME."
                )
            }
            found.append((table, collection))
        }
        guard !found.isEmpty else { throw Failure(.notFound, "there are no tables in \(path)") }
        return found
    }

    private static func collectionName(_ table: String) -> String {
        let name = String(table.map { $0.isASCII && ($0.isLetter || $0.isNumber) || "_-%".contains($0) ? $0 : "_" })
        let rest = name.drop { $0 == "_" || $0 == "%" }
        return rest.isEmpty ? "table" : String(rest)
    }
}
