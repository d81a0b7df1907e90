/// An expression of the query language: the syntax tree that all front ends produce (Query 0.1, 1.5).
///
/// The tree represents the text as written, not its meaning: paths still have their alias prefix, and names of functions, indexes and
/// collections are resolved when the tree is compiled. A tree can therefore be built without a database, and an invalid tree can be built;
/// the compiler reports the error.
///
/// If possible, keep the operands of one chain in one node, such as `operation(.and, [a, b, c])`. The SQL++ parser does so, and it keeps
/// long conditions flat. Trees deeper than ``maximumDepth`` do not compile.
package indirect enum QueryExpression: Sendable, Hashable {
    // MARK: Literals

    /// MISSING, the absence of a value.
    case missing
    /// NULL, which is null of JSON and not the absence of a value.
    case null
    /// TRUE or FALSE.
    case boolean(Bool)
    /// A literal without fraction and exponent, in the range of 64 bits.
    case integer(Int64)
    /// Any other number.
    case double(Double)
    /// A text, without quotation marks and escapes.
    case string(String)
    /// An array; elements that are MISSING are dropped.
    case array([QueryExpression])
    /// A dictionary; entries whose value is MISSING are dropped.
    case dictionary([DictionaryEntry])

    // MARK: References

    /// The query parameter `$name`.
    case parameter(String)
    /// A property, optionally prefixed with an alias. The empty path is the whole document of the main source.
    case property(PropertyPath)
    /// The variable of an enclosing ANY or EVERY, with a path inside its value.
    case variable(String, PropertyPath)
    /// A path applied to the value of an expression.
    case nested(QueryExpression, PropertyPath)
    /// The content of the blob whose dictionary is at the path.
    case blob(PropertyPath)
    /// `meta()` or `meta(alias)`; a field of it is ``nested(_:_:)`` around this.
    case meta(alias: String?)

    // MARK: Operations

    /// An operator with plain operands; see ``QueryOperator/operandCount`` for their number.
    case operation(QueryOperator, [QueryExpression])
    /// `value LIKE pattern`. It is case-sensitive in SQL++ and JSON text, but not from the builder's `like(_:)` (Query 0.2, D1).
    case like(value: QueryExpression, pattern: QueryExpression, isCaseSensitive: Bool)
    /// `EXISTS`: whether a property exists, or whether a ``select(_:)`` returns rows.
    case exists(QueryExpression)
    /// `CASE`. Without a subject, a branch is chosen if its condition is true; with one, if its condition equals the subject.
    case conditional(subject: QueryExpression?, branches: [ConditionalBranch], otherwise: QueryExpression?)
    /// `ANY`, `EVERY` or `ANY AND EVERY` `variable IN source SATISFIES predicate`.
    case quantified(Quantifier, variable: String, source: QueryExpression, predicate: QueryExpression)
    /// Applies collation options to the comparisons inside `operand`.
    case collate(CollationOptions, operand: QueryExpression)
    /// A call of a scalar or aggregate function. The name is case-insensitive.
    case function(name: String, arguments: [QueryExpression])
    /// The distinct values of the operand in the rows of a group, as the only argument of an aggregate function.
    case distinct(QueryExpression)
    /// A nested query, which is valid only inside ``exists(_:)``.
    case select(SelectStatement)

    // MARK: Full text

    /// `match(index, pattern)`; `index` may be prefixed with an alias and a dot.
    case match(index: String, pattern: QueryExpression)
    /// `rank(index)`. The query must have a ``match(index:pattern:)`` with the same index.
    case rank(index: String)
    /// Another function of a search, with its arguments after the index. The query must have a ``match(index:pattern:)`` with the same index.
    case search(SearchFunction, index: String, arguments: [QueryExpression])

    /// The maximum depth of a tree. SQLite rejects expressions deeper than 1000, and every node becomes a few levels there.
    package static let maximumDepth = 300
}

/// A key of a dictionary literal with the expression for its value. A key can occur only once.
package struct DictionaryEntry: Sendable, Hashable {
    /// The key; computed keys do not exist.
    package var key: String
    /// The expression for the value.
    package var value: QueryExpression

    package init(key: String, value: QueryExpression) { (self.key, self.value) = (key, value) }
}

extension [DictionaryEntry] {
    /// The entries sorted by the bytes of their keys, which is the order in SQL and in JSON text.
    package var sortedByKey: [DictionaryEntry] { sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) } }
}

/// One `WHEN condition THEN result` of a CASE expression.
package struct ConditionalBranch: Sendable, Hashable {
    /// The condition, or the value that the operand of CASE is compared with.
    package var condition: QueryExpression
    /// The value of the CASE expression if this is the first branch that applies.
    package var result: QueryExpression

    package init(when condition: QueryExpression, then result: QueryExpression) { (self.condition, self.result) = (condition, result) }
}

/// The number of elements of the source that must satisfy the predicate. The raw value is the JSON operator (Query 3.6).
package enum Quantifier: String, Sendable, Hashable, CaseIterable {
    /// At least one element.
    case any = "ANY"
    /// All elements; also satisfied by an empty array.
    case every = "EVERY"
    /// All elements, and at least one.
    case anyAndEvery = "ANY AND EVERY"
}

extension QueryExpression {
    /// Returns the property at an encoded path such as `airline.name[0]`.
    ///
    /// - Throws: ``QueryError`` if the path is malformed.
    package static func property(encodedPath: String) throws(QueryError) -> QueryExpression {
        .property(try PropertyPath(encoded: encodedPath))
    }

    /// Returns a field of the metadata of the source with that alias: `id`, `sequence`, `deleted`, `expiration` or `revisionID`.
    package static func meta(_ field: String, alias: String? = nil) -> QueryExpression { .nested(.meta(alias: alias), [.key(field)]) }

    /// Returns the arithmetic negation of `operand`.
    package static func negation(of operand: QueryExpression) -> QueryExpression { .operation(.subtract, [operand]) }

    /// Returns the logical negation of `operand`.
    package static func not(_ operand: QueryExpression) -> QueryExpression { .operation(.not, [operand]) }
}
