import QueryLanguage

/// Prints syntax trees as SQL++ text, with every operand in parentheses; `nil` for trees that SQL++ text cannot express.
enum SQLPlusPlusPrinter {
    struct NoSpelling: Error {}

    static func text(of select: SelectStatement) -> String? {
        try? query(select)
    }

    /// Returns a text of the same meaning with the nested query of FROM in WITH, a part of the condition in LET, and comments.
    static func decoratedText(of select: SelectStatement) -> DecoratedText? {
        var (select, beginning) = (select, "")
        if case .query(let nested)? = select.sources.first?.origin, let text = try? query(nested) {
            let named = Source(.collection(CollectionPath(name: "w0")), alias: select.sources[0].alias)
            beginning = "WITH w0 AS (\(text)) "
            for index in select.combinations.indices where select.combinations[index].select.sources.first == select.sources[0] {
                select.combinations[index].select.sources[0] = named
            }
            select.sources[0] = named
        }
        var variable: (name: String, value: QueryExpression)?
        if case .operation(let symbol, var operands)? = select.condition, !operands[0].containsNestedQuery,
            select.condition?.asNegatedTest == nil
        {
            variable = ("let0", operands[0])
            operands[0] = .property([.key("let0")])
            select.condition = .operation(symbol, operands)
        }
        guard let text = try? query(select, letting: variable) else { return nil }
        return DecoratedText(beginning + text, hasWith: !beginning.isEmpty, hasLet: variable != nil)
    }

    static func query(_ select: SelectStatement, letting variable: (name: String, value: QueryExpression)? = nil) throws -> String {
        var text = try selection(select, letting: variable)
        for combination in select.combinations { text += " \(combination.kind.rawValue) \(try selection(combination.select))" }
        if !select.ordering.isEmpty {
            let terms = try select.ordering.map { try expression($0.expression) + ($0.isDescending ? " DESC" : " ASC") }
            text += " ORDER BY " + terms.joined(separator: ", ")
        }
        if let limit = select.limit { text += " LIMIT \(try expression(limit))" }
        if let offset = select.offset { text += " OFFSET \(try expression(offset))" }
        return text
    }

    private static func selection(_ select: SelectStatement, letting variable: (name: String, value: QueryExpression)? = nil) throws
        -> String
    {
        guard !select.sources.isEmpty, !select.items.isEmpty else { throw NoSpelling() }
        var text = "SELECT " + (select.isDistinct ? "DISTINCT " : "")
        text += try select.items.map { try expression($0.expression) + ($0.title.map { " AS \(name($0))" } ?? "") }
            .joined(separator: ", ")
        for source in select.sources { text += try " " + self.source(source, isFirst: source == select.sources[0]) }
        if let variable { text += " LET \(variable.name) = \(try expression(variable.value))" }
        if let condition = select.condition { text += " WHERE \(try expression(condition))" }
        if !select.grouping.isEmpty { text += " GROUP BY " + (try list(select.grouping)) }
        if let condition = select.groupCondition { text += " HAVING \(try expression(condition))" }
        return text
    }

    private static func source(_ source: Source, isFirst: Bool) throws -> String {
        let alias = source.alias.map { " AS \(name($0))" } ?? ""
        switch source.origin {
        case .unnest(let array): return "UNNEST \(try expression(array))\(alias)"
        case .search: throw Unspecified("searches")
        case .query(let select):
            let words = isFirst ? "FROM" : "\(source.join?.rawValue ?? "") JOIN"
            return "\(words) (\(try query(select)))\(alias)" + (try source.condition.map { " ON \(try expression($0))" } ?? "")
        case .collection(let path):
            let names = [path.scope, path.name ?? "_"].compactMap(\.self).map(name).joined(separator: ".")
            let words = isFirst ? "FROM" : "\(source.join?.rawValue ?? "") JOIN"
            return "\(words) \(names)\(alias)" + (try source.condition.map { " ON \(try expression($0))" } ?? "")
        }
    }

    static func name(_ name: String) -> String {
        name == "_" || name == "_default" ? name : "`\(doubled("`", in: name))`"
    }

    private static func doubled(_ quote: Unicode.Scalar, in text: String) -> String {
        var view = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if scalar == quote { view.append(scalar) }
            view.append(scalar)
        }
        return String(view)
    }

    static func path(_ components: PropertyPath) throws -> String {
        var text = ""
        for component in components.components {
            switch component {
            case .key(let key): text += (text.isEmpty ? "" : ".") + name(key)
            case .index(let index):
                if text.isEmpty { throw NoSpelling() }
                text += "[\(index)]"
            }
        }
        return text
    }

    private static func list(_ expressions: [QueryExpression]) throws -> String {
        try expressions.map(expression).joined(separator: ", ")
    }

    private static func operand(_ expression: QueryExpression) throws -> String {
        "(\(try self.expression(expression)))"
    }

    static func expression(_ expression: QueryExpression) throws -> String {
        if let negated = expression.asNegatedTest {
            // Another NOT before it would be the tree of another expression.
            guard negated.asNegatedTest == nil else { throw NoSpelling() }
            return "NOT " + (try self.expression(negated))
        }
        switch expression {
        case .missing: return "MISSING"
        case .null: return "NULL"
        case .boolean(let flag): return flag ? "TRUE" : "FALSE"
        case .integer(let number): return "\(number)"
        case .double(let number): return number.description
        case .string(let text): return "'\(doubled("'", in: text))'"
        case .array(let elements): return "[\(try list(elements))]"
        case .dictionary(let entries):
            return "{" + (try entries.map { "\"\($0.key)\": \(try self.expression($0.value))" }.joined(separator: ", "))
                + "}"
        case .parameter(let name): return "$\(name)"
        case .property(let path): return path.isEmpty ? "*" : try self.path(path)
        case .variable(let name, let path): return try self.path(PropertyPath([.key(name)] + path.components))
        case .nested(.meta(let alias), let path): return "meta(\(alias.map(name) ?? "")).\(try self.path(path))"
        case .operation(let symbol, let operands): return try operation(symbol, operands)
        case .like(let value, let pattern, true): return "\(try operand(value)) LIKE \(try operand(pattern))"
        case .exists(.select(let select)):
            var select = select
            if select.items.isEmpty { select.items = [SelectItem(.meta("id"))] }
            return "EXISTS (\(try query(select)))"
        case .conditional(let subject, let branches, let otherwise):
            let cases = try branches.map { "WHEN \(try operand($0.condition)) THEN \(try operand($0.result))" }
            let tail = try otherwise.map { " ELSE \(try operand($0))" } ?? ""
            return "CASE \(try subject.map(operand) ?? "") \(cases.joined(separator: " "))\(tail) END"
        case .quantified(let quantifier, let variable, let source, let predicate):
            return
                "\(quantifier.rawValue) \(name(variable)) IN \(try operand(source)) SATISFIES \(try self.expression(predicate)) END"
        case .collate(let options, let operand): return "\(try self.operand(operand)) COLLATE (\(try words(options)))"
        case .distinct(let operand): return "DISTINCT \(try self.expression(operand))"
        case .function(let name, let arguments): return "\(name)(\(try list(arguments)))"
        default: throw NoSpelling()
        }
    }

    private static func operation(_ symbol: QueryOperator, _ operands: [QueryExpression]) throws -> String {
        let parts = try operands.map { part in if case .select = part { "" } else { try operand(part) } }
        switch symbol {
        case .not: return "NOT \(parts[0])"
        case .isValued: return "\(parts[0]) IS VALUED"
        case .between: return "\(parts[0]) BETWEEN \(parts[1]) AND \(parts[2])"
        case .subtract where parts.count == 1: return "- \(parts[0])"
        case .in, .notIn:
            // An array literal in parentheses would not be a list of alternatives.
            if case .array(let elements) = operands[1] {
                return "\(parts[0]) \(symbol.rawValue) (\(try list(elements)))"
            }
            switch operands[1] {
            case .select(let select): return "\(parts[0]) \(symbol.rawValue) (\(try query(select)))"
            case .property, .parameter, .variable:
                return "\(parts[0]) \(symbol.rawValue) \(try expression(operands[1]))"
            default: throw NoSpelling()
            }
        // In parentheses, NULL and MISSING would be values.
        case .is where operands[1] == .null || operands[1] == .missing,
            .isNot where operands[1] == .null || operands[1] == .missing:
            return "\(parts[0]) \(symbol.rawValue) \(try expression(operands[1]))"
        default: return parts.joined(separator: " \(symbol.rawValue) ")
        }
    }

    private static func words(_ options: CollationOptions) throws -> String {
        var words: [String] = []
        if let flag = options.isUnicode { words.append(flag ? "UNICODE" : "NOUNICODE") }
        if let flag = options.isCaseSensitive { words.append(flag ? "CASE" : "NOCASE") }
        if let flag = options.isDiacriticSensitive { words.append(flag ? "DIAC" : "NODIAC") }
        // In text, at least one option is required, and it would no longer be inherited from the outer collation.
        if words.isEmpty { throw NoSpelling() }
        return words.joined(separator: " ")
    }
}

/// A SQL++ text with WITH, LET and comments.
struct DecoratedText {
    let text: String
    let hasWith: Bool
    let hasLet: Bool

    init(_ text: String, hasWith: Bool = false, hasLet: Bool = false) {
        self.text = Self.withComments(text)
        (self.hasWith, self.hasLet) = (hasWith, hasLet)
    }

    private static let comments = [" /* SELECT 'x' */ ", " -- LIMIT \"1\"\n", "/**/ ", "\n/* ` */\t"]

    /// Replaces the first space, and every fifth one that follows, by a comment, but not inside of quotes.
    private static func withComments(_ text: String) -> String {
        var result = ""
        var quote: Unicode.Scalar?
        var spaces = 0
        for scalar in text.unicodeScalars {
            if let open = quote {
                if scalar == open { quote = nil }
            } else if scalar == "'" || scalar == "\"" || scalar == "`" {
                quote = scalar
            } else if scalar == " " {
                spaces += 1
                if spaces % 5 == 1 {
                    result += comments[(spaces / 5) % comments.count]
                    continue
                }
            }
            result.unicodeScalars.append(scalar)
        }
        return result
    }
}
