import Base
import DocumentStore
import QueryLanguage
import SQLiteEngine

/// The tables, indexes and triggers that store an index of one kind in the file (Storage format 5).
///
/// The registry asks the layout whether an existing index matches. If not, the registry drops that index and has the layout create the new
/// one in the same transaction.
protocol IndexLayout {
    /// The kind, which has a number in the registry.
    var kind: IndexInfo.Kind { get }

    /// Returns the name of the index's own table in the registry; `nil` for an index without one.
    ///
    /// - Parameter name: The name of the index in the registry.
    func table(ofIndex name: String) -> String?

    /// Returns whether an existing index of the same name and kind is what ``create(named:on:)`` would create: the same expressions,
    /// condition and options, however they were written.
    func matches(_ existing: IndexInfo, on connection: Connection) throws -> Bool

    /// Creates the index and fills it from the existing documents.
    ///
    /// - Parameters:
    ///   - name: The name of the index in the registry.
    ///   - progress: Told how far the creation has got.
    func create(named name: String, on connection: Connection, _ progress: IndexProgress) throws
}

extension IndexLayout {
    func create(named name: String, on connection: Connection) throws { try create(named: name, on: connection, .none) }
}

extension IndexSpecification {
    /// Returns the layout of the specified index.
    ///
    /// - Throws: ``QueryError`` if the expressions cannot be indexed in this way.
    func layout(on collection: CollectionStore) throws -> any IndexLayout {
        switch kind {
        case .value:
            return ValueIndexLayout(self, on: collection)
        case .fullText(let options):
            return try FullTextIndexLayout(self, options, on: collection)
        case .array(let path):
            return try ArrayIndexLayout(self, path: path, on: collection)
        case .predictive:
            return try PredictiveIndexLayout(self, on: collection)
        case .vector:
            // They have their own registry, see `IndexRegistry+Vectors.swift`.
            throw QueryError(.unsupported, "a vector index has no layout")
        }
    }
}

/// The layout of a value index: an SQL index on the documents' table (Storage format 5.2).
struct ValueIndexLayout: IndexLayout {
    private let specification: IndexSpecification
    private let collection: CollectionStore

    init(_ specification: IndexSpecification, on collection: CollectionStore) {
        (self.specification, self.collection) = (specification, collection)
    }

    let kind = IndexInfo.Kind.value

    func table(ofIndex name: String) -> String? { nil }

    func matches(_ existing: IndexInfo, on connection: Connection) throws -> Bool {
        try statement(named: existing.storedName).isExactly(RegistryTable.sql(ofIndex: existing.storedName, on: connection))
    }

    func create(named name: String, on connection: Connection, _ progress: IndexProgress) throws {
        try progress.execute(try statement(named: name), on: connection)
    }

    private func statement(named name: String) throws -> String {
        try IndexCompiler.createValueIndex(
            name: name,
            on: collection.sourceTable,
            expressions: specification.expressions,
            condition: specification.condition
        )
    }
}
