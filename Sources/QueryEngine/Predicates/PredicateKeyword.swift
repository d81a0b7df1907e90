/// The keywords, which are case-insensitive (Query 9.3).
enum PredicateKeyword: String, Sendable {
    case all = "ALL"
    case and = "AND"
    case any = "ANY"
    case beginsWith = "BEGINSWITH"
    case between = "BETWEEN"
    case cast = "CAST"
    case contains = "CONTAINS"
    case endsWith = "ENDSWITH"
    case `false` = "FALSE"
    case falsePredicate = "FALSEPREDICATE"
    case first = "FIRST"
    case function = "FUNCTION"
    case `in` = "IN"
    case last = "LAST"
    case like = "LIKE"
    case matches = "MATCHES"
    case `nil` = "NIL"
    case no = "NO"
    case none = "NONE"
    case not = "NOT"
    case null = "NULL"
    case or = "OR"
    case `self` = "SELF"
    case size = "SIZE"
    case some = "SOME"
    case subquery = "SUBQUERY"
    case ternary = "TERNARY"
    case `true` = "TRUE"
    case truePredicate = "TRUEPREDICATE"
    case yes = "YES"

    /// Whether the word is a name wherever the grammar does not require this keyword.
    var mayBeName: Bool {
        switch self {
        case .cast, .first, .function, .last, .size, .subquery, .ternary: true
        default: false
        }
    }
}
