import QueryLanguage

/// The words of the query language, for completion.
package enum QueryNames {
    /// The reserved words, and those that are reserved in some places only.
    package static let keywords =
        QueryKeyword.allCases.map(\.text) + [
            "ARRAY", "DELETE", "INSERT", "INTO", "KEY", "RETURNING", "SET", "UNSET", "UPDATE", "UPSERT", "VALUE", "VALUES",
        ]

    /// The names of the functions, with the parenthesis that follows.
    package static let functions =
        QueryFunction.all.map { $0.name + "(" } + [
            "meta()", "match(", "rank(", "fuzzy(", "approx_vector_distance(", SearchSource.functionName + "(",
        ]
        + SearchFunction.allCases.map { $0.name + "(" }
}
