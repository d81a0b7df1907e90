/// A function of the query language: its arguments, its result, and its name in SQL (Query 3.9–3.14, 5.2).
package struct QueryFunction: Sendable, Hashable {
    /// The type of the result if the arguments have the expected types.
    package enum Result: Sendable, Hashable {
        /// The type of an argument, or any type.
        case any
        case boolean
        case integer
        /// Always a double.
        case double
        /// An integer or a double.
        case number
        case string
        case array
        case dictionary
    }

    /// The name in the query language, in lower case. Case is ignored when names are compared.
    package let name: String

    /// The name in SQL: that of Couchbase Lite's function, which computes the keys of indexes (Query 5.11).
    package let sqlName: String

    /// The name in SQL for queries that no index serves; `nil` unless Couchbase Lite's function does not do what its name says (Storage
    /// format 5.10).
    let sanitizedName: String?

    package let minimumArguments: Int

    /// The maximum number of arguments; `nil` if there is none.
    package let maximumArguments: Int?

    package let result: Result

    /// Whether the function computes one value from many rows.
    package let isAggregate: Bool

    /// Whether the function takes the name of the current collation as an additional argument.
    package let takesCollation: Bool

    /// Whether the function is one of SQLite's own that compare their arguments by the collation of an argument.
    var comparesByCollation: Bool { sqlName == "max" || sqlName == "min" }

    /// Whether queries that an index serves must call a different function or pass different arguments than other queries.
    var isPickedForIndexes: Bool { sanitizedName != nil || readsTags }

    /// Whether the function distinguishes a boolean from the number 1 or 0.
    package let readsTags: Bool

    fileprivate init(
        _ name: String,
        _ arguments: ClosedRange<Int>,
        _ result: Result,
        sql: String? = nil,
        sane: String? = nil,
        isAggregate: Bool = false,
        takesCollation: Bool = false,
        readsTags: Bool = false
    ) {
        self.name = name
        self.sqlName = sql ?? name
        sanitizedName = sane
        minimumArguments = arguments.lowerBound
        maximumArguments = arguments.upperBound == unlimited ? nil : arguments.upperBound
        self.result = result
        self.isAggregate = isAggregate
        self.takesCollation = takesCollation
        self.readsTags = readsTags
    }

    /// Returns the function with the name, ignoring case; `nil` if there is none.
    package static func named(_ name: String) -> QueryFunction? {
        byName[name.lowercased()]
    }

    /// All functions, in the order of the specification.
    package static let all: [QueryFunction] = table

    private static let byName = Dictionary(uniqueKeysWithValues: table.map { ($0.name, $0) })

    /// The names of functions of the Enterprise Edition: no function may have such a name, and a call is an error (Query 1.5).
    package static let reservedNames: Set<String> = [
        "prediction", "approx_vector_distance", "euclidean_distance", "cosine_distance",
    ]
}

private let unlimited = Int.max

private let table: [QueryFunction] = [
    // Strings (Query 3.9). The prefix avoids SQLite's own functions of the same name.
    QueryFunction("concat", 2...unlimited, .string, readsTags: true),
    QueryFunction("contains", 2...2, .boolean, sane: "fl_contains_text", takesCollation: true),
    QueryFunction("length", 1...1, .integer, sql: "N1QL_length"),
    QueryFunction("lower", 1...1, .string, sql: "N1QL_lower", sane: "fl_lower"),
    QueryFunction("upper", 1...1, .string, sql: "N1QL_upper", sane: "fl_upper"),
    QueryFunction("ltrim", 1...2, .string, sql: "N1QL_ltrim"),
    QueryFunction("rtrim", 1...2, .string, sql: "N1QL_rtrim"),
    QueryFunction("trim", 1...2, .string, sql: "N1QL_trim"),
    QueryFunction("regexp_contains", 2...2, .boolean),
    QueryFunction("regexp_like", 2...2, .boolean),
    QueryFunction("regexp_position", 2...2, .integer),
    QueryFunction("regexp_replace", 3...4, .string),

    // Arrays, comparison and conditions (Query 3.10).
    QueryFunction("array_agg", 1...1, .array, isAggregate: true),
    QueryFunction("array_avg", 1...1, .double),
    QueryFunction("array_contains", 2...2, .boolean, sane: "array_contains_exactly"),
    QueryFunction("array_count", 1...1, .integer),
    QueryFunction("array_ifnull", 1...1, .any),
    QueryFunction("array_length", 1...1, .integer),
    QueryFunction("array_max", 1...1, .double, sane: "fl_array_max"),
    QueryFunction("array_min", 1...1, .double),
    QueryFunction("array_of", 0...unlimited, .array, readsTags: true),
    QueryFunction("array_sum", 1...1, .double),
    QueryFunction("greatest", 2...unlimited, .any, sql: "max"),
    QueryFunction("least", 2...unlimited, .any, sql: "min"),
    QueryFunction("ifmissing", 2...unlimited, .any, sql: "coalesce"),
    QueryFunction("ifnull", 2...unlimited, .any, sql: "N1QL_ifnull"),
    QueryFunction("ifmissingornull", 2...unlimited, .any),
    QueryFunction("missingif", 2...2, .any),
    QueryFunction("nullif", 2...2, .any, sql: "N1QL_nullif"),

    // Types (Query 3.11), each under two names.
    QueryFunction("isarray", 1...1, .boolean),
    QueryFunction("is_array", 1...1, .boolean, sql: "isarray"),
    QueryFunction("isatom", 1...1, .boolean),
    QueryFunction("is_atom", 1...1, .boolean, sql: "isatom"),
    QueryFunction("isboolean", 1...1, .boolean, readsTags: true),
    QueryFunction("is_boolean", 1...1, .boolean, sql: "isboolean", readsTags: true),
    QueryFunction("isnumber", 1...1, .boolean, readsTags: true),
    QueryFunction("is_number", 1...1, .boolean, sql: "isnumber", readsTags: true),
    QueryFunction("isobject", 1...1, .boolean),
    QueryFunction("is_object", 1...1, .boolean, sql: "isobject"),
    QueryFunction("isstring", 1...1, .boolean),
    QueryFunction("is_string", 1...1, .boolean, sql: "isstring"),
    QueryFunction("type", 1...1, .string, readsTags: true),
    QueryFunction("typename", 1...1, .string, sql: "type", readsTags: true),
    QueryFunction("toarray", 1...1, .array, readsTags: true),
    QueryFunction("to_array", 1...1, .array, sql: "toarray", readsTags: true),
    QueryFunction("toatom", 1...1, .any),
    QueryFunction("to_atom", 1...1, .any, sql: "toatom"),
    QueryFunction("toboolean", 1...1, .boolean),
    QueryFunction("to_boolean", 1...1, .boolean, sql: "toboolean"),
    QueryFunction("tonumber", 1...1, .number),
    QueryFunction("to_number", 1...1, .number, sql: "tonumber"),
    QueryFunction("toobject", 1...1, .dictionary),
    QueryFunction("to_object", 1...1, .dictionary, sql: "toobject"),
    QueryFunction("tostring", 1...1, .string, readsTags: true),
    QueryFunction("to_string", 1...1, .string, sql: "tostring", readsTags: true),

    // Mathematics (Query 3.12).
    QueryFunction("abs", 1...1, .double),
    QueryFunction("acos", 1...1, .double),
    QueryFunction("asin", 1...1, .double),
    QueryFunction("atan", 1...1, .double),
    QueryFunction("atan2", 2...2, .double),
    QueryFunction("ceil", 1...1, .double),
    QueryFunction("cos", 1...1, .double),
    QueryFunction("degrees", 1...1, .double),
    QueryFunction("div", 2...2, .double),
    QueryFunction("e", 0...0, .double),
    QueryFunction("exp", 1...1, .double),
    QueryFunction("floor", 1...1, .double),
    QueryFunction("idiv", 2...2, .integer),
    QueryFunction("ln", 1...1, .double),
    QueryFunction("log", 1...1, .double),
    QueryFunction("pi", 0...0, .double),
    QueryFunction("power", 2...2, .double),
    QueryFunction("radians", 1...1, .double),
    QueryFunction("round", 1...2, .double),
    QueryFunction("round_even", 1...2, .double),
    QueryFunction("sign", 1...1, .integer),
    QueryFunction("sin", 1...1, .double),
    QueryFunction("sqrt", 1...1, .double),
    QueryFunction("tan", 1...1, .double),
    QueryFunction("trunc", 1...2, .double),

    // Dates (Query 3.13).
    QueryFunction("str_to_millis", 1...1, .integer),
    QueryFunction("str_to_utc", 1...2, .string),
    QueryFunction("str_to_tz", 2...3, .string),
    QueryFunction("millis_to_str", 1...2, .string),
    QueryFunction("millis_to_utc", 1...2, .string),
    QueryFunction("millis_to_tz", 2...3, .string),
    QueryFunction("date_diff_str", 3...3, .integer),
    QueryFunction("date_diff_millis", 3...3, .integer),
    QueryFunction("date_add_str", 3...4, .string, sane: "fl_date_add_str"),
    QueryFunction("date_add_millis", 3...3, .integer, sane: "fl_date_add_millis"),

    // Aggregates (Query 3.14).
    QueryFunction("avg", 1...1, .double, isAggregate: true),
    QueryFunction("count", 0...1, .integer, isAggregate: true),
    QueryFunction("max", 1...1, .any, isAggregate: true),
    QueryFunction("min", 1...1, .any, isAggregate: true),
    QueryFunction("sum", 1...1, .number, isAggregate: true),
]
