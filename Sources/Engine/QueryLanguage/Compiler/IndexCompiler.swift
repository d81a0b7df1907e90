/// Translates the definition of an index to SQL. The expressions are those of queries, but without a prefix before the columns (Query 5.3,
/// 7.1; Storage format 5.2).
package enum IndexCompiler {
    /// Returns the statement that creates a value index.
    ///
    /// - Parameters:
    ///   - expressions: The expressions to index; at least one.
    ///   - condition: The condition that indexed documents satisfy; `nil` to index all documents.
    /// - Throws: ``QueryError`` if an expression cannot be indexed.
    package static func createValueIndex(
        name: String,
        on table: SourceTable,
        expressions: [QueryExpression],
        condition: QueryExpression? = nil
    ) throws -> String {
        guard !expressions.isEmpty else { throw QueryError.invalidQuery("empty index expression") }
        let columns = try compile(expressions, on: .documents(table))
        let head = "CREATE INDEX \(SQLText.identifier(name)) ON \(SQLText.identifier(table.liveTable))"
        let sql = "\(head) (\(columns.joined(separator: ", ")))"
        guard let condition else { return sql }
        return "\(sql) WHERE \(try self.condition(condition, on: table))"
    }

    /// Returns the statement that creates an index on an array table, which has one element per row.
    ///
    /// - Parameter expressions: The expressions to index, relative to an element; empty to index the element itself.
    package static func createArrayIndex(name: String, onArrayTable table: String, expressions: [QueryExpression]) throws -> String {
        let indexed = expressions.isEmpty ? [.property([])] : expressions
        let columns = try compile(indexed, on: .arrayTable(table))
        return "CREATE INDEX \(SQLText.identifier(name)) ON \(SQLText.identifier(table)) "
            + "(\(columns.joined(separator: ", ")))"
    }

    /// Returns the condition of a partial index. On a table that may contain deleted documents, the condition excludes them with the same
    /// text as in queries.
    ///
    /// - Parameter row: The name of the row in a trigger, `new` or `old`; `nil` for an index.
    package static func condition(_ condition: QueryExpression, on table: SourceTable, row: String? = nil) throws -> String {
        let sql = try compile([condition], on: .documents(table), row: row, isCondition: true)[0]
        if table.liveTableMayContainDeleted { return excludingDeleted(sql, row: row) }
        return row == nil ? sql : "(\(sql))"
    }

    /// Returns a condition, given in SQL, that deleted documents do not satisfy.
    static func excludingDeleted(_ sql: String, row: String? = nil) -> String {
        "(\(sql)) AND (\(row.map { $0 + "." } ?? "")flags & 1 = 0)"
    }

    /// Returns the call of a model with a document, for the table of a predictive index (Vector search FP-4).
    ///
    /// - Parameter row: The name of the row with the document.
    /// - Throws: ``QueryError`` if the input cannot be computed in an index.
    package static func prediction(_ call: ModelCall, on table: SourceTable, row: String) throws -> String {
        let expression = QueryExpression.function(name: ModelCall.functionName, arguments: [.string(call.model), call.input])
        return try compile([expression], on: .documents(table), row: row)[0]
    }

    /// Returns the columns of the SQL index on the table of a predictive index (Vector search FP-5).
    package static func predictionColumns(_ paths: [PropertyPath]) -> [String] {
        paths.map { "fl_unnested_value(body, \(SQLText.literal($0.encoded)))" }
    }

    /// Returns the properties that a full-text index contains. Expressions of another kind are not allowed (Query 6.1).
    package static func fullTextColumns(of expressions: [QueryExpression]) throws(QueryError) -> [PropertyPath] {
        guard !expressions.isEmpty else { throw QueryError.invalidQuery("empty index expression") }
        var columns: [PropertyPath] = []
        for expression in expressions {
            guard case .property(let path) = expression, !path.isEmpty else {
                throw QueryError.invalidQuery("FTS index expression must be a property")
            }
            columns.append(path)
        }
        return columns
    }

    static func compile(
        _ expressions: [QueryExpression],
        on kind: ResolvedSource.Kind,
        row: String? = nil,
        isCondition: Bool = false
    ) throws -> [String] {
        for expression in expressions { try expression.checkDepth() }
        let record = CompilationRecord(resolver: NoCollections())
        var compiler = SelectCompiler(indexOn: kind, row: row, record: record)
        return try expressions.map { expression in
            compiler.context.isAtTopOfCondition = isCondition
            return try compiler.expression(expression)
        }
    }
}

/// A resolver without collections, because index expressions cannot refer to any.
private struct NoCollections: CollectionResolver {
    let databaseName = ""

    func table(forCollection path: CollectionPath) -> SourceTable? { nil }
}
