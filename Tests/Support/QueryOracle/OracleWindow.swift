import QueryLanguage

/// The specification demands an error.
struct Refusal: Error {
    /// A part of the message.
    let what: String

    init(_ what: String) { self.what = what }
}

/// The rows that LIMIT and OFFSET select (Query 12.6).
struct OracleWindow {
    private let skipped: Int
    private let most: Int

    /// - Throws: ``Refusal`` if the value of LIMIT or OFFSET is not an integer.
    init(of select: SelectStatement, _ parameters: [String: OracleValue]) throws {
        try self.init(limit: select.limit, offset: select.offset, parameters)
    }

    init(limit: QueryExpression?, offset: QueryExpression? = nil, _ parameters: [String: OracleValue]) throws {
        most = try limit.map { try Self.number($0, "LIMIT", parameters) } ?? .max
        // If there are no rows, nothing is skipped.
        skipped = most == 0 ? 0 : try offset.map { try Self.number($0, "OFFSET", parameters) } ?? 0
    }

    private static func number(_ expression: QueryExpression, _ clause: String, _ parameters: [String: OracleValue]) throws -> Int {
        let evaluator = OracleEvaluator(aliases: [], items: [], parameters: parameters, database: OracleDatabase())
        let integer: Int64? =
            switch try evaluator.value(expression) {
            case .integer(let number): number
            case .boolean(let flag): flag ? 1 : 0
            case .double(let number): Int64(exactly: number)
            case .string(let text): Int64(text)
            default: nil
            }
        guard let integer else { throw Refusal("\(clause) must be an integer") }
        return Int(max(0, integer))
    }

    func range(ofCount count: Int) -> Range<Int> {
        let start = min(skipped, count)
        return start..<start + min(most, count - start)
    }
}
