import Base
import DocumentStore
import QueryLanguage
import SQLiteEngine
import VectorSearch

/// A row of the table of vector indexes (Vector search FL-1).
struct VectorIndexEntry {
    /// The name given when the index was created.
    let name: String
    /// The name of the store that is indexed.
    let store: String
    /// The expression as stored, with the mark of its language.
    let storedExpression: String
    let options: VectorIndexOptions
    let tables: VectorIndexTables
    /// Identifies the model; 0 if the index is not trained, and ``damagedGeneration`` if it is damaged.
    var generation: Int64
    /// The sequence up to which all documents of a lazy index are known to need no vector.
    var doneSequence: Int64
    /// Whether this is an index of the original's extension, which has not been taken over yet: it cannot be read.
    var isForeign = false

    var isTrained: Bool { generation > 0 }

    /// The generation of an index whose tables could not be made anew. It has no triggers, so it must not be searched (Vector search FL-12).
    static let damagedGeneration: Int64 = -1

    /// Whether the index is not kept in step with the documents.
    var isDamaged: Bool { generation < 0 }

    /// The expression, in SQL++ or as JSON.
    var source: (text: String, isSQL: Bool) {
        if let sql = storedExpression.rest(afterExactly: RegistryTable.sqlMark) { return (String(sql), true) }
        return (String(storedExpression.rest(afterExactly: RegistryTable.jsonMark) ?? ""), false)
    }

    /// The expression as a syntax tree.
    ///
    /// - Throws: ``QueryError`` if the stored text is none.
    var expression: QueryExpression {
        get throws {
            let (text, isSQL) = source
            let all =
                isSQL ? try SQLPlusPlus.parseIndexExpressions(text).map(\.withNestedChains) : try QueryJSON.parseIndex(text).expressions
            guard all.count == 1 else { throw QueryError.invalidQuery("a vector index requires exactly one expression") }
            return all[0]
        }
    }

    /// The most documents for which the candidates of a search are compared again.
    static let maximumRankedAgain = 250

    /// Whether the candidates of a search are compared again, by the vectors in the documents (Vector search EN-12).
    var ranksAgain: Bool {
        // The expression is not read where its form does not matter.
        guard isTrained, options.encoding.isCoarse, let expression = try? expression else { return false }
        return Self.ranksAgain(options, expression)
    }

    /// Returns whether the candidates of searches in a trained index are compared again. The vectors of a lazy index are not in the documents, and
    /// those of a computed expression cost too much.
    static func ranksAgain(_ options: VectorIndexOptions, _ expression: QueryExpression) -> Bool {
        guard options.encoding.isCoarse, !options.isLazy, case .property = expression else { return false }
        return true
    }

    /// The index as listed with others.
    var info: IndexInfo {
        IndexInfo(
            name: name,
            kind: .vector,
            expressions: source.text,
            isSQL: source.isSQL,
            condition: nil,
            table: tables.name,
            storedName: name,
            vectorOptions: options
        )
    }
}

/// The table of vector indexes. The original's table of indexes must not list them, because it could not list any index then (Vector search
/// D2).
enum VectorRegistry {
    private static let columns = "name, keyStore, expression, options, tableName, format, generation, doneSequence"

    static func exists(on connection: Connection) throws -> Bool { try connection.contains("table", named: VectorIndexTables.registry) }

    /// Returns whether the registry has the columns that it must have.
    static func hasColumns(on connection: Connection) -> Bool {
        guard let statement = try? connection.prepare("SELECT id, \(columns) FROM vector_indexes") else { return false }
        statement.finalize()
        return true
    }

    /// Returns the indexes of a collection, or of all, sorted by name. Rows of an untrusted or newer file that this library cannot use are left
    /// out.
    static func entries(of store: String? = nil, on connection: Connection) throws -> [VectorIndexEntry] {
        guard try exists(on: connection) else { return [] }
        let statement = try connection.cachedStatement("SELECT \(columns) FROM vector_indexes WHERE ?1 IS NULL OR keyStore = ?1")
        defer { statement.resetAndClear() }
        if let store { try statement.bindText(store, at: 1) }
        var entries: [VectorIndexEntry] = []
        while try statement.step() {
            if let found = entry(statement) { entries.append(found) }
        }
        return entries.sorted { $0.name.isOrderedBefore($1.name) }
    }

    /// Returns the indexes of a collection that queries can use: also those of the original, except lazy ones, whose vectors cannot be computed
    /// (Vector search FL-13).
    static func searchableEntries(of store: String, on connection: Connection) throws -> [VectorIndexEntry] {
        let own = try entries(of: store, on: connection)
        let foreign = try OriginalVectorIndex.entries(on: connection).filter { entry in
            entry.store.isExactly(store) && !entry.options.isLazy && !own.contains { $0.name.isExactly(entry.name) }
        }
        return foreign.isEmpty ? own : (own + foreign).sorted { $0.name.isOrderedBefore($1.name) }
    }

    /// Returns the names of the indexes of a collection, also of those that cannot be read.
    static func names(of store: String, on connection: Connection) throws -> [String] {
        guard try exists(on: connection) else { return [] }
        return try connection.texts("SELECT name FROM vector_indexes WHERE keyStore = ? ORDER BY name", store)
    }

    /// Returns the index with that common name of its tables; `nil` for one of the original.
    static func entry(ofTable name: String, on connection: Connection) throws -> VectorIndexEntry? {
        try entries(on: connection).first { $0.tables.name.isExactly(name) }
    }

    private static let selectByTable = "SELECT \(columns) FROM vector_indexes WHERE tableName = ?"
    /// The columns with texts, and the format.
    private static let textColumns = 0..<6

    /// Returns the index with that common name of its tables, or that name of the original's table.
    ///
    /// - Parameter known: What the connection has searched last.
    static func index(
        ofTable name: UnsafeRawBufferPointer,
        on connection: Connection,
        _ known: KnownVectorIndex
    ) throws -> SearchedVectorIndex? {
        if try exists(on: connection), let own = try ownIndex(ofTable: name, on: connection, known) { return own }
        let foreign = try OriginalVectorIndex.entries(on: connection).first { entry in
            entry.tables.name.utf8.elementsEqual(name)
        }
        return foreign.map { SearchedVectorIndex(entry: $0, sql: VectorSearchSQL($0.tables)) }
    }

    private static func ownIndex(
        ofTable name: UnsafeRawBufferPointer,
        on connection: Connection,
        _ known: KnownVectorIndex
    ) throws -> SearchedVectorIndex? {
        let statement = try connection.cachedStatement(selectByTable)
        defer { statement.resetAndClear() }
        try statement.bindText(name, at: 1)
        guard try statement.step() else { return nil }
        return known.index(statement, textColumns: textColumns, read: entry)
    }

    /// Reads what changes while an index exists.
    static func readNumbers(of entry: inout VectorIndexEntry, _ statement: Statement) {
        entry.generation = statement.int64(at: 6)
        entry.doneSequence = statement.int64(at: 7)
    }

    private static func entry(_ statement: Statement) -> VectorIndexEntry? {
        VectorIndexTables(registered: statement.text(at: 4)).flatMap { entry(statement, $0) }
    }

    private static func entry(_ statement: Statement, _ tables: VectorIndexTables) -> VectorIndexEntry? {
        let (name, store) = (statement.text(at: 0), statement.text(at: 1))
        guard statement.int64(at: 5) == VectorIndexTables.format, let options = VectorIndexOptions(text: statement.text(at: 3)) else {
            return nil
        }
        return VectorIndexEntry(
            name: name,
            store: store,
            storedExpression: statement.text(at: 2),
            options: options,
            tables: tables,
            generation: statement.int64(at: 6),
            doneSequence: statement.int64(at: 7)
        )
    }

    static func insert(_ entry: VectorIndexEntry, on connection: Connection) throws {
        try connection.execute(VectorIndexTables.createRegistry)
        // An untrusted file may have a row of that name that no index can be read from.
        try remove(name: entry.name, store: entry.store, on: connection)
        let statement = try connection.prepare(
            "INSERT INTO vector_indexes (name, keyStore, expression, options, tableName, format, generation) VALUES (?, ?, ?, ?, ?, ?, ?)"
        )
        defer { statement.finalize() }
        for (index, text) in [entry.name, entry.store, entry.storedExpression, entry.options.text, entry.tables.name].enumerated() {
            try statement.bindText(text, at: index + 1)
        }
        try statement.bind(VectorIndexTables.format, at: 6)
        try statement.bind(entry.generation, at: 7)
        try statement.run()
    }

    /// Replaces the rows of a damaged file that do not name the tables of their index, or name them in a BLOB, which is not found by the name.
    static func repairRows(of store: String, liveTable: String, on connection: Connection) throws {
        guard try exists(on: connection) else { return }
        for (id, entry) in try wrongRows(of: store, liveTable: liveTable, on: connection) {
            let row = try connection.prepare("DELETE FROM vector_indexes WHERE id = ?")
            defer { row.finalize() }
            try row.bind(id, at: 1)
            try row.run()
            try insert(entry, on: connection)
        }
    }

    /// Returns the numbers of these rows, and what they should be.
    private static func wrongRows(
        of store: String,
        liveTable: String,
        on connection: Connection
    ) throws -> [(id: Int64, entry: VectorIndexEntry)] {
        let statement = try connection.prepare("SELECT \(columns), id FROM vector_indexes WHERE keyStore = ? ORDER BY id")
        defer { statement.finalize() }
        try statement.bindText(store, at: 1)
        var found: [(id: Int64, entry: VectorIndexEntry)] = []
        while try statement.step() {
            let tables = VectorIndexTables(indexNamed: statement.text(at: 0), ofTable: liveTable)
            let areTexts = statement.columnType(0) == .text && statement.columnType(4) == .text
            if areTexts, statement.text(at: 4).isExactly(tables.name) { continue }
            // SQL cannot name tables with a zero byte.
            if !tables.name.utf8.contains(0), let entry = self.entry(statement, tables) { found.append((statement.int64(at: 8), entry)) }
        }
        return found
    }

    private static func remove(name: String, store: String, on connection: Connection) throws {
        let statement = try connection.prepare("DELETE FROM vector_indexes WHERE name = ? AND keyStore = ?")
        defer { statement.finalize() }
        try statement.bindText(name, at: 1)
        try statement.bindText(store, at: 2)
        try statement.run()
    }

    static func setGeneration(_ generation: Int64, of entry: VectorIndexEntry, on connection: Connection) throws {
        try update("generation", to: generation, of: entry, on: connection)
    }

    static func setDoneSequence(_ sequence: Int64, of entry: VectorIndexEntry, on connection: Connection) throws {
        try update("doneSequence", to: sequence, of: entry, on: connection)
    }

    private static func update(_ column: String, to number: Int64, of entry: VectorIndexEntry, on connection: Connection) throws {
        let statement = try connection.prepare("UPDATE vector_indexes SET \(column) = ? WHERE tableName = ?")
        defer { statement.finalize() }
        try statement.bind(number, at: 1)
        try statement.bindText(entry.tables.name, at: 2)
        try statement.run()
    }

    /// Drops an index with its tables and triggers. A strange table that cannot be dropped stays, and is reported by the next transaction.
    static func drop(_ entry: VectorIndexEntry, on connection: Connection) throws {
        try entry.tables.dropIfPossible(on: connection)
        let statement = try connection.prepare("DELETE FROM vector_indexes WHERE tableName = ?")
        defer { statement.finalize() }
        try statement.bindText(entry.tables.name, at: 1)
        try statement.run()
    }
}
