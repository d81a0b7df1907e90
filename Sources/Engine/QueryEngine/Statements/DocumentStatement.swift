import Base
import DocumentStore
package import QueryLanguage
import SQLiteEngine

/// Computes columns from one document, given by its ID, in a transaction.
final class DocumentStatement {
    let compiled: CompiledQuery
    private let statement: Statement
    private let context: ConnectionContext
    /// The number of the parameter for the document ID.
    private let idParameter: Int

    /// The name of the parameter for the document ID. No query text can contain it, because it begins with a digit.
    private static let idName = "0id"

    /// - Throws: ``QueryError`` if the columns are invalid.
    init(
        _ columns: [SelectItem],
        of source: Source,
        _ parameters: QueryParameters,
        _ resolver: StoreResolver,
        _ context: ConnectionContext
    ) throws {
        for column in columns where column.expression.containsAggregate {
            throw QueryError.invalidQuery("an aggregate function has no meaning for a single document")
        }
        let isDocument = QueryExpression.operation(.equal, [.meta("id"), .parameter(Self.idName)])
        let select = SelectStatement(items: columns, sources: [source], condition: isDocument)
        // Nested queries may use indexes.
        compiled = try ExactQuery(resolver, context) { resolver in
            try QueryCompiler.compile(select, resolver: resolver, includesMatchInformation: false)
        }.compiled
        self.context = context
        statement = try context.connection.prepare(query: compiled.sql)
        try parameters.only(compiled.parameterNames).bind(to: statement, of: compiled)
        idParameter = statement.parameterIndex(named: "$_" + Self.idName) ?? 0
    }

    deinit {
        statement.finalize()
    }

    /// Calls `body` with the row of a document; returns `nil` if the document does not exist.
    func withRow<Result>(of id: String, _ body: (Statement) throws -> Result) throws -> Result? {
        defer { statement.reset() }
        try statement.bindText(id, at: idParameter)
        return try statement.checkedStep(on: context) ? body(statement) : nil
    }
}

extension Connection {
    /// Prepares the statement of a query, and reports errors that the query has caused as ``QueryError``.
    func prepare(query sql: String) throws -> Statement {
        do throws(SQLiteError) {
            return try prepare(sql)
        } catch {
            throw QueryError(preparing: error) ?? error
        }
    }
}

extension Statement {
    /// Moves to the next row, and reports errors that the query has caused as ``QueryError``.
    func checkedStep(on context: ConnectionContext) throws -> Bool {
        do throws(SQLiteError) {
            return try step(ofQueryOn: context)
        } catch {
            throw QueryError(error) ?? error
        }
    }
}

extension QueryParameters {
    /// Returns the parameters with these names.
    func only(_ names: [String]) -> QueryParameters {
        var parameters = QueryParameters()
        for name in names { parameters[name] = self[name] }
        return parameters
    }

    /// Checks that these are the parameters that the statement has.
    ///
    /// - Throws: ``QueryError`` of the kind `invalidQueryParameter` for a parameter that is not set, or that the statement does not have.
    func check(areThoseOf statement: DataStatement) throws(QueryError) {
        let expected = statement.parameterNames
        for name in expected.sorted() where self[name.string] == nil {
            throw .parameterNotSet(name.string)
        }
        for name in names where !expected.contains(ExactString(name)) {
            throw QueryError(.invalidQueryParameter, "the statement has no parameter $\(name)")
        }
    }
}

extension QueryError {
    /// Returns the error of running a query or statement that has a parameter without a value.
    package static func parameterNotSet(_ name: String) -> QueryError {
        QueryError(.invalidQueryParameter, "the parameter $\(name) is not set")
    }
}
