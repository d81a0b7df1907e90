import QueryLanguage

extension OracleEvaluator {
    func operation(_ symbol: QueryOperator, _ operands: [QueryExpression]) throws -> OracleValue {
        switch symbol {
        case .and: return OracleValue(and(try operands.map { try value($0).truth }))
        case .or: return OracleValue(and(try operands.map { try value($0).truth.map { !$0 } }).map { !$0 })
        case .not: return OracleValue(try value(operands[0]).truth.map { !$0 })
        case .less: return try compared(operands) { $0 < 0 }
        case .lessOrEqual: return try compared(operands) { $0 <= 0 }
        case .greater: return try compared(operands) { $0 > 0 }
        case .greaterOrEqual: return try compared(operands) { $0 >= 0 }
        case .equal, .notEqual: return OracleValue(try equality(operands).map { $0 == (symbol == .equal) })
        case .is, .isNot: return try identity(operands, isNegated: symbol == .isNot)
        case .isValued:
            let operand = try value(operands[0])
            return OracleValue(!operand.isMissing && !operand.isNull)
        case .in, .notIn:
            let result = try membership(operands[0], operands[1])
            return symbol == .in ? result : OracleValue(result.truth.map { !$0 })
        case .between:
            try checkMetadata(operands)
            let (subject, lower, upper) = (try value(operands[0]), try value(operands[1]), try value(operands[2]))
            let isAbove = try order(subject, lower).map { $0 >= 0 }
            let isBelow = try order(subject, upper).map { $0 <= 0 }
            return OracleValue(and([isAbove, isBelow]))
        case .concatenate: return try call("concat", operands)
        case .subtract where operands.count == 1:
            if case .double(let number) = operands[0] { return .double(-number) }
            return try arithmetic(.subtract, .integer(0), value(operands[0]))
        case .add, .subtract, .multiply, .divide, .modulo:
            var result = try value(operands[0])
            for operand in operands.dropFirst() { result = try arithmetic(symbol, result, value(operand)) }
            return result
        }
    }

    /// Three-valued AND.
    func and(_ truths: [Bool?]) -> Bool? {
        if truths.contains(false) { return false }
        return truths.contains(nil) ? nil : true
    }

    // MARK: Comparisons

    private func order(_ left: OracleValue, _ right: OracleValue) throws -> Int? {
        left.isMissing || right.isMissing ? nil : try OracleValue.compare(left, right, collation)
    }

    /// Throws if metadata is compared with a value of another type, because SQLite then converts the value to the type of the column, which
    /// is not specified.
    private func checkMetadata(_ expressions: [QueryExpression]) throws {
        let values = try expressions.map(value)
        for (expression, value) in zip(expressions, values) where expression.isMetadata {
            for other in values where !other.isMissing && other.rank != value.rank {
                throw Unspecified("the comparison of metadata with a value of another kind")
            }
        }
    }

    private func compared(_ operands: [QueryExpression], _ test: (Int) -> Bool) throws -> OracleValue {
        try checkMetadata(operands)
        return OracleValue(try order(value(operands[0]), value(operands[1])).map(test))
    }

    private func equality(_ operands: [QueryExpression]) throws -> Bool? {
        try checkMetadata(operands)
        let (left, right) = (try value(operands[0]), try value(operands[1]))
        return left.isMissing || right.isMissing ? nil : try OracleValue.areEqual(left, right, collation)
    }

    /// IS with MISSING, with null, and with anything else (Query 1.5).
    private func identity(_ operands: [QueryExpression], isNegated: Bool) throws -> OracleValue {
        if operands[1] == .null { return OracleValue(try equality(operands).map { $0 != isNegated }) }
        try checkMetadata(operands)
        let (left, right) = (try value(operands[0]), try value(operands[1]))
        let isSame =
            if left.isMissing || right.isMissing {
                left.isMissing && right.isMissing
            } else {
                try OracleValue.areEqual(left, right, collation)
            }
        return OracleValue(isSame != isNegated)
    }

    private func membership(_ subject: QueryExpression, _ set: QueryExpression) throws -> OracleValue {
        let sought = try value(subject)
        if case .select(let select) = set { return try membership(of: sought, subject, inRowsOf: select) }
        guard case .array(let elements) = set else {
            // The same test as `array_contains`, without a collation.
            let collection = try value(set)
            if case .dictionary = collection { return .null }
            if collection.isNull, sought.isMissing { return .missing }
            return try containment(of: sought, in: collection)
        }
        try checkMetadata([subject] + elements)
        let values = try elements.map(value)
        guard !sought.isMissing, !values.isEmpty else { return values.isEmpty ? OracleValue(false) : .missing }
        for candidate in values where !candidate.isMissing {
            if try OracleValue.areEqual(sought, candidate, collation) { return OracleValue(true) }
        }
        return OracleValue(values.contains { $0.isMissing } ? nil : false)
    }

    /// IN with a nested query (Query 12.1).
    private func membership(of sought: OracleValue, _ subject: QueryExpression, inRowsOf select: SelectStatement) throws -> OracleValue {
        let query = OracleQuery(select, database: database, parameters: parameters, enclosing: enclosing + [self])
        let values = try query.rows().map { $0.columns[0] }.filter { !$0.isMissing }
        if values.isEmpty { return OracleValue(false) }
        if sought.isMissing { return .missing }
        if subject.isMetadata, values.contains(where: { $0.rank != sought.rank }) {
            throw Unspecified("the comparison of metadata with a value of another kind")
        }
        return OracleValue(try values.contains { try OracleValue.areEqual(sought, $0, collation) })
    }

    // MARK: Arithmetic

    /// Computes an arithmetic operation (Query 3.7).
    private func arithmetic(_ symbol: QueryOperator, _ left: OracleValue, _ right: OracleValue) throws -> OracleValue {
        var isText = false
        if case .string = left { isText = true }
        if case .string = right { isText = true }
        guard let left = left.reading, let right = right.reading else { return .missing }
        if case .integer(let a) = left, case .integer(let b) = right, let result = integers(symbol, a, b) {
            return result
        }
        let (a, b) = (left.double, right.double)
        switch symbol {
        case .add: return OracleNumber.double(a + b).value
        case .subtract: return OracleNumber.double(a - b).value
        case .multiply: return OracleNumber.double(a * b).value
        case .divide: return b == 0 ? .missing : OracleNumber.double(a / b).value
        default:
            let (dividend, divisor) = (left.truncated, right.truncated)
            if isText { throw Unspecified("the remainder of texts with fractions") }
            guard divisor != 0 else { return .missing }
            return .double(divisor == -1 ? 0 : Double(dividend % divisor))
        }
    }

    /// Returns the result in integers; `nil` if it overflows and must be computed in doubles.
    private func integers(_ symbol: QueryOperator, _ a: Int64, _ b: Int64) -> OracleValue? {
        let (result, overflow): (Int64, Bool)
        switch symbol {
        case .add: (result, overflow) = a.addingReportingOverflow(b)
        case .subtract: (result, overflow) = a.subtractingReportingOverflow(b)
        case .multiply: (result, overflow) = a.multipliedReportingOverflow(by: b)
        case .divide:
            if b == 0 { return .missing }
            (result, overflow) = a.dividedReportingOverflow(by: b)
        default:
            if b == 0 { return .missing }
            return .integer(b == -1 ? 0 : a % b)
        }
        return overflow ? nil : .integer(result)
    }

    // MARK: LIKE

    /// Matches a LIKE pattern (Query 3.8).
    func like(_ subject: OracleValue, _ pattern: OracleValue, _ isCaseSensitive: Bool) throws -> OracleValue {
        let isUnicode = collation.isUnicode || !isCaseSensitive
        // With a collation the result is a boolean (Query 10, `more-like-collated-bool`).
        let isCollated = isUnicode || !collation.isCaseSensitive
        func result(_ isMatch: Bool) -> OracleValue { isCollated ? .boolean(isMatch) : OracleValue(isMatch) }
        if subject.rank >= 3 || pattern.rank >= 3 {
            if subject.isMissing || pattern.isMissing { throw Unspecified("LIKE between MISSING and a container") }
            return result(false)
        }
        if subject.isMissing || pattern.isMissing { return .missing }
        // Without Unicode, matching is case-sensitive in any collation.
        let ignoresCase = isUnicode && (!isCaseSensitive || !collation.isCaseSensitive)
        let units = try [subject, pattern].map { try text($0).unicodeScalars.map(\.value) }
        if isUnicode, units.joined().contains(where: { $0 >= 0x80 }) { throw Unspecified("folding beyond ASCII") }
        func fold(_ unit: UInt32) -> UInt32 {
            ignoresCase && (0x41...0x5A).contains(unit) ? unit + 0x20 : unit
        }
        return result(Self.matches(units[0].map(fold)[...], units[1].map(fold)[...]))
    }

    private func text(_ value: OracleValue) throws -> String {
        switch value {
        case .string(let text): return text
        case .integer(let number): return "\(number)"
        case .boolean(let flag): return flag ? "1" : "0"
        default: throw Unspecified("the text of a number for LIKE")
        }
    }

    private static func matches(_ text: ArraySlice<UInt32>, _ pattern: ArraySlice<UInt32>) -> Bool {
        guard let first = pattern.first else { return text.isEmpty }
        let rest = pattern.dropFirst()
        switch first {
        case 0x25: return matches(text, rest) || (!text.isEmpty && matches(text.dropFirst(), pattern))
        case 0x5F: return !text.isEmpty && matches(text.dropFirst(), rest)
        case 0x5C:
            guard let escaped = rest.first else { return false }
            return text.first == escaped && matches(text.dropFirst(), rest.dropFirst())
        default: return text.first == first && matches(text.dropFirst(), rest)
        }
    }
}

extension QueryExpression {
    /// Whether this is a column of a table, possibly with a collation.
    var isMetadata: Bool {
        switch self {
        case .nested(.meta, _): true
        case .property(let path): path.lastKey?.first == "_"
        case .collate(_, let operand): operand.isMetadata
        default: false
        }
    }
}
