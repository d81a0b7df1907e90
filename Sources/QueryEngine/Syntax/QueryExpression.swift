/// An expression of the query language: the one tree that all front ends produce (Query 0.1, 1.5).
///
/// The tree says what was written, not what it means: paths still carry their alias prefix, and names of functions,
/// indexes and collections are not looked up before the tree is compiled. So a tree can be built without a database,
/// and any tree is legal to build; what makes no sense is reported by the compiler.
///
/// Keep operands of one chain in one node — `operation(.and, [a, b, c])` — where that is possible: it is what the SQL++
/// parser does, and it keeps long conditions flat. Trees deeper than ``maximumDepth`` do not compile.
package indirect enum QueryExpression: Sendable, Hashable {
    // MARK: Literals

    /// The absence of a value.
    case missing
    case null
    case boolean(Bool)
    case integer(Int64)
    case double(Double)
    case string(String)
    /// An array of the elements' values; elements that are MISSING are dropped.
    case array([QueryExpression])
    /// A dictionary; entries whose value is MISSING are dropped.
    case dictionary([DictionaryEntry])

    // MARK: References

    /// The query parameter `$name`.
    case parameter(String)
    /// A property, perhaps with an alias in front of it. The empty path is the whole document of the main source.
    case property(PropertyPath)
    /// The variable of an enclosing ANY or EVERY, and a path inside its value.
    case variable(String, PropertyPath)
    /// A path applied to the value of any expression.
    case nested(QueryExpression, PropertyPath)
    /// The content of the blob whose dictionary is at the path.
    case blob(PropertyPath)
    /// `meta()` or `meta(alias)`; a field of it is ``nested(_:_:)`` around this.
    case meta(alias: String?)

    // MARK: Operations

    /// An operator with plain operands; ``QueryOperator/operandCount`` says how many.
    case operation(QueryOperator, [QueryExpression])
    /// `value LIKE pattern`. SQL++ and JSON text compare case; the builder's `like(_:)` does not (Query 0.2, D1).
    case like(value: QueryExpression, pattern: QueryExpression, isCaseSensitive: Bool)
    /// `EXISTS`: of a property, whether it is there; of a ``select(_:)``, whether it has rows.
    case exists(QueryExpression)
    /// `CASE`. Without a subject the branches' conditions are tested for truth, with one for equality to it.
    case conditional(subject: QueryExpression?, branches: [ConditionalBranch], otherwise: QueryExpression?)
    /// `ANY`, `EVERY` or `ANY AND EVERY` `variable IN source SATISFIES predicate`.
    case quantified(Quantifier, variable: String, source: QueryExpression, predicate: QueryExpression)
    /// The comparisons inside `operand` follow these options.
    case collate(CollationOptions, operand: QueryExpression)
    /// A call by name, scalar or aggregate. The name's case does not matter.
    case function(name: String, arguments: [QueryExpression])
    /// A nested query; it has a meaning only inside ``exists(_:)``.
    case select(Select)

    // MARK: Full text

    /// `match(index, pattern)`; `index` may be prefixed by an alias and a dot.
    case match(index: String, pattern: QueryExpression)
    /// `rank(index)` of a query that has a ``match(index:pattern:)`` of the same index.
    case rank(index: String)

    /// How deep a tree may be. SQLite refuses expressions deeper than 1000, and every node becomes a few levels there.
    package static let maximumDepth = 300
}

/// A key of a dictionary literal with the expression for its value. A key may occur once.
package struct DictionaryEntry: Sendable, Hashable {
    package var key: String
    package var value: QueryExpression

    package init(key: String, value: QueryExpression) {
        self.key = key
        self.value = value
    }
}

extension [DictionaryEntry] {
    /// The entries in the order of the bytes of their keys, which is the order in SQL and in JSON text.
    package var sortedByKey: [DictionaryEntry] {
        sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    }
}

/// One `WHEN condition THEN result` of a CASE expression.
package struct ConditionalBranch: Sendable, Hashable {
    package var condition: QueryExpression
    package var result: QueryExpression

    package init(when condition: QueryExpression, then result: QueryExpression) {
        self.condition = condition
        self.result = result
    }
}

/// How many elements of the source must satisfy the predicate. The raw value is the JSON operator (Query 3.6).
package enum Quantifier: String, Sendable, Hashable, CaseIterable {
    case any = "ANY"
    case every = "EVERY"
    case anyAndEvery = "ANY AND EVERY"
}

extension QueryExpression {
    /// The property at an encoded path such as `airline.name[0]`; throws when the path is malformed.
    package static func property(encodedPath: String) throws(QueryError) -> QueryExpression {
        .property(try PropertyPath(encoded: encodedPath))
    }

    /// A field of the metadata of the source with that alias: `id`, `sequence`, `deleted`, `expiration`, `revisionID`.
    package static func meta(_ field: String, alias: String? = nil) -> QueryExpression {
        .nested(.meta(alias: alias), [.key(field)])
    }

    /// The arithmetic negation.
    package static func negation(of operand: QueryExpression) -> QueryExpression {
        .operation(.subtract, [operand])
    }

    /// The logical negation.
    package static func not(_ operand: QueryExpression) -> QueryExpression {
        .operation(.not, [operand])
    }
}
