/// What the parts of a query around an expression determine for its compilation. ``SelectCompiler/with(_:_:)`` changes it for the
/// expressions inside a part, and then restores it.
struct ExpressionContext {
    /// The options of the COLLATE that applies to the current expression.
    var collation = CollationOptions()

    /// The options that a COLLATE in the current expression inherits.
    var outerCollation = CollationOptions()
    /// The variables of the ANY and EVERY expressions that contain the current expression.
    var variables: [BoundVariable] = []
    /// Whether the current expression is an argument of an aggregate function.
    var isInsideAggregate = false
    /// Whether the current expression must distinguish booleans from numbers (``QueryFunction/readsTags``).
    var isTagRead = false
    /// Whether the current expression is compiled in the form used in indexes, to find out whether an index contains it.
    var isLikeIndex = false
    /// Whether the current expression replaces the title of a result column; titles are not visible in it.
    var isInsideResultTitle = false
}

/// A variable of ANY or EVERY.
struct BoundVariable {
    var name: String
    /// The alias, in SQL, of the rows that are its values.
    var alias: String
}

extension SelectCompiler {
    /// Runs `body` in a changed context, and then restores the context.
    mutating func with<Result>(
        _ change: (inout ExpressionContext) -> Void,
        _ body: (inout SelectCompiler) throws -> Result
    ) rethrows -> Result {
        let outer = context
        change(&context)
        defer { context = outer }
        return try body(&self)
    }
}
