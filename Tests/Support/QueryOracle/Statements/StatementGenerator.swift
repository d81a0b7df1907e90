import QueryLanguage
import TestSupport

/// A random statement with the values of its parameters.
struct GeneratedStatement {
    var statement: DataStatement
    var parameters: [String: OracleValue]
}

/// Generates random statements that change the documents of the collections `_default` and `shop.items`.
struct StatementGenerator {
    var expressions: ExpressionGenerator
    var constants: ConstantGenerator

    init(random: SeededGenerator, isASCII: Bool) {
        expressions = ExpressionGenerator(values: DocumentGenerator(random: random, isASCII: isASCII))
        constants = ConstantGenerator()
    }

    private mutating func chance(_ percent: Int) -> Bool { expressions.chance(percent) }

    mutating func statement() -> GeneratedStatement {
        expressions.parameters = [:]
        let path = chance(60) ? CollectionPath(name: "_") : CollectionPath(scope: "shop", name: "items")
        let target = Source.collection(path, alias: chance(30) ? "q" : nil)
        expressions.aliases = [target.alias]
        expressions.documentAliases = [target.alias]
        var statement =
            switch expressions.count(0...19) {
            case 0...9: DataStatement(.update(assignments()), in: target)
            case 10...12: DataStatement(.delete, in: target)
            case 13...15: DataStatement(.insert(.values(rows()), replaces: false), in: target)
            case 16...17: DataStatement(.insert(.values(rows()), replaces: true), in: target)
            default: DataStatement(insertionOfRows(replaces: chance(60)), in: target)
            }
        expressions.aliases = [target.alias]
        expressions.documentAliases = [target.alias]
        if statement.selectsDocuments { select(&statement) }
        if chance(50) { statement.returning = results() }
        var parameters = expressions.parameters
        if chance(2), let name = parameters.keys.sorted().first { parameters[name] = nil }
        if chance(1) { parameters["other"] = .integer(1) }
        return GeneratedStatement(statement: statement, parameters: parameters)
    }

    // MARK: WHERE, LIMIT, RETURNING

    private mutating func select(_ statement: inout DataStatement) {
        if statement.change == .delete || chance(75) {
            let condition = expressions.condition(depth: expressions.count(1...3))
            statement.condition = condition
            if statement.change == .delete, chance(60) {
                statement.condition = .operation(.and, [condition, expressions.comparison(depth: 0)])
            }
        }
        if chance(3) {
            let flag: QueryExpression = .meta("deleted", alias: statement.target.alias)
            statement.condition = statement.condition.map { .operation(.and, [$0, flag]) } ?? flag
        }
        if chance(25) { statement.limit = expressions.rowCount(-1...5) }
        if chance(1) { statement.limit = expressions.wrongRowCount() }
    }

    private mutating func results() -> [SelectItem] {
        if chance(2) { return [SelectItem(expressions.aggregate())] }
        return (0..<expressions.count(1...3)).map { index in
            let expression: QueryExpression =
                switch expressions.count(0...19) {
                case 0...3: wholeDocument()
                case 4: .exists(.select(expressions.nestedQuery()))
                default: expressions.expression(depth: expressions.count(0...2))
                }
            return SelectItem(expression, title: chance(30) ? "col\(index)" : nil).fitForColumn
        }
    }

    private func wholeDocument() -> QueryExpression {
        .property(PropertyPath((expressions.aliases[0]).map { [.key($0)] } ?? []))
    }

    // MARK: UPDATE

    private mutating func assignments() -> [DataStatement.Assignment] {
        if chance(8) {
            let (first, second) = (expressions.path(), expressions.path())
            return [assignment(first, property(second)), assignment(second, property(first))]
        }
        var result: [DataStatement.Assignment] = []
        // Some statements keep paths that exclude one another, which is an error.
        let keepsAll = chance(4)
        for _ in 0..<expressions.count(1...4) {
            let path = chance(1) ? PropertyPath([.key(expressions.pick(["_rev", "_deleted"]))]) : expressions.path()
            let excluded = result.contains { OracleStatement.exclude($0.path, path) }
            if keepsAll || !excluded { result.append(assignment(path, newValue(of: path))) }
        }
        return result
    }

    private func assignment(_ path: PropertyPath, _ value: QueryExpression?) -> DataStatement.Assignment {
        DataStatement.Assignment(path, value)
    }

    private func property(_ path: PropertyPath) -> QueryExpression {
        .property(PropertyPath((expressions.aliases[0].map { [.key($0)] } ?? []) + path.components))
    }

    /// Returns the new value of a property; `nil` for UNSET.
    private mutating func newValue(of path: PropertyPath) -> QueryExpression? {
        switch expressions.count(0...11) {
        case 0...1: nil
        case 2: .missing
        case 3: chance(10) ? expressions.parameter(.unsigned(.max - 1)) : expressions.parameter()
        case 4...5: expressions.literal(depth: 2)
        case 6: .operation(.add, [property(path), .integer(1)])
        case 7: property(expressions.path())
        case 8: chance(30) ? .exists(.select(expressions.nestedQuery())) : expressions.condition(depth: 1)
        default: expressions.expression(depth: expressions.count(0...3))
        }
    }

    // MARK: INSERT

    private mutating func rows() -> [DataStatement.Row] {
        let hasKeys = chance(85)
        expressions.documentAliases = []
        return (0..<expressions.count(1...3)).map { _ in
            DataStatement.Row(key: hasKeys ? constants.key(&expressions) : nil, value: constants.body(&expressions))
        }
    }

    /// Returns the documents of INSERT … SELECT and UPSERT … SELECT.
    private mutating func insertionOfRows(replaces: Bool) -> DataStatement.Change {
        let path = chance(60) ? CollectionPath(name: "_") : CollectionPath(scope: "shop", name: "items")
        expressions.aliases = ["z"]
        expressions.documentAliases = ["z"]
        let id = QueryExpression.meta("id", alias: "z")
        let key: QueryExpression =
            switch expressions.count(0...9) {
            case 0...2: id
            case 3...7: .function(name: "concat", arguments: [id, .string(expressions.pick(["x", "y", "z"]))])
            default: expressions.property()
            }
        let value: QueryExpression =
            switch expressions.count(0...9) {
            case 0...3: .property([.key("z")])
            case 4: .property([.key("z"), .key("o")])
            default:
                .dictionary(
                    DocumentGenerator.keys.shuffled(using: &expressions.values.random).prefix(expressions.count(0...3))
                        .map { DictionaryEntry(key: $0, value: expressions.expression(depth: 1)) }
                )
            }
        var select = SelectStatement(
            sources: [.collection(path, alias: "z")],
            condition: chance(70) ? expressions.condition(depth: 2) : nil
        )
        if chance(30) { expressions.addWindow(to: &select) }
        let hasKey = chance(85)
        select.items = [SelectItem(value, title: "v")]
        if hasKey { select.items.insert(SelectItem(key, title: "k"), at: 0) }
        return .insert(.select(select, key: hasKey ? "k" : nil, value: "v"), replaces: replaces)
    }
}

/// Generates the expressions of VALUES, which refer to no document.
struct ConstantGenerator {
    func key(_ generator: inout ExpressionGenerator) -> QueryExpression {
        let id = (generator.chance(60) ? "d" : "n") + "\(generator.count(0...9))"
        switch generator.count(0...29) {
        case 0: return generator.literal(depth: 0)
        case 1: return generator.parameter()
        case 2: return .string("_x")
        case 3: return .string(String(repeating: "x", count: generator.count(239...242)))
        case 4...10: return generator.parameter(.string(id))
        case 11...14: return .operation(.concatenate, [.string("d"), .integer(Int64(generator.count(0...9)))])
        default: return .string(id)
        }
    }

    func body(_ generator: inout ExpressionGenerator) -> QueryExpression {
        switch generator.count(0...29) {
        case 0: return generator.literal(depth: 0)
        case 1: return generator.parameter()
        case 2...9: return generator.parameter(.dictionary(generator.values.body()))
        case 10: return .dictionary([DictionaryEntry(key: "_rev", value: value(&generator, depth: 0))])
        default:
            let keys = DocumentGenerator.keys.shuffled(using: &generator.values.random).prefix(generator.count(0...4))
            return .dictionary(keys.map { DictionaryEntry(key: $0, value: value(&generator, depth: 2)) })
        }
    }

    private func value(_ generator: inout ExpressionGenerator, depth: Int) -> QueryExpression {
        switch generator.count(0...(depth > 0 ? 9 : 4)) {
        case 0...3: return generator.literal(depth: 0)
        case 4: return generator.parameter()
        case 5:
            return .operation(generator.pick([.add, .multiply, .less, .equal, .concatenate]), [inner(&generator), inner(&generator)])
        case 6: return .array([value(&generator, depth: depth - 1), value(&generator, depth: depth - 1)])
        case 7: return .dictionary([DictionaryEntry(key: "x", value: value(&generator, depth: depth - 1))])
        case 8: return .function(name: generator.pick(["lower", "length", "type", "tostring"]), arguments: [inner(&generator)])
        default:
            if generator.chance(20) { return .exists(.select(generator.nestedQuery())) }
            return generator.chance(5) ? .property([.key("a")]) : inner(&generator)
        }
    }

    private func inner(_ generator: inout ExpressionGenerator) -> QueryExpression { generator.literal(depth: 0) }
}

extension DataStatement {
    /// Whether the statement has WHERE and LIMIT.
    var selectsDocuments: Bool {
        switch change {
        case .update, .delete: true
        case .insert: false
        }
    }
}
