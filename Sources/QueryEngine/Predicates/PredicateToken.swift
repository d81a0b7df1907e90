/// A token of predicate text, with the bytes it covers (Query 9.3).
struct PredicateToken: Sendable, Equatable {
    enum Kind: Sendable, Equatable {
        /// A keyword. `text` is the word as written, which is the name where only a name is allowed.
        case keyword(PredicateKeyword, text: String)
        /// A name, possibly of a function, with colons: `modulus:by:`.
        case name(String)
        case string(String)
        /// An integer without sign, at most 2⁶³. That one is an integer only with a minus sign, otherwise a double.
        case integer(UInt64)
        case double(Double)
        /// The name after the dollar sign.
        case parameter(String)
        case symbol(PredicateSymbol)
        case end
        /// Text that cannot start a token, and the reason.
        case invalid(String)
    }

    var kind: Kind
    /// The offset of the first byte.
    var start: Int
    /// The offset after the last byte.
    var end: Int
}

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

/// Punctuation and operators.
enum PredicateSymbol: String, Sendable {
    case equal = "="
    case doubleEqual = "=="
    case notEqual = "!="
    case lessOrGreater = "<>"
    case less = "<"
    case lessOrEqual = "<="
    case equalOrLess = "=<"
    case greater = ">"
    case greaterOrEqual = ">="
    case equalOrGreater = "=>"
    case doubleAmpersand = "&&"
    case doubleBar = "||"
    case exclamation = "!"
    case plus = "+"
    case minus = "-"
    case star = "*"
    case doubleStar = "**"
    case slash = "/"
    case dot = "."
    case comma = ","
    case at = "@"
    case leftParenthesis = "("
    case rightParenthesis = ")"
    case leftBracket = "["
    case rightBracket = "]"
    case leftBrace = "{"
    case rightBrace = "}"
}
