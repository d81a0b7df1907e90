/// An index definition that has been understood.
struct IndexSpecification {
    let kind: IndexDefinition.Kind
    /// At least one, except for an array index, which may be of the elements themselves.
    let expressions: [QueryExpression]
    let condition: QueryExpression?
    /// The text for the registry: the expressions with a mark that says their language, and the condition in the same.
    let storedExpressions: String
    let storedCondition: String?

    /// - Throws: ``QueryError`` when an expression cannot be understood.
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
