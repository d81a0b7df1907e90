extension QueryExpression {
    /// Returns the expression with every direct operand replaced by the result of `change`.
    ///
    /// As with ``forEachChild(_:)``, the parts of a nested ``select(_:)`` are not operands.
    package func mapChildren<Failure>(
        _ change: (QueryExpression) throws(Failure) -> QueryExpression
    ) throws(Failure) -> QueryExpression {
        switch self {
        case .missing, .null, .boolean, .integer, .double, .string, .parameter, .property, .variable, .blob, .meta,
            .select, .rank:
            self
        case .array(let elements):
            .array(try elements.map(change))
        case .dictionary(let entries):
            .dictionary(
                try entries.map { entry throws(Failure) in DictionaryEntry(key: entry.key, value: try change(entry.value)) }
            )
        case .nested(let operand, let path):
            .nested(try change(operand), path)
        case .exists(let operand):
            .exists(try change(operand))
        case .distinct(let operand):
            .distinct(try change(operand))
        case .collate(let options, let operand):
            .collate(options, operand: try change(operand))
        case .match(let index, let pattern):
            .match(index: index, pattern: try change(pattern))
        case .operation(let symbol, let operands):
            .operation(symbol, try operands.map(change))
        case .function(let name, let arguments):
            .function(name: name, arguments: try arguments.map(change))
        case .search(let function, let index, let arguments):
            .search(function, index: index, arguments: try arguments.map(change))
        case .like(let value, let pattern, let isCaseSensitive):
            .like(value: try change(value), pattern: try change(pattern), isCaseSensitive: isCaseSensitive)
        case .conditional(let subject, let branches, let otherwise):
            .conditional(
                subject: try subject.map(change),
                branches: try branches.map { branch throws(Failure) in
                    ConditionalBranch(when: try change(branch.condition), then: try change(branch.result))
                },
                otherwise: try otherwise.map(change)
            )
        case .quantified(let quantifier, let variable, let source, let predicate):
            .quantified(quantifier, variable: variable, source: try change(source), predicate: try change(predicate))
        }
    }
}
