import Base

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
        guard let first = name.utf8.first, first.isLetter else { return false }
        return name.utf8.allSatisfy(isPartOfWord)
    }

    /// Returns whether a statement contains an expression whose first and last words are whole words there: `contains(x)` does not occur
    /// in `array_contains(x)`.
    package static func contains(_ expression: String, in statement: String) -> Bool {
        let text = statement.utf8
        return text.ranges(of: expression.utf8).contains { range in
            let before = text[..<range.lowerBound].last.map(isPartOfWord) ?? false
            let after = text[range.upperBound...].first.map(isPartOfWord) ?? false
            let startsWithWord = text[range].first.map(isPartOfWord) ?? false
            let endsWithWord = text[range].last.map(isPartOfWord) ?? false
            return !(before && startsWithWord) && !(after && endsWithWord)
        }
    }

    /// The maximum length, in bytes, of a piece of a pattern that SQLite's own LIKE searches for.
    private static let longestPatternPiece = 32

    /// The maximum length, in bytes, of a pattern of SQLite's own LIKE and GLOB (SQLite, "Implementation Limits" 8).
    package static let longestPattern = 50_000

    /// Returns whether SQLite's own LIKE can be used for the pattern, and takes a time that is linear in the length of the text. It compares
    /// each piece after a `%` at every position of the text, and does not check for an interruption until the row ends; so the pieces must
    /// be short.
    package static func isFastPattern(_ pattern: some Sequence<UInt8>) -> Bool {
        var size = 0
        var length = 0
        var isSearched = false
        var isEscaped = false
        for byte in pattern {
            size += 1
            // For SQLite's LIKE a pattern ends at a NUL, and one that is longer is an error.
            if byte == 0 || size > longestPattern { return false }
            if byte == 0x25, !isEscaped {
                isSearched = true
                length = 0
            } else {
                length += 1
                if isSearched, length > longestPatternPiece { return false }
            }
            isEscaped = byte == 0x5C && !isEscaped
        }
        return true
    }

    private static func isPartOfWord(_ byte: UInt8) -> Bool { byte.isLetter || byte.isDigit }

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
