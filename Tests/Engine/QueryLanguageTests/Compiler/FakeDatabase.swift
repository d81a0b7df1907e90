import QueryLanguage

/// A database with names only, for the compiler: the default collection, `people` and `shop.hotels`, full-text indexes with the
/// name `idx` on any of them, and array indexes if a test requires them.
struct FakeDatabase: CollectionResolver {
    var databaseName = "db"
    var collections: Set<String> = ["_default.people", "shop.hotels", "inv.stores"]
    var fullTextIndexes: Set<String> = ["idx"]
    var arrayPaths: Set<String> = []
    var hasDeletedTables = true
    /// The numbers that its SQLite reads as others.
    var misreadNumbers: Set<Double> = []
    var hasPatternIndexes = false
    /// The expressions, in SQL, that its indexes contain.
    var indexedExpressions: Set<String> = []

    func table(forCollection path: CollectionPath) -> SourceTable? {
        if path == .defaultCollection {
            return SourceTable(
                storeName: "default",
                liveTable: "kv_default",
                deletedTable: hasDeletedTables ? "kv_del_default" : nil,
                isDefault: true
            )
        }
        guard collections.contains(path.description) else { return nil }
        let store = path.scope == "_default" ? ".\(path.name ?? "")" : ".\(path)"
        return SourceTable(
            storeName: store,
            liveTable: "kv_" + store,
            deletedTable: hasDeletedTables ? "kv_del_" + store : nil,
            isDefault: false
        )
    }

    func fullTextTable(ofIndex index: String, in table: SourceTable) -> String? {
        fullTextIndexes.contains(index) ? "\(table.liveTable)::\(index)" : nil
    }

    func columns(ofFullTextTable table: String) -> [String] { ["title", "content.text"] }

    func arrayTable(forPath path: String, in table: SourceTable) -> String? {
        arrayPaths.contains(path) ? "\(table.liveTable):unnest:\(path)" : nil
    }

    func hasPatternIndex(in table: SourceTable) -> Bool { hasPatternIndexes }

    func readsExactly(_ number: Double) -> Bool { !misreadNumbers.contains(number) }

    func hasIndex(of expression: String, onTable table: String) -> Bool { indexedExpressions.contains(expression) }

    func compile(_ text: String) throws -> CompiledQuery {
        try QueryCompiler.compile(SQLPlusPlus.parse(text), resolver: self)
    }

    func compile(json text: String) throws -> CompiledQuery {
        try QueryCompiler.compile(QueryJSON.parse(text), resolver: self)
    }
}
