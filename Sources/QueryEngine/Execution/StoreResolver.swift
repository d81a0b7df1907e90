import DocumentStore
import SQLiteEngine

/// Finds the tables behind the names in a query in an open file.
struct StoreResolver: CollectionResolver {
    let file: DatabaseFile
    let databaseName: String

    func table(forCollection path: CollectionPath) throws -> SourceTable? {
        let name = path.name ?? CollectionID.defaultName
        let id: CollectionID
        do {
            id = try CollectionID(name: name, scope: path.scope ?? CollectionID.defaultName)
        } catch {
            throw QueryError.invalidQuery("\"\(path)\" is not a valid collection name")
        }
        return try file.collection(id).map(\.sourceTable)
    }

    func fullTextTable(ofIndex index: String, in table: SourceTable) throws -> String? {
        try file.read { context in
            guard try RegistryTable.exists(on: context.connection) else { return nil }
            let statement = try context.connection.prepare(
                "SELECT indexTableName FROM indexes WHERE name IN (?, ?) AND keyStore = ? AND type = 1"
            )
            defer { statement.finalize() }
            try statement.bindText(index, at: 1)
            let collection = CollectionID(storeName: table.storeName)
            try statement.bindText(collection.map { RegistryTable.qualifiedName(index, in: $0) } ?? index, at: 2)
            try statement.bindText(table.storeName, at: 3)
            return try statement.step() ? statement.optionalText(at: 0) : nil
        }
    }

    func arrayTable(forPath path: String, in table: SourceTable) throws -> String? {
        try file.read { try Self.arrayTable(forPath: path, in: table, on: $0.connection) }
    }

    func hasPatternIndex(in table: SourceTable) throws -> Bool {
        try file.read { try Self.hasPatternIndex(in: table, on: $0.connection) }
    }

    /// Whether a condition of an index on the table has a GLOB, which stands for LIKE there.
    static func hasPatternIndex(in table: SourceTable, on connection: Connection) throws -> Bool {
        let statement = try connection.cachedStatement(
            "SELECT 1 FROM sqlite_master WHERE type = 'index' AND tbl_name = ? AND instr(sql, ' WHERE ') AND instr(sql, ' GLOB ')"
        )
        defer {
            statement.reset()
            statement.clearBindings()
        }
        try statement.bindText(table.liveTable, at: 1)
        return try statement.step()
    }

    /// The table with the elements at a path; nil when no array index has made one.
    static func arrayTable(forPath path: String, in table: SourceTable, on connection: Connection) throws -> String? {
        let registered = ArrayTable.registeredName(forPath: path, documents: table.liveTable)
        let plain = table.liveTable + IndexTables.unnestMark + path
        // Those that releases before 3.2.1 made have no row ids that further levels could refer to.
        let levels = IndexTables.levels(of: registered)
        let hashed = levels.map(IndexTables.hashedName)
        if let name = hashed.last, try hashed.allSatisfy({ try RegistryTable.hasTable($0, on: connection) }) {
            return name
        }
        guard levels.count == 1 else { return nil }
        return try [registered, plain].first { try RegistryTable.hasTable($0, on: connection) }
    }
}

extension CollectionStore {
    /// The collection's tables as the compiler needs them.
    var sourceTable: SourceTable {
        SourceTable(
            storeName: tables.store,
            liveTable: tables.liveName,
            deletedTable: tables.tombstoneName,
            isDefault: id.isDefault
        )
    }
}
