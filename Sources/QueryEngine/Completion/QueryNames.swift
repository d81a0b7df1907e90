/// The words of the query language, for completion.
package enum QueryNames {
    /// The reserved words, and those that are reserved in some places only.
    package static let keywords =
        QueryKeyword.allCases.map(\.rawValue) + [
            "ARRAY", "DELETE", "INSERT", "INTO", "KEY", "RETURNING", "SET", "UNSET", "UPDATE", "UPSERT", "VALUE", "VALUES",
        ]

    /// The names of the functions, with the parenthesis that follows.
    package static let functions = QueryFunction.all.map { $0.name + "(" } + ["meta()", "match(", "rank("]

    /// Returns the name as it is written in a query: between backticks if it is no identifier.
    package static func quoted(_ name: String) -> String {
        let isIdentifier =
            name.utf8.allSatisfy { (0x61...0x7A).contains($0 | 0x20) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "_") }
            && name.utf8.first.map { !(0x30...0x39).contains($0) } ?? false
        if isIdentifier, QueryKeyword(rawValue: name.uppercased()) == nil { return name }
        return "`" + name.replacing("`", with: "``") + "`"
    }
}
