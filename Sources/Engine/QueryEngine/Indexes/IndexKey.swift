import Base

/// What a column of an index, or its condition, computes from a row, as far as it matters for finding keys for which a query computes another
/// value (Query 5.13).
enum IndexKey: Hashable, Sendable {
    /// Every key is what a query computes.
    case exact
    /// The property at a path, an SQL literal: numbers above the range of `Int64` have negative keys.
    case property(path: String)
    /// A mapping to lower or upper case of a property: longer texts have empty keys.
    case caseMapping(function: String, argument: String)
    /// The elements of an array table: null has the key NULL.
    case element
    /// Anything else: the keys must be compared.
    case other

    /// Classifies an expression in SQL, as in the statement that creates an index.
    init(_ sql: String) {
        let expression = sql.hasSuffix(" DESC") ? String(sql.dropLast(5)) : sql
        if expression.wholeMatch(of: /fl_unnested_value\(body\)/) != nil {
            self = .element
        } else if let match = expression.wholeMatch(of: /fl_(?:unnested_)?value\(body, ('(?:[^']|'')*')\)(?: COLLATE [^ ()]+)?/) {
            self = .property(path: String(match.1))
        } else if let match = expression.wholeMatch(of: /N1QL_(lower|upper)\((fl_value\(body, '(?:[^']|'')*'\))\)/) {
            self = .caseMapping(function: "fl_\(match.1)", argument: String(match.2))
        } else {
            self = Self.isExact(expression) ? .exact : .other
        }
    }

    /// The functions whose result does not depend on which number an argument is, and which compute in indexes what they compute in queries.
    private static let exactFunctions = Set<ExactString>(exactly: [
        "fl_value", "fl_unnested_value", "fl_exists", "fl_count", "fl_version", "fl_null", "fl_bool", "N1QL_length", "array_length",
        "isvalued", "isarray", "isatom", "isboolean", "isnumber", "isobject", "isstring", "type", "toboolean", "toobject",
        "regexp_contains", "regexp_like", "regexp_position", "str_to_millis", "str_to_utc",
    ])

    private static func isExact(_ expression: String) -> Bool {
        var rest = expression
        // Comparisons of a property with a text, or with a number that is not negative, do not depend on which of the others it is.
        rest.replace(
            /fl_value\(body, '(?:[^']|'')*'\)(?: COLLATE [^ ()]+)? !?= (?:fl_bool\([01]\)|[0-9]{1,15}|fl_null\(\))(?![.0-9e])/,
            with: "1"
        )
        rest.replace(/fl_value\(body, '(?:[^']|'')*'\)(?: COLLATE [^ ()]+)? (?:!?=|[<>]=?|GLOB) '(?:[^']|'')*'/, with: "1")
        rest.replace(/fl_value\(body, '(?:[^']|'')*'\) IS (?:NOT )?NULL/, with: "1")
        rest.replace(/flags & 1 !?= 0/, with: "1")
        rest.replace(/'(?:[^']|'')*'/, with: "1")
        // Other operators may compute with a number.
        guard !rest.utf8.contains(where: { "+-*/%<>=|&".utf8.contains($0) }) else { return false }
        for word in rest.matches(of: /[A-Za-z_][A-Za-z0-9_]*/).map({ String($0.output) }) {
            switch word {
            case "body", "key", "sequence", "version", "flags", "expiration", "AND", "OR", "NOT": continue
            default: guard exactFunctions.contains(word) else { return false }
            }
        }
        return true
    }
}
