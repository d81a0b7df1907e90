/// A token of SQL++ text, with the bytes it covers.
struct Token: Sendable, Equatable {
    enum Kind: Sendable, Equatable {
        case keyword(Keyword)
        /// A name. A quoted name is never a keyword.
        case identifier(String, isQuoted: Bool)
        case string(String)
        /// An integer without sign, which may be too large for any integer type.
        case integer(String)
        /// A number with a point or an exponent.
        case decimal(String)
        /// The name after the dollar sign.
        case parameter(String)
        case symbol(Symbol)
        case end
        /// Text that cannot start or continue a token.
        case invalid
    }

    var kind: Kind
    /// The offset of the first byte; for an ``Kind/invalid`` token, of the invalid byte.
    var start: Int
    /// The offset after the last byte.
    var end: Int
}

/// The reserved words, which are names only between backticks (Query 2.1).
enum Keyword: String, Sendable {
    case and = "AND"
    case any = "ANY"
    case `as` = "AS"
    case ascending = "ASC"
    case between = "BETWEEN"
    case by = "BY"
    case `case` = "CASE"
    case collate = "COLLATE"
    case cross = "CROSS"
    case descending = "DESC"
    case distinct = "DISTINCT"
    case `else` = "ELSE"
    case end = "END"
    case every = "EVERY"
    case `false` = "FALSE"
    case from = "FROM"
    case group = "GROUP"
    case having = "HAVING"
    case `in` = "IN"
    case inner = "INNER"
    case `is` = "IS"
    case join = "JOIN"
    case left = "LEFT"
    case like = "LIKE"
    case limit = "LIMIT"
    case missing = "MISSING"
    case natural = "NATURAL"
    case not = "NOT"
    case null = "NULL"
    case offset = "OFFSET"
    case on = "ON"
    case or = "OR"
    case order = "ORDER"
    case outer = "OUTER"
    case right = "RIGHT"
    case satisfies = "SATISFIES"
    case select = "SELECT"
    case then = "THEN"
    case `true` = "TRUE"
    case unnest = "UNNEST"
    case using = "USING"
    case valued = "VALUED"
    case when = "WHEN"
    case `where` = "WHERE"
}

/// Punctuation and operators.
enum Symbol: String, Sendable {
    case equal = "="
    case doubleEqual = "=="
    case notEqual = "!="
    case lessOrGreater = "<>"
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    case shiftLeft = "<<"
    case shiftRight = ">>"
    case ampersand = "&"
    case bar = "|"
    case doubleBar = "||"
    case plus = "+"
    case minus = "-"
    case star = "*"
    case slash = "/"
    case percent = "%"
    case dot = "."
    case comma = ","
    case colon = ":"
    case semicolon = ";"
    case leftParenthesis = "("
    case rightParenthesis = ")"
    case leftBracket = "["
    case rightBracket = "]"
    case leftBrace = "{"
    case rightBrace = "}"
}
