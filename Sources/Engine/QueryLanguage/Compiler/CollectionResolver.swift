/// Resolves the names in a query to tables and indexes of the database.
package protocol CollectionResolver {
    /// The name of the database, which is also a name of the default collection (Query 2.5).
    var databaseName: String { get }

    /// Returns the tables of a collection; `nil` if there is no such collection.
    ///
    /// The path is always complete: it has a scope and a name, and both are `_default` for the default collection. The comparison is
    /// case-sensitive.
    func table(forCollection path: CollectionPath) throws -> SourceTable?

    /// Returns the paths of all collections, sorted, for the message of an error.
    func collectionPaths() throws -> [CollectionPath]

    /// Returns the name of the table of a full-text index of the collection; `nil` if there is no such index.
    func fullTextTable(ofIndex index: String, in table: SourceTable) throws -> String?

    /// Returns the column of a full-text index of the collection that contains the texts of a property; `nil` if no index contains them.
    func fullTextColumn(of property: PropertyPath, in table: SourceTable) throws -> FullTextColumn?

    /// Returns the names of the columns of a full-text table, in order; none if there is no such table.
    func columns(ofFullTextTable table: String) throws -> [String]

    /// Returns which patterns of searches in a full-text table have to be expanded.
    func expansion(ofFullTextTable table: String) throws -> FullTextExpansion

    /// Returns the table with the elements at an UNNEST path, for example `contacts` or `contacts[].phones`, in the collection; `nil` if no
    /// array index has created one.
    func arrayTable(forPath path: String, in table: SourceTable) throws -> String?

    /// Returns the table with the outputs of a model for the documents of the collection; `nil` if no predictive index has created one.
    ///
    /// - Parameter call: The text that identifies the model and its input: ``ModelCall/identity``.
    func predictionTable(ofCall call: String, in table: SourceTable) throws -> String?

    /// Returns the vector indexes of the collection.
    func vectorIndexes(in table: SourceTable) throws -> [VectorIndexReference]

    /// Returns whether an index of the collection has LIKE in its condition.
    func hasPatternIndex(in table: SourceTable) throws -> Bool

    /// Returns whether an index on the table, which contains documents or array elements, has a column that contains the expression, given
    /// in SQL.
    func hasIndex(of expression: String, onTable table: String) throws -> Bool

    /// Returns whether a property must not be read from indexes of the table, because their keys are not exactly its values (Storage format
    /// 5.10). It is given in SQL, as the arguments `body, 'path'`.
    func isInexactlyIndexed(_ property: String, onTable table: String) -> Bool

    /// Returns whether a table of documents is read without its indexes, because what they contain may be wrong.
    func ignoresIndexes(ofTable table: String) -> Bool

    /// Returns whether SQLite reads exactly this number from its decimal text. The parsers of its versions round differently.
    func readsExactly(_ number: Double) throws -> Bool
}

extension CollectionResolver {
    package func collectionPaths() throws -> [CollectionPath] { [] }

    package func fullTextTable(ofIndex index: String, in table: SourceTable) throws -> String? { nil }

    package func fullTextColumn(of property: PropertyPath, in table: SourceTable) throws -> FullTextColumn? { nil }

    package func columns(ofFullTextTable table: String) throws -> [String] { [] }

    package func expansion(ofFullTextTable table: String) throws -> FullTextExpansion { .none }

    package func arrayTable(forPath path: String, in table: SourceTable) throws -> String? { nil }

    package func predictionTable(ofCall call: String, in table: SourceTable) throws -> String? { nil }

    package func vectorIndexes(in table: SourceTable) throws -> [VectorIndexReference] { [] }

    package func hasPatternIndex(in table: SourceTable) throws -> Bool { false }

    package func hasIndex(of expression: String, onTable table: String) throws -> Bool { false }

    package func isInexactlyIndexed(_ property: String, onTable table: String) -> Bool { false }

    package func ignoresIndexes(ofTable table: String) -> Bool { false }

    package func readsExactly(_ number: Double) throws -> Bool { true }
}

/// Which patterns of searches in a full-text index are expanded before FTS4 reads them.
package enum FullTextExpansion: Sendable, Hashable {
    /// None, except those with `fuzzy()`.
    case none
    /// Those with prefixes, because the index has stems (Query 6.12).
    case prefixes
    /// All, because the index has synonyms (Query 6.14).
    case all
}

/// A column of a full-text table.
package struct FullTextColumn: Sendable, Hashable {
    /// The name of the full-text table, not quoted.
    package var table: String
    /// The name of the column, not quoted.
    package var name: String
    /// Whether the table has no other column.
    package var isOnly: Bool

    package init(table: String, name: String, isOnly: Bool) {
        self.table = table
        self.name = name
        self.isOnly = isOnly
    }
}

/// The tables of one collection (Storage format 2.4).
package struct SourceTable: Sendable, Hashable {
    /// The unmangled name of the store: `default`, `.people`, `.travel.hotels`.
    package var storeName: String

    /// The table with the live documents, for example `kv_default`.
    package var liveTable: String

    /// The table with the deleted documents; `nil` in files of older versions, where one table contains both.
    package var deletedTable: String?

    /// Whether this is the default collection. Its live table may contain deleted documents of an upgraded file.
    package var isDefault: Bool

    package init(storeName: String, liveTable: String, deletedTable: String?, isDefault: Bool) {
        self.storeName = storeName
        self.liveTable = liveTable
        self.deletedTable = deletedTable
        self.isDefault = isDefault
    }

    /// Whether the live table may contain deleted documents, so that the deleted flag of its rows must be tested.
    package var liveTableMayContainDeleted: Bool { isDefault || deletedTable == nil }
}
