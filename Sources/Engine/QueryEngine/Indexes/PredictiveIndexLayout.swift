import Base
import DocumentStore
import QueryLanguage
import SQLiteEngine

/// The layout of a predictive index: a table with the outputs of the model, which all indexes with the same model and input share, and an SQL
/// index of properties in the outputs, if there are any (Vector search PI-2, 10.5).
struct PredictiveIndexLayout: IndexLayout {
    private let table: PredictionTable
    private let paths: [PropertyPath]

    init(_ specification: IndexSpecification, on collection: CollectionStore) throws {
        guard specification.expressions.count == 1 else {
            throw QueryError.invalidQuery("Predictive index requires exactly one expression")
        }
        guard specification.condition == nil else { throw QueryError.invalidQuery("a predictive index cannot have a condition") }
        try specification.expressions[0].checkDepth()
        let (call, paths) = try ModelCall.indexed(specification.expressions[0])
        self.paths = paths
        table = PredictionTable(call, on: collection.sourceTable)
    }

    /// Creates the layout of an existing index.
    init(_ index: IndexInfo, on collection: CollectionStore) throws {
        try self.init(try IndexSpecification(IndexDefinition(name: index.name, kind: .predictive, source: index.source)), on: collection)
    }

    let kind = IndexInfo.Kind.predictive

    /// Whether there is an SQL index.
    var hasProperties: Bool { !paths.isEmpty }

    func table(ofIndex name: String) -> String? { table.name }

    func matches(_ existing: IndexInfo, on connection: Connection) throws -> Bool {
        guard table.name.isExactly(existing.table), try table.exists(on: connection) else { return false }
        let columns = try RegistryTable.sql(ofIndex: existing.storedName, on: connection).map { IndexStatement($0).columns } ?? []
        return columns.map { ExactString($0) } == IndexCompiler.predictionColumns(paths).map { ExactString($0) }
    }

    func create(named name: String, on connection: Connection, _ progress: IndexProgress) throws {
        if try !table.exists(on: connection) { try table.create(on: connection, progress) }
        guard hasProperties else { return }
        let columns = IndexCompiler.predictionColumns(paths).joined(separator: ", ")
        try connection.execute("CREATE INDEX \(name.quotedIdentifier) ON \(table.name.quotedIdentifier) (\(columns))")
    }

    /// Creates a table anew, with the outputs that the model has now, and the SQL indexes on it.
    static func rebuild(
        _ table: String,
        of indexes: [IndexInfo],
        on collection: CollectionStore,
        _ connection: Connection
    ) throws {
        let layouts = try indexes.map { ($0.storedName, try PredictiveIndexLayout($0, on: collection)) }
        // An index of another program may have a table of another name.
        guard layouts.allSatisfy({ $0.1.table.name.isExactly(table) }) else {
            throw QueryError.invalidQuery("the table \(table) does not belong to the model and the input of its indexes")
        }
        try IndexTables.drop(table, on: connection)
        for (name, layout) in layouts { try layout.create(named: name, on: connection) }
    }
}

extension IndexInfo {
    /// The name of the model of a predictive index; `nil` for other kinds, and if the definition cannot be read.
    package var modelName: String? {
        guard kind == .predictive,
            let specification = try? IndexSpecification(IndexDefinition(name: name, kind: .predictive, source: source)),
            let expression = specification.expressions.first
        else { return nil }
        return try? ModelCall.indexed(expression).call.model
    }
}
