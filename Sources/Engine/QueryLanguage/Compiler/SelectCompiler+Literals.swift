import Base
import Fleece

extension SelectCompiler {
    /// The maximum number of arguments of a function in older versions of SQLite.
    static let maximumArguments = 127

    /// Compiles an array literal. A longer one is compiled to the bytes of its value, so all its elements must be literals.
    mutating func arrayLiteral(_ elements: [QueryExpression]) throws -> String {
        guard elements.count > Self.maximumArguments else { return "array_of(\(try readingTags { try $0.list(elements) }))" }
        return try encoded(.array(elements), "an array literal of more than \(Self.maximumArguments) elements")
    }

    /// Compiles a dictionary literal; a longer one like an array literal.
    mutating func dictionaryLiteral(_ entries: [DictionaryEntry]) throws -> String {
        try entries.checkKeys()
        let sorted = entries.sortedByKey
        let most = Self.maximumArguments / 2
        guard sorted.count <= most else { return try encoded(.dictionary(entries), "a dictionary literal of more than \(most) entries") }
        return try readingTags { compiler in
            var parts: [String] = []
            for entry in sorted { parts.append("\(SQLText.literal(entry.key)), \(try compiler.expression(entry.value))") }
            return "dict_of(\(parts.joined(separator: ", ")))"
        }
    }

    private func encoded(_ literal: QueryExpression, _ description: String) throws -> String {
        var encoder = Encoder()
        guard encoder.write(literal: literal) else {
            throw QueryError.invalidQuery("\(description) may contain only literals")
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

extension QueryExpression {
    /// Checks the keys of the dictionary literals in the expression. Call ``checkDepth(limit:)`` before.
    ///
    /// - Throws: ``QueryError`` if a dictionary literal has a key twice.
    package func checkLiteralKeys() throws(QueryError) {
        if case .dictionary(let entries) = self { try entries.checkKeys() }
        try forEachChild { child throws(QueryError) in try child.checkLiteralKeys() }
    }
}

extension DictionaryEntry {
    /// Returns the reason why a dictionary literal that has a key twice is refused.
    static func isTwice(_ key: String) -> String { "duplicate key '\(key)' in a dictionary literal" }
}

extension [DictionaryEntry] {
    fileprivate func checkKeys() throws(QueryError) {
        var keys: Set<ExactString> = []
        for entry in self {
            guard keys.insert(ExactString(entry.key)).inserted else {
                throw QueryError.invalidQuery(DictionaryEntry.isTwice(entry.key))
            }
        }
    }
}
