import Base

/// The expressions of vector indexes in SQL (Vector search VC-5, VC-6).
extension IndexCompiler {
    /// Returns the call that computes the vector of a document as 32-bit floats, or the number of the reason why there is none.
    ///
    /// - Parameters:
    ///   - dimensions: The number of components that the vector must have.
    ///   - row: The alias of the table of documents.
    /// - Throws: ``QueryError`` if the expression cannot be indexed.
    package static func vector(of expression: QueryExpression, dimensions: Int, on table: SourceTable, row: String) throws -> String {
        let value = try vectorExpression(expression, on: table, row: row)
        // Reading a property directly makes no copy of it.
        if let arguments = value.rest(afterExactly: "fl_value(") {
            let arguments = String(arguments.dropLast())
            if value.hasSuffix(")"), !arguments.utf8.contains(UInt8(ascii: "(")) { return "fl_vector(\(arguments), \(dimensions))" }
        }
        return "fl_vector(\(value), \(dimensions))"
    }

    /// Returns the value from which the app computes a vector, in the form of result rows.
    ///
    /// - Throws: ``QueryError`` if the expression cannot be indexed.
    package static func vectorSource(of expression: QueryExpression, on table: SourceTable, row: String) throws -> String {
        "fl_result(\(try vectorExpression(expression, on: table, row: row)))"
    }

    private static func vectorExpression(_ expression: QueryExpression, on table: SourceTable, row: String) throws -> String {
        if let reason = expression.reasonNotToIndexVectors { throw QueryError.invalidQuery("a vector index cannot contain \(reason)") }
        return try compile([expression], on: .documents(table), row: row)[0]
    }
}

extension QueryExpression {
    /// What prevents that the expression is that of a vector index; `nil` if nothing does.
    fileprivate var reasonNotToIndexVectors: String? {
        if containsAggregate { return "an aggregate function" }
        if contains(where: \.isVectorCall) { return "APPROX_VECTOR_DISTANCE" }
        if contains(where: { if case .parameter = $0 { true } else { false } }) { return "a parameter" }
        if contains(where: \.isNestedOrSearch) { return "a query, MATCH or RANK" }
        return nil
    }
}

extension QueryExpression {
    /// Whether two expressions of indexes are equal, however they were written (Vector search VQ-2).
    package func isSameIndexed(as other: QueryExpression) -> Bool { comparableWithIndexes == other.comparableWithIndexes }
}
