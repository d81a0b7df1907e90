import Base
import QueryEngine
import QueryLanguage

/// What a statement did; returned by ``Database/execute(_:parameters:)``.
public struct StatementResult: Sendable {
    /// The number of documents that were created, changed or deleted. 0 for a query.
    public let changedCount: Int

    /// The number of documents that `UPDATE` selected but left as they are, because they have no such item, or a value that is no object.
    public let skippedCount: Int

    /// The rows of the `RETURNING` clause, one for each of these documents, or the rows of a query. Without `RETURNING` there are none.
    public let rows: ResultSet
}

extension Database {
    /// Runs a statement in SQL++ that changes documents, or a query.
    ///
    /// ```swift
    /// let result = try database.execute(
    ///     "UPDATE airports SET visits = visits + 1 WHERE tz = \(tz) RETURNING meta().id"
    /// )
    /// print(result.changedCount)
    /// ```
    ///
    /// The statements are `UPDATE`, `DELETE`, `INSERT` and `UPSERT`; <doc:QueryLanguage> describes them. They change documents as
    /// ``Collection/save(document:)`` and ``Collection/delete(document:)`` do: each change is a new revision, which is replicated, and
    /// listeners are notified. All changes of a statement are committed together. If the statement fails, none is stored; inside a batch,
    /// the other changes of the batch are kept.
    ///
    /// A new blob in the parameters is stored in the database before the statement begins.
    ///
    /// Blocks until the changes are committed; see ``Collection`` for how long it waits for other writers. In memory are the IDs of all
    /// documents that the statement selects, the rows that it returns, and one document.
    ///
    /// - Parameters:
    ///   - statement: The text of the statement. Interpolated values are bound as parameters; see ``QueryText``.
    ///   - parameters: The values of parameters that the text names, such as `$tz`. Default: `nil`, none.
    /// - Complexity: That of the query with the same condition, and a lookup and a write for each document.
    /// - Throws: `invalidQuery` if the statement is invalid, or fails while it is evaluated; `invalidQueryParam` if it has a parameter that
    ///   is not set, or the other way round; ``CBLError/invalidParameter`` if `INSERT` finds a document with the same ID, or a document
    ///   would get a reserved property; ``CBLError/badDocID`` if a new ID is invalid; otherwise the errors of
    ///   ``Collection/save(document:)``.
    @discardableResult
    public func execute(_ statement: QueryText, parameters: Parameters? = nil) throws -> StatementResult {
        try throwingPublicErrors {
            try execute(statement.text, try statement.parameters(adding: parameters), cancellation)
        }
    }

    func execute(_ text: String, _ parameters: Parameters, _ cancellation: QueryCancellation) throws -> StatementResult {
        try throwingPublicErrors {
            if let statement = try SQLPlusPlus.parseDataStatement(text) { return try execute(statement, parameters, cancellation) }
            return StatementResult(changedCount: 0, skippedCount: 0, rows: try createQuery(text).execute(parameters, cancellation))
        }
    }

    func execute(_ statement: DataStatement, _ parameters: Parameters?, _ cancellation: QueryCancellation) throws -> StatementResult {
        let values = try parameters?.queryParameters(storingBlobsIn: self) ?? QueryParameters()
        let outcome = try withFile { try statement.run(on: $0, databaseName: name, parameters: values, cancellation: cancellation) }
        EngineLog.log(.verbose, .query, "changed \(outcome.count) documents by a statement")
        let rows = ResultSet(outcome.rows, database: self)
        return StatementResult(changedCount: outcome.count, skippedCount: outcome.skippedCount, rows: rows)
    }
}
