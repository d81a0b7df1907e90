/// What the compiler must know about the database: which tables stand behind the names in a query.
package protocol CollectionResolver {
    /// The database's own name, which is another name of the default collection (Query 2.5).
    var databaseName: String { get }

    /// The tables of a collection, or `nil` when there is no such collection.
    ///
    /// The path is always complete: it has a scope and a name, and both are `_default` for the default collection. The
    /// comparison is case-sensitive.
    func table(forCollection path: CollectionPath) throws -> SourceTable?

    /// The name of the full-text table of an index of that collection, or `nil` when there is no such index.
    func fullTextTable(ofIndex index: String, in table: SourceTable) throws -> String?

    /// The column of a full-text index of that collection that has the texts of a property, or `nil` when no index has it.
    func fullTextColumn(of property: PropertyPath, in table: SourceTable) throws -> FullTextColumn?

    /// The table that holds the elements at an unnest path such as `contacts` or `contacts[].phones` of that
    /// collection, or `nil` when no array index has made one.
    func arrayTable(forPath path: String, in table: SourceTable) throws -> String?

    /// Whether an index of that collection has a LIKE in its condition.
    func hasPatternIndex(in table: SourceTable) throws -> Bool

    /// Whether an index on that table, of documents or of the elements of arrays, has an expression, given in SQL, as a column or in
    /// one.
    func hasIndex(of expression: String, onTable table: String) throws -> Bool
}

extension CollectionResolver {
    package func fullTextTable(ofIndex index: String, in table: SourceTable) throws -> String? { nil }

    package func fullTextColumn(of property: PropertyPath, in table: SourceTable) throws -> FullTextColumn? { nil }

    package func arrayTable(forPath path: String, in table: SourceTable) throws -> String? { nil }

    package func hasPatternIndex(in table: SourceTable) throws -> Bool { false }

    package func hasIndex(of expression: String, onTable table: String) throws -> Bool { false }
}

/// A column of a full-text table.
package struct FullTextColumn: Sendable, Hashable {
    package var table: String
    package var name: String
    /// Whether the table has no other.
    package var isOnly: Bool

    package init(table: String, name: String, isOnly: Bool) {
        self.table = table
        self.name = name
        self.isOnly = isOnly
    }
}

/// The tables of one collection (Storage format 2.4).
package struct SourceTable: Sendable, Hashable {
    /// The name of the store, unmangled: `default`, `.people`, `.travel.hotels`.
    package var storeName: String

    /// The table with the live documents, say `kv_default`.
    package var liveTable: String

    /// The table with the deleted documents; `nil` in files of older versions, where one table holds both.
    package var deletedTable: String?

    /// Whether this is the default collection. Its live table may hold deleted documents of an upgraded file.
    package var isDefault: Bool

    package init(storeName: String, liveTable: String, deletedTable: String?, isDefault: Bool) {
        self.storeName = storeName
        self.liveTable = liveTable
        self.deletedTable = deletedTable
        self.isDefault = isDefault
    }

    /// Whether rows of the live table must be tested for the deleted flag.
    package var liveTableMayHoldDeletedDocuments: Bool { isDefault || deletedTable == nil }
}
