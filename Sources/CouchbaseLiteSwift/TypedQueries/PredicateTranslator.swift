import ExactStrings
import QueryEngine

/// Translates Foundation's `#Predicate` to the syntax tree of the query language.
///
/// The macro makes a tree of public operator types; each that has a counterpart in the language adopts
/// ``TranslatableExpression``, the others are errors that name them. Swift's logic has two values, so what may be missing in a
/// document is compared in ways that never are: `x == nil` asks whether there is a value, and an optional is compared by IS.
struct PredicateTranslator {
    /// The alias of the documents. All properties carry it, so that none is taken for the name of a collection.
    static let alias = "doc"

    /// How deep operators may be nested.
    private static let maximumNesting = 100

    private var variables: [PredicateExpressions.VariableID: QueryExpression] = [:]
    private var nameCount = 0
    private var nesting = 0

    /// The condition that a predicate states of the documents.
    static func condition<Model>(_ predicate: Predicate<Model>) throws(QueryError) -> QueryExpression {
        var translator = PredicateTranslator()
        translator.variables[predicate.variable.key] = .property([.key(alias)])
        return try translator.translate(predicate.expression)
    }

    mutating func translate(_ expression: any PredicateExpression) throws(QueryError) -> QueryExpression {
        guard let translatable = expression as? any TranslatableExpression else {
            throw Self.unsupported("the operator \(Self.name(of: expression)) is not supported")
        }
        nesting += 1
        defer { nesting -= 1 }
        guard nesting <= Self.maximumNesting else { throw Self.unsupported("it is nested too deeply") }
        return try translatable.translated(by: &self)
    }

    // MARK: Variables

    func value(of variable: PredicateExpressions.VariableID) throws(QueryError) -> QueryExpression {
        guard let value = variables[variable] else { throw Self.unsupported("a variable of another predicate occurs") }
        return value
    }

    /// Translates an expression in which `variable` stands for `value`.
    mutating func translate(
        _ expression: any PredicateExpression,
        with variable: PredicateExpressions.VariableID,
        as value: QueryExpression
    ) throws(QueryError) -> QueryExpression {
        let outer = variables[variable]
        variables[variable] = value
        defer { variables[variable] = outer }
        return try translate(expression)
    }

    /// A name for the variable of ANY or EVERY that no other one has.
    mutating func newName() -> String {
        nameCount += 1
        return "v\(nameCount)"
    }

    // MARK: Errors

    static func unsupported(_ reason: String) -> QueryError {
        .invalidQuery("The predicate cannot be made a query: \(reason)")
    }

    /// The operator without the types of its operands.
    private static func name(of expression: any PredicateExpression) -> String {
        let name = String(describing: type(of: expression))
        return String(name.prefix { $0 != "<" })
    }
}

/// An operator of `#Predicate` that has a counterpart in the query language.
protocol TranslatableExpression: PredicateExpression {
    func translated(by translator: inout PredicateTranslator) throws(QueryError) -> QueryExpression
}

// MARK: - What may be nil

extension PredicateExpression {
    /// Whether the result may be nil.
    static var mayBeNil: Bool { Output.self is any OptionalValue.Type }
}

extension QueryExpression {
    /// Whether there is a value: neither missing, nor null.
    var isValued: QueryExpression { .operation(.isValued, [self]) }

    /// This condition, false where it would be missing.
    var isTrue: QueryExpression { .operation(.is, [self, .boolean(true)]) }

    /// Whether the value stands in the predicate itself.
    var isConstant: Bool {
        switch self {
        case .boolean, .integer, .double, .string, .array, .dictionary: true
        default: false
        }
    }

    /// Whether two values are equal, where nil is equal to nil.
    static func areEqual(_ left: QueryExpression, _ right: QueryExpression, mayBeNil: Bool) -> QueryExpression {
        if right == .missing { return .not(left.isValued) }
        if left == .missing { return .not(right.isValued) }
        guard mayBeNil else { return .operation(.equal, [left, right]) }
        // Unlike `=` this is never missing, and an index serves it as well.
        if right.isConstant { return .operation(.is, [left, right]) }
        if left.isConstant { return .operation(.is, [right, left]) }
        let bothAreNil = QueryExpression.operation(.and, [.not(left.isValued), .not(right.isValued)])
        return .operation(.or, [.operation(.is, [left, right]), bothAreNil])
    }

    /// The value at a path inside this one.
    func appending(_ components: [PropertyPath.Component]) -> QueryExpression {
        switch self {
        case .property(let path): .property(PropertyPath(path.components + components))
        case .variable(let name, let path): .variable(name, PropertyPath(path.components + components))
        case .nested(let base, let path): .nested(base, PropertyPath(path.components + components))
        default: .nested(self, PropertyPath(components))
        }
    }

    /// Whether this is a place inside `other`, so that it is missing where that is nil.
    func isInside(_ other: QueryExpression) -> Bool {
        switch (self, other) {
        case (.property(let path), .property(let outer)): path.components.starts(with: outer.components)
        case (.variable(let name, let path), .variable(let other, let outer)):
            name.isExactly(other) && path.components.starts(with: outer.components)
        default: false
        }
    }
}
