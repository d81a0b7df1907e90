import QueryLanguage
import TestSupport

/// Generates random expressions. It avoids most of the cases that the specification does not define; the evaluator detects the others.
struct ExpressionGenerator {
    var values: DocumentGenerator
    /// The aliases of the sources that properties may refer to; `nil` for the only source without its alias.
    var aliases: [String?] = [nil]
    /// The aliases of document sources.
    var documentAliases: [String?] = [nil]
    var variables: [String] = []
    /// The parameters generated so far. One that is MISSING is not set.
    var parameters: [String: OracleValue] = [:]
    var allowsExists = true
    /// Paths that have indexes, which are generated more often.
    var indexedPaths: [PropertyPath] = []

    mutating func chance(_ percent: Int) -> Bool { values.chance(percent) }

    mutating func pick<Element>(_ elements: [Element]) -> Element { values.pick(elements) }

    mutating func count(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &values.random) }

    // MARK: Leaves

    mutating func path() -> PropertyPath {
        if !indexedPaths.isEmpty, chance(40) { return pick(indexedPaths) }
        var components: [PropertyPath.Component] = [.key(pick(DocumentGenerator.keys))]
        while components.count < 4, chance(20) {
            components.append(chance(50) ? .key(pick(["x", "y", "a", "b"])) : .index(count(-2...2)))
        }
        return PropertyPath(components)
    }

    mutating func property() -> QueryExpression {
        let alias = pick(aliases)
        let isDocument = documentAliases.contains(alias)
        if isDocument, chance(8) { return metadata(alias) }
        var path = isDocument ? path() : chance(50) ? PropertyPath() : PropertyPath([.key(pick(["x", "y", "a", "b"]))])
        if let alias { path = PropertyPath([.key(alias)] + path.components) }
        return .property(path)
    }

    private mutating func metadata(_ alias: String?) -> QueryExpression {
        let field = chance(50) ? "id" : "sequence"
        if chance(50) { return .meta(field, alias: alias) }
        return .property(PropertyPath((alias.map { [.key($0)] } ?? []) + [.key("_" + field)]))
    }

    mutating func literal(depth: Int) -> QueryExpression {
        switch count(0...19) {
        case 0...6: .integer(values.integer())
        case 7...8: .double(values.double())
        case 9...13: .string(values.text())
        case 14...15: .boolean(chance(50))
        case 16: .null
        case 17: .missing
        case 18 where depth > 0: .array((0..<count(0...3)).map { _ in expression(depth: depth - 1) })
        case 19 where depth > 0:
            .dictionary(["k", "l"].prefix(count(0...2)).map { DictionaryEntry(key: $0, value: expression(depth: depth - 1)) })
        default: .integer(1)
        }
    }

    /// Returns a new parameter with a value; a random one if it is `nil`.
    mutating func parameter(_ value: OracleValue? = nil) -> QueryExpression {
        let name = "p\(parameters.count)"
        parameters[name] = value ?? values.value()
        return .parameter(name)
    }

    // MARK: Any expression

    mutating func expression(depth: Int) -> QueryExpression {
        guard depth > 0 else {
            switch count(0...9) {
            case 0...2: return literal(depth: 0)
            case 3: return parameters.count < 4 ? parameter() : literal(depth: 0)
            case 4...5 where !variables.isEmpty: return variable()
            default: return property()
            }
        }
        switch count(0...11) {
        case 0...1: return expression(depth: 0)
        case 2: return literal(depth: depth)
        case 3...4: return arithmetic(depth: depth - 1)
        case 5...7: return condition(depth: depth)
        case 8...10: return function(depth: depth - 1)
        default: return conditional(depth: depth - 1)
        }
    }

    private mutating func variable() -> QueryExpression {
        let path: PropertyPath = chance(70) ? [] : [.key(pick(["x", "y", "a", "b"]))]
        return .variable(pick(variables), path)
    }

    private mutating func arithmetic(depth: Int) -> QueryExpression {
        let symbol = pick([QueryOperator.add, .subtract, .multiply, .divide, .modulo, .concatenate])
        if symbol == .subtract, chance(30) { return .operation(.subtract, [expression(depth: depth)]) }
        let operands = symbol.isAssociative ? count(2...3) : 2
        return .operation(symbol, (0..<operands).map { _ in expression(depth: depth) })
    }

    private mutating func conditional(depth: Int) -> QueryExpression {
        var subject = chance(50) ? expression(depth: depth) : nil
        // In JSON, a null subject is the form without a subject.
        if subject == .null { subject = nil }
        let branches = (0..<count(1...2)).map { _ in
            ConditionalBranch(when: subject == nil ? condition(depth: depth) : expression(depth: depth), then: expression(depth: depth))
        }
        return .conditional(subject: subject, branches: branches, otherwise: chance(60) ? expression(depth: depth) : nil)
    }

    // MARK: Conditions

    mutating func condition(depth: Int) -> QueryExpression {
        guard depth > 0 else { return comparison(depth: 0) }
        switch count(0...15) {
        case 0...3: return comparison(depth: depth - 1)
        case 4: return .operation(.and, (0..<count(2...3)).map { _ in condition(depth: depth - 1) })
        case 5: return .operation(.or, (0..<count(2...3)).map { _ in condition(depth: depth - 1) })
        case 6: return .not(condition(depth: depth - 1))
        case 7: return identity(depth: depth - 1)
        case 8: return membership(depth: depth - 1)
        case 9:
            return .operation(.between, (0..<3).map { _ in expression(depth: depth - 1) })
        case 10...11:
            let pattern: QueryExpression = chance(80) ? .string(likePattern()) : expression(depth: depth - 1)
            return .like(value: expression(depth: depth - 1), pattern: pattern, isCaseSensitive: chance(80))
        case 12: return collated(depth: depth - 1)
        case 13...14: return quantified(depth: depth - 1)
        default:
            if allowsExists, chance(30) {
                return .exists(.select(nestedQuery()))
            }
            return chance(50)
                ? .exists(property())
                : .function(name: "contains", arguments: [expression(depth: 0), .string(values.text())])
        }
    }

    /// Returns a query of one column, whose condition may refer to the query around it.
    mutating func nestedQuery(items: [SelectItem] = []) -> SelectStatement {
        let path = chance(70) ? CollectionPath(name: "_") : CollectionPath(scope: "shop", name: "items")
        let key = pick(["n", "s", "a", "b"])
        var other: QueryExpression = .integer(Int64(count(0...8)))
        if chance(50), let alias = documentAliases.compactMap(\.self).first { other = .property([.key(alias), .key(key)]) }
        let condition: QueryExpression = .operation(chance(60) ? .equal : .notEqual, [.property([.key("z"), .key(key)]), other])
        var select = SelectStatement(items: items, sources: [.collection(path, alias: "z")], condition: chance(80) ? condition : nil)
        if chance(25) { addWindow(to: &select) }
        return select
    }

    // MARK: LIMIT and OFFSET

    /// Adds LIMIT and OFFSET to a nested query with the source `z`, in an order that is unique.
    mutating func addWindow(to select: inout SelectStatement) {
        select.ordering = [OrderingTerm(.meta("id", alias: "z"), isDescending: chance(50))]
        if chance(80) { select.limit = rowCount(0...4) }
        if select.limit == nil || chance(40) { select.offset = rowCount(0...3) }
    }

    /// Returns a valid number of rows: a literal, a parameter, or an expression of both.
    mutating func rowCount(_ range: ClosedRange<Int>) -> QueryExpression {
        let number = Int64(count(range))
        switch count(0...7) {
        case 0...3: return .integer(number)
        case 4...5: return parameter(.integer(number))
        case 6: return .operation(.add, [parameter(.integer(number)), .integer(Int64(count(0...1)))])
        default:
            let values: [OracleValue] = [
                .double(Double(number)), .boolean(chance(50)), .string("\(number)"), .integer(.max), .integer(.min), .integer(-1),
            ]
            return parameter(pick(values))
        }
    }

    /// Returns a parameter whose value is no number of rows.
    mutating func wrongRowCount() -> QueryExpression {
        parameter(pick([.double(1.5), .double(1e300), .null, .missing, .array([]), .dictionary([:]), .unsigned(.max)]))
    }

    mutating func comparison(depth: Int) -> QueryExpression {
        let symbol = pick([QueryOperator.less, .lessOrEqual, .greater, .greaterOrEqual, .equal, .equal, .notEqual])
        if chance(25) { return .operation(symbol, [property(), literal(depth: 0)]) }
        return .operation(symbol, [expression(depth: depth), expression(depth: depth)])
    }

    private mutating func identity(depth: Int) -> QueryExpression {
        if chance(30) { return .operation(.isValued, [expression(depth: depth)]) }
        let right: QueryExpression = chance(40) ? .missing : chance(60) ? .null : expression(depth: depth)
        return .operation(chance(50) ? .is : .isNot, [expression(depth: depth), right])
    }

    private mutating func membership(depth: Int) -> QueryExpression {
        if allowsExists, chance(30) {
            var select = nestedQuery(items: [SelectItem(.property([.key("z"), .key(pick(["n", "s", "a", "b", "t"]))]))])
            select.isDistinct = select.ordering.isEmpty && chance(20)
            return .operation(chance(60) ? .in : .notIn, [expression(depth: depth), .select(select)])
        }
        let set: QueryExpression =
            chance(70)
            ? .array((0..<count(1...4)).map { _ in expression(depth: depth) }) : chance(50) ? property() : parameter()
        return .operation(chance(70) ? .in : .notIn, [expression(depth: depth), set])
    }

    private mutating func collated(depth: Int) -> QueryExpression {
        var options = CollationOptions()
        if values.isASCII, chance(60) { options.isUnicode = true }
        if chance(70) { options.isCaseSensitive = false }
        if chance(30) { options.isDiacriticSensitive = false }
        return .collate(options, operand: condition(depth: max(depth, 1)))
    }

    private mutating func quantified(depth: Int) -> QueryExpression {
        let name = "v\(variables.count)"
        let source: QueryExpression =
            !variables.isEmpty && chance(40) ? variable() : chance(80) ? property() : expression(depth: min(depth, 1))
        variables.append(name)
        defer { variables.removeLast() }
        let predicate: QueryExpression =
            chance(30)
            ? .operation(.equal, [.variable(name, []), literal(depth: 0)]) : condition(depth: depth)
        return .quantified(pick(Quantifier.allCases), variable: name, source: source, predicate: predicate)
    }

    mutating func likePattern() -> String {
        (0..<count(0...4)).map { _ in pick(["%", "_", "a", "b", "ab", "A", "z", "\\%", "1", " ", "é"]) }
            .filter { !values.isASCII || $0 != "é" }.joined()
    }
}
