extension SelectCompiler {
    mutating func operation(_ symbol: QueryOperator, _ operands: [QueryExpression], in parent: Precedence, isAtTop: Bool) throws -> String {
        guard symbol.operandCount.contains(operands.count) else {
            throw QueryError.invalidQuery("Wrong number of arguments to \(symbol.rawValue)")
        }
        switch symbol {
        case .and, .or:
            let parts = try operands.enumerated().map { index, operand in
                context.isAtTopOfCondition = isAtTop && symbol == .and
                return try index == 0 ? firstOperand(operand, in: .logic) : expression(operand, in: .logic)
            }
            return parenthesized(joined(parts, by: " \(symbol.rawValue) "), .logic, in: parent)
        case .not:
            // In Couchbase Lite, NOT has the precedence of a sign, and the text of indexes must show this. In SQL, NOT applies to
            // everything up to the next AND.
            guard isOfIndex else { return parenthesized("NOT (\(try expression(operands[0])))", .negation, in: parent) }
            return parenthesized("NOT \(try firstOperand(operands[0], in: .sign))", .sign, in: parent)
        case .concatenate:
            // SQL's operator does not convert null, booleans and containers to strings as SQL++ does.
            return parenthesized(try concatenation(operands), .equality, in: parent)
        case .subtract where operands.count == 1:
            let operand = try firstOperand(operands[0], in: .sign)
            // Two minus signs begin a comment.
            let sql = operand.hasPrefix("-") ? "-(\(operand))" : "-\(operand)"
            return parenthesized(sql, .sign, in: parent)
        case .multiply, .divide, .modulo:
            return try infix(symbol.rawValue, operands, .product, in: parent)
        case .add, .subtract:
            return try infix(symbol.rawValue, operands, .sum, in: parent)
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
            return try comparison(symbol.rawValue, operands, .relation, in: parent)
        case .equal, .notEqual:
            return try comparison(symbol.rawValue, operands, .equality, in: parent)
        case .is, .isNot:
            return try identity(symbol, operands, in: parent)
        case .isValued:
            return parenthesized("isvalued(\(try firstOperand(operands[0])))", .equality, in: parent)
        case .in, .notIn:
            return try membership(operands[0], operands[1], isNegated: symbol == .notIn, in: parent)
        case .between:
            let value = try compared(operands[0], .equality, with: operands[1], operands[2])
            let lower = try expression(operands[1], in: .equality)
            let upper = try expression(operands[2], in: .equality)
            return parenthesized("\(value) BETWEEN \(lower) AND \(upper)", .equality, in: parent)
        }
    }

    /// Joins terms with an operator. Many terms are put into groups, because in SQLite each term makes the expression one level deeper, and
    /// at most a thousand levels are allowed.
    private func joined(_ terms: [String], by separator: String) -> String {
        let most = 100
        var terms = terms
        while terms.count > most {
            terms = stride(from: 0, to: terms.count, by: most).map { start in
                "(\(terms[start..<min(start + most, terms.count)].joined(separator: separator)))"
            }
        }
        return terms.joined(separator: separator)
    }

    /// Compiles a chain of `||` to one call, unless an index contains it as nested calls, which is how Couchbase Lite compiles SQL++.
    private mutating func concatenation(_ operands: [QueryExpression]) throws -> String {
        let most = Self.maximumArguments
        if operands.count > most {
            let groups = stride(from: 0, to: operands.count, by: most).map { start in
                let group = Array(operands[start..<min(start + most, operands.count)])
                return group.count == 1 ? group[0] : QueryExpression.operation(.concatenate, group)
            }
            return try concatenation(groups)
        }
        let nested = QueryExpression.operation(.concatenate, operands).withNestedChains
        if operands.count > 2, case .operation(_, let outermost) = nested,
            let indexed = try inIndexForm({ try $0.call("concat", outermost) })
        {
            return indexed
        }
        return try call("concat", operands)
    }

    private mutating func infix(
        _ symbol: String,
        _ operands: [QueryExpression],
        _ own: Precedence,
        in parent: Precedence
    ) throws -> String {
        let first = try firstOperand(operands[0], in: own)
        let others = try operands.dropFirst().map { try expression($0, in: own) }
        return parenthesized(([first] + others).joined(separator: " \(symbol) "), own, in: parent)
    }

    // MARK: Comparisons

    private mutating func comparison(
        _ symbol: String,
        _ operands: [QueryExpression],
        _ own: Precedence,
        in parent: Precedence
    ) throws -> String {
        let left = try compared(operands[0], own, with: operands[1])
        return parenthesized("\(left) \(symbol) \(try expression(operands[1], in: own))", own, in: parent)
    }

    private mutating func identity(_ symbol: QueryOperator, _ operands: [QueryExpression], in parent: Precedence) throws -> String {
        switch operands[1] {
        case .missing:
            let left = try firstOperand(operands[0], in: .equality)
            return parenthesized("\(left) \(symbol.rawValue) NULL", .equality, in: parent)
        case .null:
            return try comparison(symbol == .is ? "=" : "!=", operands, .equality, in: parent)
        default:
            return try comparison(symbol.rawValue, operands, .equality, in: parent)
        }
    }

    private mutating func membership(
        _ value: QueryExpression,
        _ set: QueryExpression,
        isNegated: Bool,
        in parent: Precedence
    ) throws -> String {
        if case .array(let elements) = set {
            let left = try compared(value, .equality)
            let sql = "\(left) \(isNegated ? "NOT IN" : "IN") (\(try list(elements)))"
            return parenthesized(sql, .equality, in: parent)
        }
        if case .select(let nested) = set {
            let sql = "\(try compared(value, .equality)) \(isNegated ? "NOT IN" : "IN") (\(try values(of: nested)))"
            return parenthesized(sql, .equality, in: parent)
        }
        let sql = try call("array_contains", [set, value])
        return isNegated ? "(NOT \(sql))" : sql
    }

    /// Compiles the left operand of a comparison. The current collation is written there, because SQLite uses the collation of the left
    /// operand.
    private mutating func compared(_ operand: QueryExpression, _ own: Precedence, with others: QueryExpression...) throws -> String {
        if case .collate = operand {
            // The operand has its own collation.
            _ = resetPendingCollation()
            return try expression(operand, in: own)
        }
        if isOfIndex, context.clause == .index || pendingCollation != nil { return try firstOperand(operand, in: own) }
        guard let name = context.collation.collationName else {
            let isAmbiguous = operand.hasCollationInside || others.contains(where: \.hasCollationInside)
            let sql = try expression(operand, in: isAmbiguous ? .collate : own)
            return isAmbiguous ? withoutCollation(sql) : sql
        }
        return "\(try expression(operand, in: .collate)) COLLATE \(SQLText.identifier(name))"
    }

    // MARK: COLLATE

    /// Appends COLLATE BINARY, so that bytes are compared. Otherwise SQLite compares by any collation that occurs inside an operand, even
    /// in an argument of a function in it.
    func withoutCollation(_ sql: String) -> String { sql + " COLLATE BINARY" }

    /// Compiles the first operand of an operator or function. In an index, the collation of an enclosing COLLATE is written after this
    /// operand and nowhere else.
    mutating func firstOperand(_ operand: QueryExpression, in parent: Precedence = .none) throws -> String {
        guard let name = resetPendingCollation() else { return try expression(operand, in: parent) }
        let sql = "\(try expression(operand, in: .collate)) COLLATE \(SQLText.identifier(name))"
        return parenthesized(sql, .collate, in: parent)
    }

    /// Returns and clears the collation that has not been written yet; the caller must handle it.
    mutating func resetPendingCollation() -> String? {
        defer { pendingCollation = nil }
        return pendingCollation
    }

    mutating func collated(_ options: CollationOptions, _ operand: QueryExpression, in parent: Precedence) throws -> String {
        let inherited = options.inheriting(from: context.outerCollation)
        // Around AND, OR and NOT, the collation would be written after the first operand, which is a truth value without collation (Query
        // 3.5).
        let applied = operand.isLogical && !isOfIndex ? CollationOptions() : inherited
        return try with({ ($0.collation, $0.outerCollation) = (applied, inherited) }) { try $0.collated(operand, in: parent) }
    }

    /// Compiles the operand of a COLLATE whose options apply already.
    private mutating func collated(_ operand: QueryExpression, in parent: Precedence) throws -> String {
        if isOfIndex { return try collatedInIndex(context.collation.collationName ?? "BINARY", operand, in: parent) }
        if case .function = operand, let name = context.collation.collationName,
            let indexed = try inIndexForm({ try $0.collatedInIndex(name, operand, in: parent) })
        {
            return indexed
        }
        guard let name = context.collation.collationName, !operand.writesCollation else { return try expression(operand, in: parent) }
        let sql = "\(try expression(operand, in: .collate)) COLLATE \(SQLText.identifier(name))"
        return parenthesized(sql, .collate, in: parent)
    }

    /// Compiles COLLATE in the form used in indexes, where the collation is written once (Query 5.12).
    private mutating func collatedInIndex(_ name: String, _ operand: QueryExpression, in parent: Precedence) throws -> String {
        let outer = pendingCollation
        pendingCollation = name
        defer { pendingCollation = outer }
        let sql = try expression(operand, in: parent)
        guard let left = resetPendingCollation() else { return sql }
        return parenthesized("\(sql) COLLATE \(SQLText.identifier(left))", .collate, in: parent)
    }
}

extension QueryExpression {
    /// The same expression with each chain of an operator as nested binary operations. Couchbase Lite parses SQL++ in this way, which is
    /// visible in the SQL of indexes (Query 5.12). Chains of more than 100 operands are not changed.
    package var withNestedChains: QueryExpression {
        guard case .operation(let symbol, let operands) = self, symbol.isAssociative, operands.count > 2,
            operands.count <= 100
        else { return mapChildren(\.withNestedChains) }
        let parts = operands.map(\.withNestedChains)
        return parts.dropFirst().reduce(parts[0]) { .operation(symbol, [$0, $1]) }
    }

    /// Whether the expression contains a COLLATE but is not a COLLATE itself.
    var hasCollationInside: Bool {
        if case .collate = self { return false }
        return contains { if case .collate = $0 { true } else { false } }
    }

    fileprivate var isLogical: Bool {
        switch self {
        case .operation(.and, _), .operation(.or, _), .operation(.not, _): true
        default: false
        }
    }

    /// Whether a part of the expression applies the current collation, so that it is not written after the whole expression.
    fileprivate var writesCollation: Bool {
        contains { part in
            switch part {
            case .operation(let symbol, _):
                switch symbol {
                case .less, .lessOrEqual, .greater, .greaterOrEqual, .equal, .notEqual, .is, .isNot, .in, .notIn,
                    .between:
                    true
                default:
                    false
                }
            case .like, .collate: true
            case .function(let name, _): QueryFunction.named(name)?.takesCollation ?? false
            default: false
            }
        }
    }
}
