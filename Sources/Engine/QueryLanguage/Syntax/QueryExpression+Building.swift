// The nodes of conditions that are built one step at a time: by the query builder and from `#Predicate`.

extension QueryExpression {
    /// Adds an operand to an operation of the same kind, so that a condition built one `and` at a time is not deeply nested.
    package static func chain(_ symbol: QueryOperator, _ left: QueryExpression, _ right: QueryExpression) -> QueryExpression {
        if case .operation(symbol, let operands) = left { return .operation(symbol, operands + [right]) }
        return .operation(symbol, [left, right])
    }

    /// The expression as the left operand of IN, LIKE or IS VALUED. A NOT there would negate the whole test (``asNegatedTest``), so it is put
    /// inside of an empty path.
    package var asTested: QueryExpression {
        if case .operation(.not, _) = self { .nested(self, []) } else { self }
    }

    /// Returns the expression with a changed left operand if it is IN, LIKE or IS VALUED; any other one as it is.
    func mapTestedOperand(_ change: (QueryExpression) -> QueryExpression) -> QueryExpression {
        switch self {
        case .like(let value, let pattern, let isCaseSensitive):
            .like(value: change(value), pattern: pattern, isCaseSensitive: isCaseSensitive)
        case .operation(let symbol, let operands) where symbol == .in || symbol == .isValued:
            .operation(symbol, operands.prefix(1).map(change) + operands.dropFirst())
        default: self
        }
    }

    /// Returns the condition that a value is null or missing.
    package static func isNullOrMissing(_ operand: QueryExpression) -> QueryExpression {
        .operation(.or, [.operation(.is, [operand, .null]), .operation(.is, [operand, .missing])])
    }

    /// Returns a property with the alias of its data source; if `alias` is `nil`, and for any other expression, the same expression.
    package func qualified(by alias: String?) -> QueryExpression {
        guard let alias, case .property(let path) = self else { return self }
        return .property(PropertyPath([.key(alias)] + path.components))
    }

    /// Returns the variable of ANY or EVERY whose name is the first key of an encoded path, and the path inside its value.
    ///
    /// - Throws: ``QueryError`` if the path is malformed, or does not begin with a key.
    package static func variable(encodedPath: String) throws(QueryError) -> QueryExpression {
        let path = try PropertyPath(encoded: encodedPath)
        guard let name = path.firstKey else { throw .invalidQuery("\"\(encodedPath)\" is not a variable") }
        return .variable(name, path.dropFirst())
    }

    /// Returns a condition on the elements of `source`, in which the variable `element` represents each of them.
    ///
    /// - Throws: ``QueryError`` if `element` is not a variable, or has a path inside its value.
    package static func quantified(
        _ quantifier: Quantifier,
        element: QueryExpression,
        source: QueryExpression,
        predicate: QueryExpression
    ) throws(QueryError) -> QueryExpression {
        guard case .variable(let name, let path) = element, path.isEmpty else {
            throw .invalidQuery("ANY/EVERY first parameter must be an identifier")
        }
        return .quantified(quantifier, variable: name, source: source, predicate: predicate)
    }

    /// Returns the full-text search in a property. Its index is found by the path of the property.
    ///
    /// - Throws: ``QueryError`` if `property` is not a property.
    package static func match(_ property: QueryExpression, pattern: String) throws(QueryError) -> QueryExpression {
        guard case .property(let path) = property, !path.isEmpty else { throw .invalidQuery("only properties can be matched") }
        return .match(index: path.encoded, pattern: .string(pattern))
    }
}
