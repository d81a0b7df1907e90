import Base
import DocumentStore
import QueryLanguage
import SQLiteEngine
import Synchronization
import VectorSearch

/// Resolves the names in a query to the tables of an open database file.
struct StoreResolver: CollectionResolver {
    let file: DatabaseFile
    let databaseName: String
    /// The indexes that are not current: full-text indexes that cannot be searched, and others, whose tables are read without indexes.
    var outdatedIndexes = OutdatedIndexes()
    /// The indexes that the query must not use because their keys are not the values that it computes.
    var inexactIndexes = InexactIndexes()

    func ignoresIndexes(ofTable table: String) -> Bool { outdatedIndexes.tables.contains(table) }

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

    func collectionPaths() throws -> [CollectionPath] {
        try file.collectionIDs().map { CollectionPath(scope: $0.scope, name: $0.name) }
    }

    func fullTextTable(ofIndex index: String, in table: SourceTable) throws -> String? {
        guard let found = try fullTextTable(named: index, in: table) else { return nil }
        return try checked(found, ofIndex: index)
    }

    /// Returns the table of a full-text index if it can be searched.
    private func checked(_ table: String, ofIndex index: String) throws(QueryError) -> String {
        guard !outdatedIndexes.fullTextTables.contains(table) else {
            throw .invalidQuery(
                "the full-text index '\(index)' depends on the order of texts or the local time zone, and was made for another one; "
                    + "opening the database for writing rebuilds it"
            )
        }
        return table
    }

    private func fullTextTable(named index: String, in table: SourceTable) throws -> String? {
        try file.read { context in
            guard try RegistryTable.exists(on: context.connection) else {
                return try UnregisteredIndex.all(on: context.connection)
                    .first { $0.kind == .fullText && $0.store.isExactly(table.storeName) && $0.name.isExactly(index) }?
                    .table
            }
            let collection = CollectionID(storeName: table.storeName)
            let qualified = collection.map { RegistryTable.qualifiedName(index, in: $0) } ?? index
            // A stored name that begins with the collection's name may be the qualified name of another index.
            let isQualified = collection.map { RegistryTable.isQualified(index, in: $0) } ?? false
            let name = try context.connection.texts(
                """
                SELECT ifnull(indexTableName, '') FROM indexes WHERE name IN (?1, ?2) AND keyStore = ?3 AND type = 1 ORDER BY name <> ?1
                """,
                isQualified ? qualified : index,
                isQualified ? index : qualified,
                table.storeName
            ).first
            return name.flatMap { IndexTables.isIndexTable($0) ? $0 : nil }
        }
    }

    func fullTextColumn(of property: PropertyPath, in table: SourceTable) throws -> FullTextColumn? {
        try file.read { context in
            for index in try fullTextTables(in: table, on: context.connection) {
                let columns = try SearchIndex.columns(ofTable: index, on: context.connection)
                if columns.containsExactly(property.encoded) {
                    _ = try checked(index, ofIndex: index)
                    return FullTextColumn(table: index, name: property.encoded, isOnly: columns.count == 1)
                }
            }
            return nil
        }
    }

    func columns(ofFullTextTable table: String) throws -> [String] {
        try file.read { try SearchIndex.columns(ofTable: table, on: $0.connection) }
    }

    func expansion(ofFullTextTable table: String) throws -> FullTextExpansion {
        try file.read { try SearchIndex.expansion(ofTable: table, on: $0.connection) }
    }

    /// Returns the full-text tables of a collection, ordered by index name if the file has a registry.
    private func fullTextTables(in table: SourceTable, on connection: Connection) throws -> [String] {
        guard try RegistryTable.exists(on: connection) else {
            return try UnregisteredIndex.all(on: connection)
                .filter { $0.kind == .fullText && $0.store.isExactly(table.storeName) }.compactMap(\.table)
        }
        return try connection.texts(
            "SELECT indexTableName FROM indexes WHERE keyStore = ? AND type = 1 AND indexTableName IS NOT NULL ORDER BY name",
            table.storeName
        ).filter(IndexTables.isIndexTable)
    }

    func arrayTable(forPath path: String, in table: SourceTable) throws -> String? {
        let name = try file.read { try Self.arrayTable(forPath: path, in: table, on: $0.connection) }
        return name.flatMap { ignoresIndexes(ofTable: $0) || inexactIndexes.contains(arrayTable: $0) ? nil : $0 }
    }

    func predictionTable(ofCall call: String, in table: SourceTable) throws -> String? {
        let name = PredictionTable.name(ofCall: call, documents: table.liveTable)
        guard !outdatedIndexes.fullTextTables.contains(name) else { return nil }
        return try file.read { try RegistryTable.hasTable(name, on: $0.connection) } ? name : nil
    }

    func vectorIndexes(in table: SourceTable) throws -> [VectorIndexReference] {
        try file.read { context in
            try VectorRegistry.searchableEntries(of: table.storeName, on: context.connection).compactMap { entry in
                // An expression of an untrusted file that cannot be parsed is that of no query.
                guard let expression = try? entry.expression else { return nil }
                return VectorIndexReference(
                    name: entry.name,
                    table: entry.tables.name,
                    expression: expression,
                    metric: entry.options.metric.name,
                    isTrained: entry.isTrained
                )
            }
        }
    }

    func hasPatternIndex(in table: SourceTable) throws -> Bool {
        try !ignoresIndexes(ofTable: table.liveTable) && file.read { try Self.hasPatternIndex(in: table, on: $0.connection) }
    }

    func hasIndex(of expression: String, onTable table: String) throws -> Bool {
        guard !ignoresIndexes(ofTable: table) else { return false }
        return try file.read { context in
            try Self.hasIndex(onTable: table, with: expression, on: context.connection) {
                SQLText.contains(expression, in: $0) && !inexactIndexes.contains($0, onTable: table)
            }
        }
    }

    static func hasIndex(of expression: String, onTable table: String, on connection: Connection) throws -> Bool {
        try hasIndex(onTable: table, with: expression, on: connection) { SQLText.contains(expression, in: $0) }
    }

    func isInexactlyIndexed(_ property: String, onTable table: String) -> Bool { inexactIndexes.read(property, onTable: table) }

    private static let readings = Mutex(NumberReadings())

    func readsExactly(_ number: Double) throws -> Bool {
        if let isExact = Self.readings.withLock({ $0[number] }) { return isExact }
        let isExact = try file.read { context in
            let statement = try context.connection.cachedStatement("SELECT CAST(? AS REAL)")
            defer { statement.resetAndClear() }
            try statement.bindText(SQLText.literal(number), at: 1)
            return try statement.step() && statement.double(at: 0) == number
        }
        Self.readings.withLock { $0[number] = isExact }
        return isExact
    }

    /// Returns whether an index on the table has a condition with GLOB, which replaces LIKE there.
    static func hasPatternIndex(in table: SourceTable, on connection: Connection) throws -> Bool {
        try hasIndex(onTable: table.liveTable, with: " WHERE ", on: connection) { SQLText.contains(" GLOB ", in: $0) }
    }

    /// Returns whether an index on the table has a statement that contains the text and satisfies the condition.
    private static func hasIndex(
        onTable table: String,
        with text: String,
        on connection: Connection,
        where isWanted: (String) -> Bool
    ) throws -> Bool {
        let statement = try connection.cachedStatement(
            "SELECT sql FROM sqlite_master WHERE type = 'index' AND tbl_name = ? AND instr(sql, ?)"
        )
        defer { statement.resetAndClear() }
        try statement.bindText(table, at: 1)
        try statement.bindText(text, at: 2)
        while try statement.step() {
            if isWanted(statement.text(at: 0)) { return true }
        }
        return false
    }

    /// Returns the table with the elements at a path; `nil` if no array index has created one.
    static func arrayTable(forPath path: String, in table: SourceTable, on connection: Connection) throws -> String? {
        let registered = ArrayTable.registeredName(forPath: path, documents: table.liveTable)
        let plain = table.liveTable + IndexTables.unnestMark + path
        // Tables created by releases before 3.2.1 have no row IDs that deeper levels could refer to.
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
    /// The collection's tables in the form that the compiler needs.
    var sourceTable: SourceTable {
        SourceTable(storeName: tables.store, liveTable: tables.liveName, deletedTable: tables.tombstoneName, isDefault: id.isDefault)
    }
}

/// For floating-point numbers, whether the SQLite in use reads them exactly from their decimal text. All databases have the same SQLite, and a
/// list of numbers in a query is compiled often, so the answers are kept.
struct NumberReadings {
    /// The maximum number of answers, so that queries with ever other numbers take no memory.
    static let capacity = 16_384

    private var answers: [Double: Bool] = [:]

    /// The answer for a number; `nil` if it is not known.
    subscript(number: Double) -> Bool? {
        get { answers[number] }
        set {
            if answers.count >= Self.capacity { answers.removeAll(keepingCapacity: true) }
            answers[number] = newValue
        }
    }
}
