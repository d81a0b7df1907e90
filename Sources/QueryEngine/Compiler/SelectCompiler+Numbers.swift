extension SelectCompiler {
    /// Compiles a floating-point literal. In an index it has the text that Couchbase Lite writes, although SQLite may read another number from
    /// it.
    func double(_ number: Double) -> String {
        guard record.misreadNumbers.contains(number) else { return SQLText.literal(number) }
        guard isOfIndex else { return SQLText.quotient(number) }
        record.misreadLiteralCount += 1
        return SQLText.literal(number)
    }

    /// Compiles an expression with a number that SQLite misreads in the form used in indexes, if an index contains the expression: the index
    /// was built with what SQLite has read, and serves no other expression. `nil` for other expressions, and for one with NOT: in the form used
    /// in indexes, NOT before a test has no parentheses, so that SQLite negates the whole test.
    func indexedFormOfMisread(_ expression: QueryExpression) throws -> String? {
        guard !record.misreadNumbers.isEmpty, !isOfIndex, !context.isTagRead, expression.canBeIndexedWithNumber,
            !expression.contains(where: \.isNegation)
        else { return nil }
        let hasMisread = expression.contains { part in
            if case .double(let number) = part { record.misreadNumbers.contains(number) } else { false }
        }
        return hasMisread ? try inIndexForm { try $0.expression(expression) } : nil
    }
}

extension CompilationRecord {
    /// Finds the numbers that SQLite misreads in an expression, without the queries nested in it.
    func noteMisreadNumbers(in expression: QueryExpression) throws {
        guard case .double(let number) = expression else { return try expression.forEachChild(noteMisreadNumbers) }
        // Every SQLite reads integers of this size without rounding.
        let isInteger = number.magnitude < 0x1p53 && number == number.rounded(.towardZero)
        guard number.isFinite, !isInteger, !misreadNumbers.contains(number), try !resolver.readsExactly(number) else { return }
        misreadNumbers.insert(number)
    }
}

extension QueryExpression {
    /// Whether the expression can be a part of an index and have a literal as an operand. The operands of AND, OR and NOT are such parts
    /// themselves.
    fileprivate var canBeIndexedWithNumber: Bool {
        switch self {
        case .operation(let symbol, _): symbol != .and && symbol != .or && symbol != .not
        case .function, .conditional, .array, .dictionary, .quantified: true
        default: false
        }
    }

    fileprivate var isNegation: Bool {
        if case .operation(.not, _) = self { true } else { false }
    }
}

extension SQLText {
    /// Returns a finite number other than 0 as an integer that is divided or multiplied by powers of two, which SQLite computes without
    /// rounding. Its parser rounds some decimal numbers to a neighbour of the nearest double, for example 149.312697.
    static func quotient(_ number: Double) -> String {
        let width = number.significandWidth
        let integer = Int64(Double(sign: number.sign, exponent: width, significand: number.magnitude.significand))
        let exponent = Int(number.exponent) - width
        var sql = "\(integer).0"
        var rest = exponent.magnitude
        while rest > 0 {
            let step = min(rest, 62)
            sql += " \(exponent < 0 ? "/" : "*") \(Int64(1) << step)"
            rest -= step
        }
        return "(\(sql))"
    }
}
