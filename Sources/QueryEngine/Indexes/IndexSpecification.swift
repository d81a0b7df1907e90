import DocumentStore

/// An index definition that has been understood.
struct IndexSpecification {
    private let expressions: [QueryExpression]
    private let condition: QueryExpression?
    /// The text for the registry: the expressions with a mark that says their language, and the condition.
    let storedExpressions: String
    let storedCondition: String?

    init(_ definition: IndexDefinition) throws {
        switch definition.source {
        case .text(let text, let conditionText):
            expressions = try SQLPlusPlus.parseIndexExpressions(text)
            condition = try conditionText.map { try SQLPlusPlus.parseExpression($0) }
            storedExpressions = RegistryTable.sqlMark + text
            storedCondition = conditionText
        case .tree(let tree):
            expressions = tree
            condition = nil
            let items = tree.map { QueryJSON.text(of: $0) }
            storedExpressions = RegistryTable.jsonMark + "[\(items.joined(separator: ","))]"
            storedCondition = nil
        }
        guard !expressions.isEmpty else { throw QueryError.invalidQuery("an index needs at least one expression") }
    }

    /// The statement that makes the SQL index. Two definitions are the same when their statements are.
    func createStatement(named name: String, on collection: CollectionStore) throws -> String {
        try IndexCompiler.createValueIndex(
            name: name,
            on: collection.sourceTable,
            expressions: expressions,
            condition: condition
        )
    }
}
