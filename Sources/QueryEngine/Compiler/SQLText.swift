import ExactStrings

/// Writes names and literals in SQL (Query 5.3).
package enum SQLText {
    /// Returns a name in SQL: unchanged if it is a plain word, otherwise in double quotes.
    package static func identifier(_ name: String) -> String {
        isPlainWord(name) && !reservedWords.contains(name.uppercased())
            ? name : "\"\(name.doubling("\""))\""
    }

    /// Returns a string literal.
    package static func literal(_ text: String) -> String {
        // SQL text ends at a NUL, so a string with a NUL is written as bytes.
        guard !text.utf8.contains(0) else { return "CAST(X'\(text.utf8.hexadecimal)' AS TEXT)" }
        return "'\(text.doubling("'"))'"
    }

    /// Returns a BLOB literal.
    static func literal(bytes: some Sequence<UInt8>) -> String { "X'\(bytes.hexadecimal)'" }

    /// Returns a number with a fraction, an exponent or at least ".0", so that SQLite reads it as a double.
    package static func literal(_ number: Double) -> String {
        if number.isNaN { return "NULL" }
        if number.isInfinite { return number < 0 ? "-9e999" : "9e999" }
        return number.description
    }

    /// Returns whether a name has the form `[A-Za-z_][A-Za-z0-9_]*`.
    package static func isPlainWord(_ name: String) -> Bool {
        guard let first = name.utf8.first, isLetter(first) else { return false }
        return name.utf8.allSatisfy(isPartOfWord)
    }

    /// Returns whether a statement contains an expression whose first and last words are whole words there: `contains(x)` does not occur
    /// in `array_contains(x)`.
    static func contains(_ expression: String, in statement: String) -> Bool {
        let text = statement.utf8
        return text.ranges(of: expression.utf8).contains { range in
            let before = text[..<range.lowerBound].last.map(isPartOfWord) ?? false
            let after = text[range.upperBound...].first.map(isPartOfWord) ?? false
            let startsWithWord = text[range].first.map(isPartOfWord) ?? false
            let endsWithWord = text[range].last.map(isPartOfWord) ?? false
            return !(before && startsWithWord) && !(after && endsWithWord)
        }
    }

    private static func isPartOfWord(_ byte: UInt8) -> Bool { isLetter(byte) || (0x30...0x39).contains(byte) }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte | 0x20) || byte == 0x5F
    }

    /// The words that SQLite does not accept as names. It accepts all other keywords where a name is required.
    private static let reservedWords: Set<String> = [
        "ADD", "ALL", "ALTER", "AND", "AS", "AUTOINCREMENT", "BETWEEN", "CASE", "CHECK", "COLLATE", "COMMIT",
        "CONSTRAINT", "CREATE", "CROSS", "CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP", "DEFAULT", "DEFERRABLE",
        "DELETE", "DISTINCT", "DROP", "ELSE", "ESCAPE", "EXCEPT", "EXISTS", "FOREIGN", "FROM", "FULL", "GROUP",
        "HAVING", "IN", "INDEX", "INNER", "INSERT", "INTERSECT", "INTO", "IS", "ISNULL", "JOIN", "LEFT", "LIMIT",
        "NATURAL", "NOT", "NOTHING", "NOTNULL", "NULL", "ON", "OR", "ORDER", "OUTER", "PRIMARY", "REFERENCES",
        "RETURNING", "RIGHT", "SELECT", "SET", "TABLE", "THEN", "TO", "TRANSACTION", "UNION", "UNIQUE", "UPDATE",
        "USING", "VALUES", "WHEN", "WHERE",
    ]
}
