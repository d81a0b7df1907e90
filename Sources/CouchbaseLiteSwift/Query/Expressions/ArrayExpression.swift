import QueryEngine

/// Makes conditions on the elements of arrays.
///
/// ```swift
/// let tag = ArrayExpression.variable("tag")
/// ArrayExpression.any(tag).in(Expression.property("tags")).satisfies(tag.equalTo(Expression.string("new")))
/// ```
public final class ArrayExpression {
    private init() {}

    /// The variable that stands for an element in the condition. The name may be followed by a path in the element.
    public static func variable(_ name: String) -> any VariableExpressionProtocol {
        VariableExpression(name)
    }

    /// At least one element satisfies the condition.
    public static func any(_ variable: any VariableExpressionProtocol) -> ArrayExpressionIn {
        ArrayExpressionIn(.any, variable)
    }

    /// Every element satisfies the condition; true also of an empty or missing array.
    public static func every(_ variable: any VariableExpressionProtocol) -> ArrayExpressionIn {
        ArrayExpressionIn(.every, variable)
    }

    /// There are elements, and every one satisfies the condition.
    public static func anyAndEvery(_ variable: any VariableExpressionProtocol) -> ArrayExpressionIn {
        ArrayExpressionIn(.anyAndEvery, variable)
    }
}

/// A condition on the elements of an array that is yet to be named.
public final class ArrayExpressionIn {
    private let quantifier: Quantifier
    private let variable: any VariableExpressionProtocol

    init(_ quantifier: Quantifier, _ variable: any VariableExpressionProtocol) {
        self.quantifier = quantifier
        self.variable = variable
    }

    /// Names the array.
    public func `in`(_ expression: any ExpressionProtocol) -> ArrayExpressionSatisfies {
        ArrayExpressionSatisfies(quantifier, variable, expression)
    }
}

/// A condition on the elements of an array that is yet to be stated.
public final class ArrayExpressionSatisfies {
    private let quantifier: Quantifier
    private let variable: any VariableExpressionProtocol
    private let source: any ExpressionProtocol

    init(_ quantifier: Quantifier, _ variable: any VariableExpressionProtocol, _ source: any ExpressionProtocol) {
        self.quantifier = quantifier
        self.variable = variable
        self.source = source
    }

    /// States the condition, in which the variable stands for the element.
    public func satisfies(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        build(source, expression) { [quantifier, variable] operands throws(QueryError) in
            guard case .variable(let name, let path) = try variable.queryExpression(), path.isEmpty else {
                throw .invalidQuery("ANY/EVERY first parameter must be an identifier")
            }
            return .quantified(quantifier, variable: name, source: operands[0], predicate: operands[1])
        }
    }
}

private final class VariableExpression: BuiltExpression, VariableExpressionProtocol {
    init(_ name: String) {
        super.init(
            Swift.Result { () throws(QueryError) in
                let path = try PropertyPath(encoded: name)
                guard let variable = path.firstKey else { throw .invalidQuery("\"\(name)\" is not a variable") }
                return .variable(variable, path.dropFirst())
            }
        )
    }
}

/// Functions on arrays.
public final class ArrayFunction {
    private init() {}

    /// Whether the array has an element equal to `value`.
    public static func contains(_ expression: any ExpressionProtocol, value: any ExpressionProtocol) -> any ExpressionProtocol {
        build(expression, value) { .function(name: "ARRAY_CONTAINS", arguments: $0) }
    }

    /// How many elements the array has.
    public static func length(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        build(expression) { .function(name: "ARRAY_LENGTH", arguments: $0) }
    }
}
