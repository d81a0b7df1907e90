import ExactStrings

/// Recognizes the definitions of the tables of the format (Storage format 2.4, "Definitions of tables").
///
/// The text is not compared, because it differs between releases, and later releases may add columns. A definition belongs to the format if
/// SQLite evaluates nothing because of it: no constraint, no generated column and no default that is an expression.
enum TableDefinition {
    /// Keywords of parts that contain expressions. Without quotation marks, they cannot be names.
    private static let evaluating: Set<String> = ["AS", "CHECK"]
    /// Keywords of parts that change how rows are compared, or what happens to rows of other tables.
    private static let comparing: Set<String> = ["COLLATE", "FOREIGN", "ON", "REFERENCES"]

    /// Returns whether the definition of an ordinary table belongs to the format.
    static func isOne(_ sql: String, of table: String) -> Bool {
        guard let tokens = SQLTokens(sql, skipsComments: true)?.tokens else { return false }
        let name = table.asciiLowercased
        // Tables of array indexes refer to their parents. Full-text indexes have tables that SQLite defines.
        let isOfIndex = IndexTables.isIndexTable(name) || IndexTables.isHashedName(name)
        for (index, token) in tokens.enumerated() {
            guard case .word(let word) = token else { continue }
            let keyword = word.asciiUppercased
            if evaluating.contains(keyword) || !isOfIndex && comparing.contains(keyword) { return false }
            if keyword == "DEFAULT", index + 1 < tokens.count, tokens[index + 1] == .mark(UInt8(ascii: "(")) { return false }
        }
        return true
    }
}
