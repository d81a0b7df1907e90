import Base

extension JSONTreeReader {
    /// Reads any expression. A string is a string literal here.
    mutating func expression(_ value: JSONNode) throws(QueryError) -> QueryExpression {
        try nested { reader throws(QueryError) in
            switch value {
            case .null: .null
            case .boolean(let flag): .boolean(flag)
            case .integer(let number): .integer(number)
            case .double(let number): .double(number)
            case .string(let text): .string(text)
            case .array(let items): try reader.operation(items)
            case .object(let object): .dictionary(try reader.entries(object))
            }
        }
    }

    private mutating func entries(_ object: [JSONNode.Entry]) throws(QueryError) -> [DictionaryEntry] {
        var entries: [DictionaryEntry] = []
        for entry in object { entries.append(DictionaryEntry(key: entry.key, value: try expression(entry.value))) }
        return entries
    }

    private mutating func expressions(_ values: some Sequence<JSONNode>) throws(QueryError) -> [QueryExpression] {
        var expressions: [QueryExpression] = []
        for value in values { expressions.append(try expression(value)) }
        return expressions
    }

    // MARK: Operators

    private mutating func operation(_ array: [JSONNode]) throws(QueryError) -> QueryExpression {
        guard let first = array.first else { throw QueryError.invalidQuery("Empty JSON array") }
        guard let name = first.string else {
            throw QueryError.invalidQuery("the first item of a JSON array must be the name of an operator")
        }
        let operands = Array(array.dropFirst())
        switch name.utf8.first {
        case UInt8(ascii: "."):
            return .property(try path(beginning: name, operands))
        case UInt8(ascii: "$"):
            return .parameter(try parameterName(name, operands))
        case UInt8(ascii: "?"):
            return try variable(name, operands)
        case UInt8(ascii: "_") where name.beginsExactly(with: "_."):
            return try nestedPath(name, operands)
        default:
            if let expression = try namedOperation(name.uppercased(), operands) { return expression }
        }
        if name.hasSuffix("()") {
            return .function(name: String(name.dropLast(2)), arguments: try expressions(operands))
        }
        guard let symbol = QueryOperator(rawValue: name.uppercased()) else { throw QueryError.invalidQuery("Unknown operator '\(name)'") }
        guard symbol.operandCount.contains(operands.count) else { throw wrongCount(name) }
        return .operation(symbol, try expressions(operands))
    }

    /// Reads the operators with operands of a special form (Query 1.5); returns `nil` for other names.
    private mutating func namedOperation(_ name: String, _ operands: [JSONNode]) throws(QueryError) -> QueryExpression? {
        func check(_ counts: ClosedRange<Int>) throws(QueryError) {
            guard counts.contains(operands.count) else { throw wrongCount(name) }
        }
        switch name {
        case "[]":
            return .array(try expressions(operands))
        case "MISSING":
            try check(0...0)
            return .missing
        case "BLOB":
            try check(1...1)
            return .blob(try PropertyPath(encoded: try string(operands[0], of: name)))
        case "LIKE":
            try check(2...3)
            return .like(
                value: try expression(operands[0]),
                pattern: try expression(operands[1]),
                isCaseSensitive: operands.count == 2 || !statesIgnoredCase(operands[2])
            )
        case "EXISTS":
            try check(1...1)
            return .exists(try expression(operands[0]))
        case "DISTINCT":
            try check(1...1)
            return .distinct(try expression(operands[0]))
        case "CASE":
            try check(3...Int.max)
            return try conditional(operands)
        case "ANY", "EVERY", "ANY AND EVERY":
            try check(3...3)
            return try quantified(name, operands)
        case "COLLATE":
            try check(2...2)
            return .collate(try collation(operands[0]), operand: try expression(operands[1]))
        case "SELECT":
            try check(1...1)
            guard let object = operands[0].entries else { throw QueryError.invalidQuery("the operand of SELECT must be an object") }
            return .select(try select(object))
        case "META()":
            try check(0...1)
            return .meta(alias: operands.isEmpty ? nil : try string(operands[0], of: name))
        case "MATCH()", "MATCH":
            try check(2...2)
            return .match(index: try string(operands[0], of: name), pattern: try expression(operands[1]))
        case "RANK()":
            try check(1...1)
            return .rank(index: try string(operands[0], of: name))
        default:
            guard name.hasSuffix("()"), let function = SearchFunction.named(String(name.dropLast(2))) else { return nil }
            guard let index = operands.first else { throw wrongCount(name) }
            return .search(function, index: try string(index, of: name), arguments: try expressions(Array(operands.dropFirst())))
        }
    }

    private mutating func conditional(_ operands: [JSONNode]) throws(QueryError) -> QueryExpression {
        let subject: QueryExpression? = if case .null = operands[0] { nil } else { try expression(operands[0]) }
        var branches: [ConditionalBranch] = []
        var rest = operands.dropFirst()
        while rest.count >= 2 {
            let condition = try expression(rest.removeFirst())
            branches.append(ConditionalBranch(when: condition, then: try expression(rest.removeFirst())))
        }
        let otherwise: QueryExpression? = if let last = rest.first { try expression(last) } else { nil }
        return .conditional(subject: subject, branches: branches, otherwise: otherwise)
    }

    private mutating func quantified(_ name: String, _ operands: [JSONNode]) throws(QueryError) -> QueryExpression {
        guard let quantifier = Quantifier(rawValue: name), let variable = operands[0].string else {
            throw QueryError.invalidQuery("ANY/EVERY first parameter must be an identifier; '\(operands[0])' is not")
        }
        let source = try expression(operands[1])
        let predicate = try expression(operands[2])
        return .quantified(quantifier, variable: variable, source: source, predicate: predicate)
    }

    private func collation(_ value: JSONNode) throws(QueryError) -> CollationOptions {
        guard let object = value.entries else { throw QueryError.invalidQuery("the first operand of COLLATE must be an object") }
        var options = CollationOptions()
        for entry in object {
            switch entry.key.uppercased() {
            case "UNICODE": options.isUnicode = entry.value.flag
            case "CASE": options.isCaseSensitive = entry.value.flag
            case "DIAC": options.isDiacriticSensitive = entry.value.flag
            case "LOCALE": options.locale = entry.value.string ?? ""
            default: break
            }
        }
        return options
    }

    /// Whether this is the third operand that ``QueryJSON`` writes for a LIKE that ignores case. Any other third operand is ignored.
    private func statesIgnoredCase(_ operand: JSONNode) -> Bool { operand.entries?.first { $0.key == "CASE" }?.value.flag == false }

    // MARK: Paths

    /// Reads a path that starts with an encoded part and continues with single components: names, which are not escaped, and indexes, which
    /// are in arrays of one item.
    private func path(beginning encoded: String, _ components: some Sequence<JSONNode>) throws(QueryError)
        -> PropertyPath
    {
        var path = try PropertyPath(encoded: encoded)
        for component in components {
            if let key = component.string, !key.isEmpty {
                path.components.append(.key(key))
            } else if let items = component.items, items.count == 1, case .integer(let number) = items[0] {
                path.components.append(.index(Int(clamping: number)))
            } else {
                throw QueryError.invalidQuery("invalid component of a property path")
            }
        }
        return path
    }

    private func parameterName(_ name: String, _ operands: [JSONNode]) throws(QueryError) -> String {
        if name != "$" {
            guard operands.isEmpty else { throw wrongCount(name) }
            return String(name.dropFirst())
        }
        guard operands.count == 1 else { throw wrongCount(name) }
        switch operands[0] {
        case .string(let text): return text
        case .integer(let number): return String(number)
        default: throw QueryError.invalidQuery("Invalid query parameter name")
        }
    }

    private func variable(_ name: String, _ operands: [JSONNode]) throws(QueryError) -> QueryExpression {
        var encoded = String(name.dropFirst())
        var rest = operands[...]
        if encoded.isEmpty {
            guard let first = rest.popFirst()?.string else { throw wrongCount(name) }
            encoded = first
        }
        let path = try self.path(beginning: encoded, rest)
        guard let variable = path.firstKey else { throw QueryError.invalidQuery("No such variable '\(encoded)'") }
        return .variable(variable, path.dropFirst())
    }

    private mutating func nestedPath(_ name: String, _ operands: [JSONNode]) throws(QueryError) -> QueryExpression {
        let isApart = name == "_."
        guard operands.count == (isApart ? 2 : 1) else { throw wrongCount(name) }
        let encoded = isApart ? try string(operands[1], of: name) : String(name.unicodeScalars.dropFirst(2))
        let base = try expression(operands[0])
        var path = try PropertyPath(encoded: encoded)
        path.lacksDot = isApart && encoded.utf8.first != UInt8(ascii: ".")
        return .nested(base, path)
    }

    // MARK: Operands

    private func string(_ operand: JSONNode, of name: String) throws(QueryError) -> String {
        guard let text = operand.string else { throw QueryError.invalidQuery("an operand of \(name) must be a string") }
        return text
    }

    private func wrongCount(_ name: String) -> QueryError { QueryError.invalidQuery("Wrong number of arguments to \(name)") }
}
