import Base

extension SQLPlusPlus {
    /// Returns SQL++ text that parses to the same expression; `nil` if SQL++ cannot express it, such as a LIKE that ignores case or a
    /// nested query.
    package static func text(of expression: QueryExpression) -> String? { SQLPlusPlusWriter.text(of: expression, in: .none) }

    /// Returns a name in backticks. An empty name stays invalid.
    package static func quoted(_ name: String) -> String { "`\(name.doubling("`"))`" }

    /// Returns a name as it is written in a query: in backticks if it is no identifier.
    package static func identifier(_ name: String) -> String { SQLPlusPlusWriter.identifier(name) }

    /// Returns the path of a property, as apps write it, with each key in backticks. An invalid path becomes an invalid name.
    package static func quoted(path: String) -> String {
        guard let path = try? PropertyPath(encoded: path), path.firstKey != nil else { return quoted("") }
        return SQLPlusPlusWriter.steps(path) { quoted($0) }
    }
}

/// Writes expressions as SQL++ (Query 2.2, 2.4).
private enum SQLPlusPlusWriter {
    /// The precedence of the parts of an expression (Query 2.3). An operand that does not bind more strongly than its operator is
    /// parenthesized.
    enum Precedence: Int {
        case none, collate, or, and, not, equality, relation, sum, product, concatenation, atom
    }

    static func text(of expression: QueryExpression, in parent: Precedence) -> String? {
        guard let (text, own) = unparenthesized(expression) else { return nil }
        return own.rawValue <= parent.rawValue ? "(\(text))" : text
    }

    private static func unparenthesized(_ expression: QueryExpression) -> (String, Precedence)? {
        if let negated = expression.asNegatedTest {
            // After another NOT, the parser applies this one to the result of the test.
            return negated.asNegatedTest == nil ? text(of: negated, in: .not).map { ("NOT \($0)", .not) } : nil
        }
        return switch expression {
        case .missing: ("MISSING", .atom)
        case .null: ("NULL", .atom)
        case .boolean(let flag): (flag ? "TRUE" : "FALSE", .atom)
        case .integer(let number): (String(number), .atom)
        case .double(let number): number.isFinite ? (decimal(number), .atom) : nil
        case .string(let text): ("'\(text.doubling("'"))'", .atom)
        case .array(let elements): list(elements).map { ("[\($0)]", .atom) }
        case .dictionary(let entries): dictionary(entries)
        case .parameter(let name): isWord(name) ? ("$\(name)", .atom) : nil
        case .property(let path): path.isEmpty ? ("*", .atom) : propertyPath(path).map { ($0, .atom) }
        case .variable(let name, let path):
            propertyPath(PropertyPath([.key(name)] + path.components)).map { ($0, .atom) }
        case .meta(let alias): ("meta(\(alias.map(identifier) ?? ""))", .atom)
        case .nested(let base, let path): nested(base, path)
        case .operation(let symbol, let operands): operation(symbol, operands)
        case .like(let value, let pattern, isCaseSensitive: true): infix("LIKE", [value, pattern], .equality)
        case .conditional(let subject, let branches, let otherwise): conditional(subject, branches, otherwise)
        case .quantified(let quantifier, let variable, let source, let predicate):
            quantified(quantifier, variable, source, predicate)
        case .collate(let options, let operand): collated(options, operand)
        case .function(let name, let arguments) where QueryFunction.named(name) != nil:
            call(name, arguments).map { ($0, .atom) }
        case .like, .exists, .distinct, .select, .blob, .match, .rank, .search, .function: nil
        }
    }

    private static func call(_ name: String, _ arguments: [QueryExpression]) -> String? {
        if ModelCall.isFunction(name) {
            guard case .string(let model)? = arguments.first else { return nil }
            let rest = arguments.dropFirst()
            return rest.isEmpty ? "\(name)(\(identifier(model)))" : list(Array(rest)).map { "\(name)(\(identifier(model)), \($0))" }
        }
        guard case .distinct(let operand)? = arguments.first else { return list(arguments).map { "\(name)(\($0))" } }
        guard arguments.count == 1, QueryFunction.named(name)?.isAggregate == true else { return nil }
        return text(of: operand, in: .none).map { "\(name)(DISTINCT \($0))" }
    }

    // MARK: Names and literals

    static func identifier(_ name: String) -> String {
        // SOME is a name unless it is taken for a quantifier.
        let isPlain = isWord(name) && QueryKeyword(word: name) == nil && name.uppercased() != "SOME"
        return isPlain ? name : SQLPlusPlus.quoted(name)
    }

    private static func isWord(_ name: String) -> Bool { SQLText.isPlainWord(name.replacing("$", with: "_")) && name.first != "$" }

    private static func propertyPath(_ path: PropertyPath) -> String? {
        guard path.firstKey != nil else { return nil }
        return steps(path)
    }

    static func steps(_ path: PropertyPath, name: (String) -> String = identifier) -> String {
        var text = ""
        for component in path.components {
            switch component {
            case .key(let key): text += (text.isEmpty ? "" : ".") + name(key)
            case .index(let index): text += "[\(index)]"
            }
        }
        return text
    }

    /// Returns a number with a point or an exponent; the exponent has no plus sign.
    private static func decimal(_ number: Double) -> String { number.description.replacing("e+", with: "e") }

    private static func list(_ expressions: [QueryExpression]) -> String? {
        let texts = expressions.compactMap { text(of: $0, in: .none) }
        return texts.count == expressions.count ? texts.joined(separator: ", ") : nil
    }

    private static func dictionary(_ entries: [DictionaryEntry]) -> (String, Precedence)? {
        let texts = entries.compactMap { entry in
            text(of: entry.value, in: .none).map { "'\(entry.key.doubling("'"))': \($0)" }
        }
        return texts.count == entries.count ? ("{\(texts.joined(separator: ", "))}", .atom) : nil
    }

    private static func nested(_ base: QueryExpression, _ path: PropertyPath) -> (String, Precedence)? {
        if path.isEmpty, case .operation(.not, _) = base { return text(of: base, in: .none).map { ("(\($0))", .atom) } }
        guard !path.isEmpty, let inner = text(of: base, in: .concatenation) else { return nil }
        let dot = path.firstKey == nil ? "" : "."
        if case .meta = base { return ("\(inner)\(dot)\(steps(path))", .atom) }
        return ("(\(inner))\(dot)\(steps(path))", .atom)
    }

    // MARK: Operations

    private static func infix(_ symbol: String, _ operands: [QueryExpression], _ own: Precedence) -> (String, Precedence)? {
        let texts = operands.compactMap { text(of: $0, in: own) }
        return texts.count == operands.count ? (texts.joined(separator: " \(symbol) "), own) : nil
    }

    private static func operation(_ symbol: QueryOperator, _ operands: [QueryExpression]) -> (String, Precedence)? {
        guard symbol.operandCount.contains(operands.count) else { return nil }
        switch symbol {
        case .or: return infix("OR", operands, .or)
        case .and: return infix("AND", operands, .and)
        case .not: return text(of: operands[0], in: .none).map { ("NOT (\($0))", .not) }
        case .subtract where operands.count == 1:
            return text(of: operands[0], in: .none).map { ("-(\($0))", .concatenation) }
        case .add, .subtract: return infix(symbol.rawValue, operands, .sum)
        case .multiply, .divide, .modulo: return infix(symbol.rawValue, operands, .product)
        case .concatenate: return infix("||", operands, .concatenation)
        case .less, .lessOrEqual, .greater, .greaterOrEqual: return infix(symbol.rawValue, operands, .relation)
        case .equal, .notEqual, .is, .isNot: return infix(symbol.rawValue, operands, .equality)
        case .isValued: return text(of: operands[0], in: .equality).map { ("\($0) IS VALUED", .equality) }
        case .in, .notIn:
            let words = symbol == .in ? "IN" : "NOT IN"
            guard let left = text(of: operands[0], in: .equality) else { return nil }
            if case .array(let elements) = operands[1] {
                return list(elements).map { ("\(left) \(words) (\($0))", .equality) }
            }
            // Parentheses after IN are those of a list.
            guard let right = text(of: operands[1], in: .equality), !right.hasPrefix("(") else { return nil }
            return ("\(left) \(words) \(right)", .equality)
        case .between:
            guard let value = text(of: operands[0], in: .equality), let low = text(of: operands[1], in: .equality),
                let high = text(of: operands[2], in: .equality)
            else { return nil }
            return ("\(value) BETWEEN \(low) AND \(high)", .equality)
        }
    }

    private static func conditional(
        _ subject: QueryExpression?,
        _ branches: [ConditionalBranch],
        _ otherwise: QueryExpression?
    ) -> (String, Precedence)? {
        var parts = ["CASE"]
        func add(_ word: String?, _ expression: QueryExpression) -> Bool {
            guard let text = self.text(of: expression, in: .none) else { return false }
            parts.append(word.map { "\($0) \(text)" } ?? text)
            return true
        }
        if let subject, !add(nil, subject) { return nil }
        for branch in branches {
            guard add("WHEN", branch.condition), add("THEN", branch.result) else { return nil }
        }
        if let otherwise, !add("ELSE", otherwise) { return nil }
        return ((parts + ["END"]).joined(separator: " "), .atom)
    }

    private static func quantified(
        _ quantifier: Quantifier,
        _ variable: String,
        _ source: QueryExpression,
        _ predicate: QueryExpression
    ) -> (String, Precedence)? {
        guard let array = text(of: source, in: .none), let test = text(of: predicate, in: .none) else { return nil }
        // In the text, a property of that name would be the variable.
        let hidesProperty = predicate.contains { part in
            if case .property(let path) = part, let key = path.firstKey { key.isExactly(variable) } else { false }
        }
        guard !hidesProperty else { return nil }
        return ("\(quantifier.rawValue) \(identifier(variable)) IN \(array) SATISFIES \(test) END", .atom)
    }

    private static func collated(_ options: CollationOptions, _ operand: QueryExpression) -> (String, Precedence)? {
        guard let text = Self.text(of: operand, in: .collate) else { return nil }
        let locale = options.locale ?? ""
        guard locale.isEmpty || options.isUnicode == true else { return nil }
        var words: [String] = []
        if let isUnicode = options.isUnicode {
            words.append(isUnicode ? (locale.isEmpty ? "UNICODE" : "UNICODE:\(identifier(locale))") : "NOUNICODE")
        }
        if let isCaseSensitive = options.isCaseSensitive { words.append(isCaseSensitive ? "CASE" : "NOCASE") }
        if let isDiacriticSensitive = options.isDiacriticSensitive {
            words.append(isDiacriticSensitive ? "DIAC" : "NODIAC")
        }
        return words.isEmpty ? nil : ("\(text) COLLATE (\(words.joined(separator: " ")))", .collate)
    }
}
