import Fleece

extension SelectCompiler {
    /// The maximum number of arguments of a function in older versions of SQLite.
    private static let maximumArguments = 127

    /// Compiles an array literal. A longer one is compiled to the bytes of its value, so all its elements must be literals.
    mutating func arrayLiteral(_ elements: [QueryExpression]) throws -> String {
        guard elements.count > Self.maximumArguments else { return "array_of(\(try readingTags { try $0.list(elements) }))" }
        var encoder = Encoder()
        guard encoder.write(literal: .array(elements)) else {
            let limit = "an array literal of more than \(Self.maximumArguments) elements may contain only literals"
            throw QueryError.invalidQuery(limit)
        }
        return SQLText.literal(bytes: try encoder.finish())
    }
}

extension Encoder {
    /// Writes the value of a literal. Returns `false` if the expression is not a literal.
    fileprivate mutating func write(literal: QueryExpression) -> Bool {
        switch literal {
        case .missing: return true
        case .null: writeNull()
        case .boolean(let flag): write(flag)
        case .integer(let number): write(number)
        case .double(let number): number.isNaN ? writeNull() : write(number)
        case .string(let text): write(text)
        case .operation(.subtract, let operands) where operands.count == 1:
            switch operands[0] {
            case .integer(let number) where number != .min: write(-number)
            case .double(let number): write(-number)
            default: return false
            }
        case .array(let elements):
            beginArray()
            for element in elements where !write(literal: element) { return false }
            endArray()
        case .dictionary(let entries):
            beginDictionary()
            for entry in entries.sortedByKey where entry.value != .missing {
                writeKey(entry.key)
                guard write(literal: entry.value) else { return false }
            }
            return endDictionaryCheckingKeys()
        default: return false
        }
        return true
    }
}
