import QueryLanguage

/// A parsed index definition.
struct IndexSpecification {
    let kind: IndexDefinition.Kind
    /// The expressions to index; may be empty only for an array index, which then indexes the elements themselves.
    let expressions: [QueryExpression]
    let condition: QueryExpression?
    /// The texts for the registry: the expressions after a mark for their language, and the condition in the same language.
    let storedExpressions: String
    let storedCondition: String?

    /// Parses a definition.
    ///
    /// - Throws: ``QueryError`` if an expression is invalid.
    init(_ definition: IndexDefinition) throws {
        kind = definition.kind
        var isOfElements = false
        if case .array = definition.kind { isOfElements = true }
        switch definition.source {
        case .text(let text, let conditionText):
            let parsed = isOfElements && text.isEmpty ? [] : try SQLPlusPlus.parseIndexExpressions(text)
            expressions = parsed.map(\.withNestedChains)
            condition = try conditionText.map { try SQLPlusPlus.parseIndexCondition($0).withNestedChains }
            storedExpressions = RegistryTable.sqlMark + text
            storedCondition = conditionText
        case .json(let text, let conditionText):
            let parsed = try QueryJSON.parseIndex(text)
            expressions = parsed.expressions
            condition = try conditionText.map { try QueryJSON.parseExpression($0) } ?? parsed.condition
            storedExpressions = RegistryTable.jsonMark + text
            storedCondition = conditionText
        case .tree(let tree, let conditionTree):
            for expression in tree { try expression.checkDepth() }
            try conditionTree?.checkDepth()
            expressions = tree
            condition = conditionTree
            let items = tree.map { QueryJSON.text(of: $0) }
            storedExpressions = RegistryTable.jsonMark + "[\(items.joined(separator: ","))]"
            storedCondition = conditionTree.map { QueryJSON.text(of: $0) }
        }
        guard isOfElements || !expressions.isEmpty else { throw QueryError.invalidQuery("empty index expression") }
        guard !isOfElements || condition == nil else { throw QueryError.invalidQuery("an array index cannot have a condition") }
    }
}
