/// The keywords, which are case-insensitive (Query 9.3).
enum PredicateKeyword: String, LanguageKeyword {
    case all, and, any, beginswith, between, cast, contains, endswith, `false`, falsepredicate, first, function, `in`, last, like, matches
    case `nil`, no, none, not, null, or, `self`, size, some, subquery, ternary, `true`, truepredicate, yes

    /// Whether the word is a name wherever the grammar does not require this keyword.
    var mayBeName: Bool {
        switch self {
        case .cast, .first, .function, .last, .size, .subquery, .ternary: true
        default: false
        }
    }
}
