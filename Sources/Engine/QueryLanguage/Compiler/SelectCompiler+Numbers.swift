extension SelectCompiler {
    /// Compiles a floating-point literal. In an index it has the text that Couchbase Lite writes, although SQLite may read another number from
    /// it.
    func double(_ number: Double) -> String {
        let isMisread = context.clause != .index && record.misreadNumbers.contains(number)
        return isMisread ? SQLText.quotient(number) : SQLText.literal(number)
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
