import QueryLanguage
import TestSupport

/// A random query with the values of its parameters.
struct GeneratedQuery {
    var select: SelectStatement
    var parameters: [String: OracleValue]
}

/// Generates random queries over the collections `_default` and `shop.items`.
struct QueryGenerator {
    var expressions: ExpressionGenerator

    init(random: SeededGenerator, isASCII: Bool) {
        expressions = ExpressionGenerator(values: DocumentGenerator(random: random, isASCII: isASCII))
    }

    private mutating func chance(_ percent: Int) -> Bool { expressions.chance(percent) }

    mutating func query() -> GeneratedQuery {
        expressions.parameters = [:]
        expressions.variables = []
        var select = SelectStatement()
        select.sources = sources()
        if chance(70) {
            select.condition = expressions.condition(depth: expressions.count(1...3))
            if select.sources.count == 1, !expressions.documentAliases.isEmpty, chance(4) { addDeletedTest(&select) }
        }
        if chance(20) {
            group(&select)
        } else if chance(8) {
            select.items = (0..<expressions.count(1...2)).map { _ in SelectItem(expressions.aggregate()) }
        } else {
            choose(&select)
            if chance(12) { combine(&select) }
        }
        if chance(30) { select.limit = expressions.rowCount(-1...6) }
        if chance(20) { select.offset = expressions.rowCount(-1...4) }
        if chance(1) { select.limit = expressions.wrongRowCount() }
        if chance(1) { select.offset = expressions.wrongRowCount() }
        return GeneratedQuery(select: select, parameters: expressions.parameters)
    }

    // MARK: FROM

    private mutating func sources() -> [Source] {
        expressions.aliases = [nil]
        expressions.documentAliases = [nil]
        expressions.allowsExists = true
        if chance(12) {
            let source = Source(.query(nestedRows()), alias: "k")
            expressions.aliases = ["k"]
            expressions.documentAliases = []
            return [source]
        }
        if chance(60) {
            return chance(30) ? [] : [.collection(CollectionPath(name: "_"), alias: chance(30) ? "q" : nil)]
        }
        var sources = [Source.collection(CollectionPath(name: "_"), alias: "q")]
        expressions.aliases = ["q"]
        expressions.documentAliases = ["q"]
        if chance(50) {
            let join = expressions.pick([Source.Join.inner, .left, .leftOuter, .cross])
            expressions.aliases.append("r")
            expressions.documentAliases.append("r")
            let path = chance(60) ? CollectionPath(scope: "shop", name: "items") : CollectionPath(name: "_")
            let condition = join == .cross ? nil : joinCondition()
            sources.append(Source(.collection(path), alias: "r", join: join, on: condition))
        }
        if chance(15) { sources.append(joinedRows()) }
        if chance(60) || sources.count == 1 {
            let key = expressions.pick(["t", "o", "a", "b"])
            let owner = expressions.pick(expressions.documentAliases) ?? "q"
            sources.append(Source(.unnest(.property([.key(owner), .key(key)])), alias: "u"))
            expressions.aliases.append("u")
            if chance(25) {
                sources.append(Source(.unnest(.property([.key("u"), .key(expressions.pick(["x", "a"]))])), alias: "w"))
                expressions.aliases.append("w")
            }
        }
        return sources
    }

    /// Returns a nested query as a further source.
    private mutating func joinedRows() -> Source {
        let (aliases, documentAliases) = (expressions.aliases, expressions.documentAliases)
        let rows = nestedRows()
        expressions.aliases = aliases + ["k"]
        expressions.documentAliases = documentAliases
        let key = expressions.pick(["n", "s", "a", "b"])
        let condition: QueryExpression =
            chance(40)
            ? expressions.condition(depth: 1)
            : .operation(.equal, [.property([.key("q"), .key(key)]), .property([.key("k"), .key(expressions.pick(["x", "a"]))])])
        let join = expressions.pick([Source.Join.inner, .left, .leftOuter, .cross])
        return Source(.query(rows), alias: "k", join: join, on: join == .cross ? nil : condition)
    }

    /// Returns a query for FROM, whose columns have the names that properties of values have.
    private mutating func nestedRows() -> SelectStatement {
        let path = chance(70) ? CollectionPath(name: "_") : CollectionPath(scope: "shop", name: "items")
        expressions.aliases = ["z"]
        expressions.documentAliases = ["z"]
        expressions.allowsExists = false
        defer { expressions.allowsExists = true }
        var select = SelectStatement(
            isDistinct: chance(20),
            items: ["x", "y", "a", "b"].map { SelectItem(expressions.expression(depth: 1), title: $0) },
            sources: [.collection(path, alias: "z")],
            condition: chance(50) ? expressions.condition(depth: 1) : nil
        )
        if !select.isDistinct, chance(25) { expressions.addWindow(to: &select) }
        return select
    }

    private mutating func joinCondition() -> QueryExpression {
        if chance(30) { return expressions.condition(depth: 1) }
        if chance(40) { return .operation(.equal, [.meta("id", alias: "r"), .property([.key("q"), .key("s")])]) }
        let key = expressions.pick(["n", "s", "a"])
        return .operation(.equal, [.property([.key("q"), .key(key)]), .property([.key("r"), .key(key)])])
    }

    private mutating func addDeletedTest(_ select: inout SelectStatement) {
        let alias = select.sources.first?.alias
        let flag: QueryExpression = .meta("deleted", alias: alias)
        let test = expressions.pick([flag, .operation(.equal, [flag, .boolean(true)]), .not(flag)])
        select.condition = select.condition.map { .operation(.and, [$0, test]) } ?? test
    }

    // MARK: WHAT, GROUP BY, ORDER BY

    private mutating func choose(_ select: inout SelectStatement) {
        select.items = (0..<expressions.count(1...3)).map { index in
            let expression = expressions.expression(depth: expressions.count(0...3))
            // Some titles are also the names of properties.
            let title = chance(70) ? "col\(index)" : DocumentGenerator.keys[index]
            return SelectItem(expression, title: chance(30) ? title : nil)
        }
        select.items = select.items.map(\.fitForColumn)
        select.isDistinct = chance(12)
        guard chance(40) else { return }
        if select.isDistinct {
            // Any other sort key would not belong to a single row.
            let sortable = select.items.filter { $0.title == nil }.map(\.expression)
            select.ordering = sortable.prefix(1).map { OrderingTerm($0.sortable, isDescending: chance(50)) }
            return
        }
        select.ordering = (0..<expressions.count(1...2)).map { _ in
            var term = expressions.expression(depth: expressions.count(0...2)).sortable
            if chance(20), let title = select.items.compactMap(\.title).first, select.sources.count < 2 {
                term = .property([.key(title)])
            } else if chance(15) {
                let isUnicode = expressions.values.isASCII && chance(50)
                term = .collate(CollationOptions(isUnicode: isUnicode, isCaseSensitive: chance(30)), operand: expressions.property())
            }
            return OrderingTerm(term, isDescending: chance(50))
        }
    }

    /// Combines the query with others of the same sources.
    private mutating func combine(_ select: inout SelectStatement) {
        for index in select.items.indices { select.items[index].title = "col\(index)" }
        select.ordering = chance(60) ? [OrderingTerm(.property([.key("col0")]), isDescending: chance(50))] : []
        select.combinations = (0..<expressions.count(1...2)).map { _ in
            let items = select.items.map { _ in SelectItem(expressions.expression(depth: 1)).fitForColumn }
            let condition = chance(60) ? expressions.condition(depth: 1) : nil
            return Combination(
                expressions.pick(Combination.Kind.allCases),
                SelectStatement(items: items, sources: select.sources, condition: condition)
            )
        }
    }

    private mutating func group(_ select: inout SelectStatement) {
        select.grouping = (0..<expressions.count(1...2)).map { _ in
            (chance(70) ? expressions.property() : expressions.expression(depth: 1)).sortable
        }
        var items = select.grouping
        items += (0..<expressions.count(0...2)).map { _ in expressions.aggregate() }
        select.items = items.map { SelectItem($0).fitForColumn }
        if chance(30) {
            let bound = Int64(expressions.count(0...4))
            select.groupCondition = .operation(.greater, [expressions.aggregate(), .integer(bound)])
        }
        if chance(40) {
            let term = chance(50) ? select.grouping[0] : expressions.aggregate()
            select.ordering = [OrderingTerm(term, isDescending: chance(50))]
        }
    }
}

extension SelectItem {
    /// The item with a bare string wrapped in a function, because it would be a property (Query 1.2).
    var fitForColumn: SelectItem {
        if case .string = expression {
            SelectItem(.function(name: "concat", arguments: [expression, .string("")]), title: title)
        } else {
            self
        }
    }
}

extension QueryExpression {
    /// The expression wrapped in a function if it would have another meaning in ORDER BY and GROUP BY.
    fileprivate var sortable: QueryExpression {
        switch self {
        // A string would be a property path, and an integer the number of a column.
        case .string, .integer: .function(name: "array_of", arguments: [self])
        case .operation(.subtract, let operands) where operands.count == 1:
            .function(name: "array_of", arguments: [self])
        default: self
        }
    }
}
