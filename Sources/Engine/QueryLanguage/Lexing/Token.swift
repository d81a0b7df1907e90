/// A word of a language that has a meaning of its own, in upper or lower case. The raw value is the word in lower case.
package protocol LanguageKeyword: RawRepresentable<String>, Equatable, Sendable {}

extension LanguageKeyword {
    /// Creates the keyword that a word is; `nil` if it is a name.
    package init?(word: String) { self.init(rawValue: word.lowercased()) }

    /// The word as people read it, in upper case.
    package var text: String { rawValue.uppercased() }
}

/// A token of SQL++ or predicate text, with the bytes it covers.
struct Token<Keyword: Equatable & Sendable>: Sendable {
    enum Kind: Sendable, Equatable {
        case keyword(Keyword)
        /// A name. A quoted name is never a keyword.
        case name(String, isQuoted: Bool)
        case string(String)
        /// An integer without sign, clamped to the range of the type.
        case integer(UInt64)
        case double(Double)
        /// The name after the dollar sign.
        case parameter(String)
        case symbol(Symbol)
        case end
        /// Text that cannot start or continue a token, and the reason if the language reports one.
        case invalid(String?)
    }

    var kind: Kind
    /// The offset of the first byte.
    var start: Int
    /// The offset after the last byte; for an ``Kind/invalid(_:)`` token, of the invalid byte.
    var end: Int
}

/// The punctuation and operators of both languages.
enum Symbol: String, Sendable {
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
    case shiftLeft = "<<"
    case shiftRight = ">>"
    case ampersand = "&"
    case doubleAmpersand = "&&"
    case bar = "|"
    case doubleBar = "||"
    case exclamation = "!"
    case plus = "+"
    case minus = "-"
    case star = "*"
    case doubleStar = "**"
    case slash = "/"
    case percent = "%"
    case dot = "."
    case comma = ","
    case colon = ":"
    case semicolon = ";"
    case at = "@"
    case leftParenthesis = "("
    case rightParenthesis = ")"
    case leftBracket = "["
    case rightBracket = "]"
    case leftBrace = "{"
    case rightBrace = "}"
}

extension FixedWidthInteger {
    /// Creates the integer with a magnitude and a sign; `nil` if it is out of range.
    init?(_ magnitude: UInt64, isNegative: Bool) {
        if isNegative {
            guard magnitude <= Self.min.magnitude else { return nil }
            self = 0 &- Self(truncatingIfNeeded: magnitude)
        } else {
            self.init(exactly: magnitude)
        }
    }
}
