import SQLiteEngine

/// The tables that indexes have beside the documents' own (Storage format 2.8 and 5).
enum IndexTables {
    /// Drops the index tables of a collection that is going to be dropped, and its rows in `indexes`. Value indexes go with
    /// the table they are on, and triggers likewise.
    static func dropAll(of tables: CollectionTables, on connection: Connection) throws {
        guard try connection.scalar("SELECT 1 FROM sqlite_master WHERE name = 'indexes'") != nil else { return }
        let names = try connection.prepare(
            "SELECT DISTINCT indexTableName FROM indexes WHERE keyStore = ? AND indexTableName IS NOT NULL"
        )
        try names.bindText(tables.store, at: 1)
        var found: [String] = []
        while try names.step() { found.append(names.text(at: 0)) }
        names.finalize()
        for name in found { try connection.execute("DROP TABLE IF EXISTS \(name.quotedIdentifier)") }
        let rows = try connection.prepare("DELETE FROM indexes WHERE keyStore = ?")
        defer { rows.finalize() }
        try rows.bindText(tables.store, at: 1)
        try rows.run()
    }
}
