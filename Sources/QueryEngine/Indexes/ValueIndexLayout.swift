import DocumentStore
import ExactStrings
import SQLiteEngine

/// The layout of a value index: an SQL index on the documents' table (Storage format 5.2).
struct ValueIndexLayout: IndexLayout {
    private let specification: IndexSpecification
    private let collection: CollectionStore

    init(_ specification: IndexSpecification, on collection: CollectionStore) {
        self.specification = specification
        self.collection = collection
    }

    let kind = IndexInfo.Kind.value

    func table(ofIndex name: String) -> String? { nil }

    func matches(_ existing: IndexInfo, on connection: Connection) throws -> Bool {
        try statement(named: existing.storedName).isExactly(RegistryTable.sql(ofIndex: existing.storedName, on: connection))
    }

    func create(named name: String, on connection: Connection) throws {
        try connection.execute(try statement(named: name))
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
