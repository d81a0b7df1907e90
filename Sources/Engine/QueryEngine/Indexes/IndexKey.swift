import Base
internal import Synchronization

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
    /// The output of a predictive model: booleans have the keys 1 and 0, and the input may contain such values.
    case prediction(PredictionKey)
    /// Anything else: the keys must be compared.
    case other

    /// Classifies an expression in SQL, as in the statement that creates an index.
    init(_ sql: String) {
        let expression = sql.hasSuffix(" DESC") ? String(sql.dropLast(5)) : sql
        self = Self.patterns.withLock { $0.kind(of: expression) }
    }

    /// `Regex` is not `Sendable`, and making one takes much longer than matching it with an expression.
    private static let patterns = Mutex(Patterns())
}

/// The forms of expressions, in SQL as this library writes it.
private struct Patterns {
    private let element = /fl_unnested_value\(body\)/
    private let property = /fl_(?:unnested_)?value\(body, ('(?:[^']|'')*')\)(?: COLLATE [^ ()]+)?/
    private let caseMapping = /N1QL_(lower|upper)\((fl_value\(body, '(?:[^']|'')*'\))\)/
    private let comparisonWithNumber =
        /fl_value\(body, '(?:[^']|'')*'\)(?: COLLATE [^ ()]+)? !?= (?:fl_bool\([01]\)|[0-9]{1,15}|fl_null\(\))(?![.0-9e])/
    private let comparisonWithText = /fl_value\(body, '(?:[^']|'')*'\)(?: COLLATE [^ ()]+)? (?:!?=|[<>]=?|GLOB) '(?:[^']|'')*'/
    private let comparisonWithNull = /fl_value\(body, '(?:[^']|'')*'\) IS (?:NOT )?NULL/
    private let liveness = /flags & 1 !?= 0/
    private let text = /'(?:[^']|'')*'/
    private let word = /[A-Za-z_][A-Za-z0-9_]*/

    /// What expressions have been found to be: each preparation of a query asks for those of the same indexes.
    private var known: [ExactString: IndexKey] = [:]
    private static let knownLimit = 256

    mutating func kind(of expression: String) -> IndexKey {
        if let kind = known[ExactString(expression)] { return kind }
        let kind = classify(expression)
        if known.count == Self.knownLimit { known.removeAll() }
        known[ExactString(expression)] = kind
        return kind
    }

    private func classify(_ expression: String) -> IndexKey {
        if expression.wholeMatch(of: element) != nil { return .element }
        if let match = expression.wholeMatch(of: property) { return .property(path: String(match.1)) }
        if let match = expression.wholeMatch(of: caseMapping) {
            return .caseMapping(function: "fl_\(match.1)", argument: String(match.2))
        }
        if let key = PredictionKey(expression) { return .prediction(key) }
        return isExact(expression) ? .exact : .other
    }

    /// The functions whose result does not depend on which number an argument is, and which compute in indexes what they compute in queries.
    private static let exactFunctions = Set<ExactString>(exactly: [
        "fl_value", "fl_unnested_value", "fl_exists", "fl_count", "fl_version", "fl_null", "fl_bool", "N1QL_length", "array_length",
        "isvalued", "isarray", "isatom", "isboolean", "isnumber", "isobject", "isstring", "type", "toboolean", "toobject",
        "regexp_contains", "regexp_like", "regexp_position", "str_to_millis", "str_to_utc",
    ])

    private func isExact(_ expression: String) -> Bool {
        var rest = expression
        // Comparisons of a property with a text, or with a number that is not negative, do not depend on which of the others it is.
        rest.replace(comparisonWithNumber, with: "1")
        rest.replace(comparisonWithText, with: "1")
        rest.replace(comparisonWithNull, with: "1")
        rest.replace(liveness, with: "1")
        rest.replace(text, with: "1")
        // Other operators may compute with a number.
        guard !rest.utf8.contains(where: { "+-*/%<>=|&".utf8.contains($0) }) else { return false }
        for word in rest.matches(of: word).map({ String($0.output) }) {
            switch word {
            case "body", "key", "sequence", "version", "flags", "expiration", "AND", "OR", "NOT": continue
            default: guard Self.exactFunctions.contains(word) else { return false }
            }
        }
        return true
    }
}
