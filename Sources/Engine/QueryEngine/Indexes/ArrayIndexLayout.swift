import Base
import DocumentStore
import QueryLanguage
import SQLiteEngine

/// The layout of an array index: an SQL index on the table with the elements of the innermost array of its path. All indexes of a path
/// share its tables (Storage format 5.5).
struct ArrayIndexLayout: IndexLayout {
    private let specification: IndexSpecification
    private let collection: CollectionStore
    private let tables: [ArrayTable]
    private let table: ArrayTable

    init(_ specification: IndexSpecification, path: String, on collection: CollectionStore) throws {
        self.specification = specification
        self.collection = collection
        tables = ArrayTable.levels(of: try ArrayIndexPath(path), on: collection)
        guard let innermost = tables.last else { throw QueryError.invalidQuery("an array index needs a path") }
        table = innermost
    }

    let kind = IndexInfo.Kind.array

    func table(ofIndex name: String) -> String? { table.registeredName }

    func matches(_ existing: IndexInfo, on connection: Connection) throws -> Bool {
        try table.registeredName.isExactly(existing.table)
            && statement(named: existing.storedName).isExactly(RegistryTable.sql(ofIndex: existing.storedName, on: connection))
            && tables.allSatisfy { try $0.isUnchanged(on: connection) }
    }

    func create(named name: String, on connection: Connection, _ progress: IndexProgress) throws {
        let missing = try tables.filter { try !$0.exists(on: connection) }
        for (number, table) in missing.enumerated() {
            try table.create(on: connection, progress.statement(number, of: missing.count + 1))
            try adoptIndexes(ofOlderTable: table, on: connection)
        }
        try progress.statement(missing.count, of: missing.count + 1).execute(try statement(named: name), on: connection)
    }

    private func statement(named name: String) throws -> String {
        try IndexCompiler.createArrayIndex(name: name, onArrayTable: table.name, expressions: specification.expressions)
    }

    /// Moves the indexes of a table created by a release before 3.2.1 to the table that replaces it. The old table has the plain name, and
    /// no row IDs that deeper levels could refer to.
    private func adoptIndexes(ofOlderTable table: ArrayTable, on connection: Connection) throws {
        guard try RegistryTable.hasTable(table.registeredName, on: connection) else { return }
        for older in try RegistryTable.rows(of: collection, on: connection)
        where table.registeredName.isExactly(older.table) {
            guard let definition = older.definition else { continue }
            try connection.execute("DROP INDEX IF EXISTS \(older.storedName.quotedIdentifier)")
            try connection.execute(
                try IndexCompiler.createArrayIndex(
                    name: older.storedName,
                    onArrayTable: table.name,
                    expressions: try IndexSpecification(definition).expressions
                )
            )
        }
        try IndexTables.drop(table.registeredName, on: connection)
    }
}
