/// A function of the query language: its arguments and its name in SQL (Query 3.9–3.14, 5.2).
package struct QueryFunction: Sendable, Hashable {
    /// The name in the query language, in lower case. Case is ignored when names are compared.
    package let name: String

    /// The name in SQL: that of Couchbase Lite's function, which computes the keys of indexes (Query 5.11).
    package let sqlName: String

    /// The name in SQL for queries that no index serves, if Couchbase Lite's function does not do what its name says (Storage format 5.10);
    /// otherwise `nil`.
    let sanitizedName: String?

    /// The minimum number of arguments, 0 if there need be none.
    package let minimumArguments: Int

    /// The maximum number of arguments; `nil` if there is none.
    package let maximumArguments: Int?

    /// Whether the result is a boolean, or null, or MISSING.
    let returnsBoolean: Bool

    /// Whether the function computes one value from many rows.
    package let isAggregate: Bool

    /// Whether the function takes the name of the current collation as an additional argument.
    package let takesCollation: Bool

    /// Whether the function is one of SQLite's own that compare their arguments by the collation of an argument.
    var comparesByCollation: Bool { sqlName == "max" || sqlName == "min" }

    /// The name in SQL if the result is read together with its tag; `nil` if the function itself passes on the tags of its arguments, or has no
    /// results with tags.
    var taggedName: String? {
        switch sqlName {
        case "array_ifnull": "fl_tagged_array_ifnull"
        case "toatom": "fl_tagged_toatom"
        default: nil
        }
    }

    /// Whether queries that an index serves must call a different function or pass different arguments than other queries.
    var differsInIndexes: Bool { sanitizedName != nil || readsTags }

    /// Whether the function distinguishes a boolean from the number 1 or 0.
    package let readsTags: Bool

    /// Whether the result depends on the local time zone of the device.
    package let readsLocalZone: Bool

    fileprivate init(
        _ name: String,
        _ arguments: ClosedRange<Int>,
        sql: String? = nil,
        sanitized: String? = nil,
        returnsBoolean: Bool = false,
        isAggregate: Bool = false,
        takesCollation: Bool = false,
        readsTags: Bool = false,
        readsLocalZone: Bool = false
    ) {
        self.name = name
        self.sqlName = sql ?? name
        sanitizedName = sanitized
        minimumArguments = arguments.lowerBound
        maximumArguments = arguments.upperBound == unlimited ? nil : arguments.upperBound
        self.returnsBoolean = returnsBoolean
        self.isAggregate = isAggregate
        self.takesCollation = takesCollation
        self.readsTags = readsTags
        self.readsLocalZone = readsLocalZone
    }

    /// Returns the function with the name, ignoring case; `nil` if there is none.
    package static func named(_ name: String) -> QueryFunction? { byName[name.lowercased()] }

    /// All functions of the language, each once.
    package static let all = strings + arrays + types + numbers + dates + aggregates + predictions

    /// `fuzzy(text [, distance])`, the words of a text with typing errors. It is allowed only in the pattern of MATCH, which makes it no function
    /// of values (Query 6.13).
    package static let fuzzy = QueryFunction("fuzzy", 1...2, sql: "fl_fuzzy")

    private static let byName = Dictionary(uniqueKeysWithValues: (all + [fuzzy] + vectors).map { ($0.name, $0) })

    /// Returns the end of an error message that suggests the function whose name is most like `name`; an empty text if none is.
    static func hint(for name: String) -> String {
        let others =
            ["exists", "match", "meta", "rank", QueryExpression.vectorDistance] + [fuzzy.name] + SearchFunction.allCases.map(\.name)
        return name.lowercased().nearest(in: all.map(\.name) + others).map { "; did you mean \($0)()?" } ?? ""
    }
}

extension QueryExpression {
    /// Whether the expression calls an aggregate function.
    package var containsAggregate: Bool {
        contains { part in
            if case .function(let name, _) = part { QueryFunction.named(name)?.isAggregate ?? false } else { false }
        }
    }
}

extension SelectStatement {
    /// Whether a row combines several rows of the sources.
    package var isGrouped: Bool {
        !grouping.isEmpty || (items.map(\.expression) + ordering.map(\.expression)).contains(where: \.containsAggregate)
    }
}

private let unlimited = Int.max

/// Strings (Query 3.9). The prefix avoids SQLite's own functions of the same name.
private let strings = [
    QueryFunction("concat", 2...unlimited, readsTags: true),
    QueryFunction("contains", 2...2, sanitized: "fl_contains_text", returnsBoolean: true, takesCollation: true),
    QueryFunction("length", 1...1, sql: "N1QL_length"),
    QueryFunction("lower", 1...1, sql: "N1QL_lower", sanitized: "fl_lower"),
    QueryFunction("upper", 1...1, sql: "N1QL_upper", sanitized: "fl_upper"),
    QueryFunction("ltrim", 1...2, sql: "N1QL_ltrim"),
    QueryFunction("rtrim", 1...2, sql: "N1QL_rtrim"),
    QueryFunction("trim", 1...2, sql: "N1QL_trim"),
    QueryFunction("regexp_contains", 2...2, returnsBoolean: true),
    QueryFunction("regexp_like", 2...2, returnsBoolean: true),
    QueryFunction("regexp_position", 2...2),
    QueryFunction("regexp_replace", 3...4),
]

/// Arrays, comparison and conditions (Query 3.10).
private let arrays = [
    QueryFunction("array_agg", 1...1, isAggregate: true),
    QueryFunction("array_avg", 1...1),
    QueryFunction("array_contains", 2...2, sanitized: "array_contains_exactly", returnsBoolean: true),
    QueryFunction("array_count", 1...1),
    QueryFunction("array_ifnull", 1...1),
    QueryFunction("array_length", 1...1),
    QueryFunction("array_max", 1...1, sanitized: "fl_array_max"),
    QueryFunction("array_min", 1...1),
    QueryFunction("array_of", 0...unlimited, readsTags: true),
    QueryFunction("array_sum", 1...1),
    QueryFunction("greatest", 2...unlimited, sql: "max"),
    QueryFunction("least", 2...unlimited, sql: "min"),
    QueryFunction("ifmissing", 2...unlimited, sql: "coalesce"),
    QueryFunction("ifnull", 2...unlimited, sql: "N1QL_ifnull"),
    QueryFunction("ifmissingornull", 2...unlimited),
    QueryFunction("missingif", 2...2),
    QueryFunction("nullif", 2...2, sql: "N1QL_nullif"),
]

/// Types (Query 3.11), each under two names.
private let types = [
    typeFunctions("is", ["array", "atom", "object", "string"], returnsBoolean: true),
    typeFunctions("is", ["boolean", "number"], returnsBoolean: true, readsTags: true),
    typeFunctions("to", ["atom", "number", "object"]),
    typeFunctions("to", ["boolean"], returnsBoolean: true),
    typeFunctions("to", ["array", "string"], readsTags: true),
    [QueryFunction("type", 1...1, readsTags: true), QueryFunction("typename", 1...1, sql: "type", readsTags: true)],
].flatMap { $0 }

/// Returns the functions of the types, such as `isarray` and `is_array`.
private func typeFunctions(_ verb: String, _ types: [String], returnsBoolean: Bool = false, readsTags: Bool = false) -> [QueryFunction] {
    types.flatMap { type in
        ["", "_"].map {
            QueryFunction(verb + $0 + type, 1...1, sql: verb + type, returnsBoolean: returnsBoolean, readsTags: readsTags)
        }
    }
}

/// Mathematics (Query 3.12).
private let numbers =
    ["e", "pi"].map { QueryFunction($0, 0...0) }
    + [
        "abs", "acos", "asin", "atan", "ceil", "cos", "degrees", "exp", "floor", "ln", "log", "radians", "sign", "sin", "sqrt", "tan",
    ].map { QueryFunction($0, 1...1) }
    + ["round", "round_even", "trunc"].map { QueryFunction($0, 1...2) }
    + ["atan2", "div", "idiv", "power"].map { QueryFunction($0, 2...2) }

/// Dates (Query 3.13).
private let dates = [
    QueryFunction("str_to_millis", 1...1, readsLocalZone: true),
    QueryFunction("str_to_utc", 1...2, readsLocalZone: true),
    QueryFunction("str_to_tz", 2...3, readsLocalZone: true),
    QueryFunction("millis_to_str", 1...2, readsLocalZone: true),
    QueryFunction("millis_to_utc", 1...2),
    QueryFunction("millis_to_tz", 2...3),
    QueryFunction("date_diff_str", 3...3),
    QueryFunction("date_diff_millis", 3...3),
    QueryFunction("date_add_str", 3...4, sanitized: "fl_date_add_str"),
    QueryFunction("date_add_millis", 3...3, sanitized: "fl_date_add_millis"),
]

/// Vector search (Vector search 6). The compiler replaces the call by a column of the search.
private let vectors = [QueryFunction("approx_vector_distance", 2...5)]

/// Aggregates (Query 3.14).
private let aggregates =
    ["avg", "max", "min", "sum"].map { QueryFunction($0, 1...1, isAggregate: true) }
    + [QueryFunction("count", 0...1, isAggregate: true)]

/// Predictive queries (Vector search 8.2, 8.4).
private let predictions = [
    QueryFunction(ModelCall.functionName, 2...3),
    QueryFunction("euclidean_distance", 2...3),
    QueryFunction("cosine_distance", 2...2),
]
