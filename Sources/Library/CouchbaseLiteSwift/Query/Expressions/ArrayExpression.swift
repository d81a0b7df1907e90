import QueryLanguage

/// Creates conditions on the elements of arrays.
///
/// ```swift
/// let tag = ArrayExpression.variable("tag")
/// ArrayExpression.any(tag).in(Expression.property("tags")).satisfies(tag.equalTo(Expression.string("new")))
/// ```
///
/// In place of an array, a dictionary stands for its values, and any other value for an array with that one element.
public final class ArrayExpression {
    private init() {}

    /// Returns the variable that represents the element in the condition. A path within the element may follow the name, as in
    /// `"tag.color"`.
    public static func variable(_ name: String) -> any VariableExpressionProtocol {
        VariableExpression { () throws(QueryError) in try .variable(encodedPath: name) }
    }

    /// Starts a condition that is true if at least one element satisfies it.
    public static func any(_ variable: any VariableExpressionProtocol) -> ArrayExpressionIn { ArrayExpressionIn(.any, variable) }

    /// Starts a condition that is true if every element satisfies it; also true for an empty or missing array.
    public static func every(_ variable: any VariableExpressionProtocol) -> ArrayExpressionIn { ArrayExpressionIn(.every, variable) }

    /// Starts a condition that is true if the array is not empty and every element satisfies the condition.
    public static func anyAndEvery(_ variable: any VariableExpressionProtocol) -> ArrayExpressionIn {
        ArrayExpressionIn(.anyAndEvery, variable)
    }
}

/// A condition on array elements, without the array yet.
public final class ArrayExpressionIn {
    private let quantifier: Quantifier
    private let variable: any VariableExpressionProtocol

    init(_ quantifier: Quantifier, _ variable: any VariableExpressionProtocol) { (self.quantifier, self.variable) = (quantifier, variable) }

    /// Sets the array whose elements are tested.
    public func `in`(_ expression: any ExpressionProtocol) -> ArrayExpressionSatisfies {
        ArrayExpressionSatisfies(quantifier, variable, expression)
    }
}

/// A condition on array elements, without the condition yet.
public final class ArrayExpressionSatisfies {
    private let quantifier: Quantifier
    private let variable: any VariableExpressionProtocol
    private let source: any ExpressionProtocol

    init(_ quantifier: Quantifier, _ variable: any VariableExpressionProtocol, _ source: any ExpressionProtocol) {
        (self.quantifier, self.variable, self.source) = (quantifier, variable, source)
    }

    /// Returns the complete expression, with the condition in which the variable represents the element.
    public func satisfies(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        build(source, expression) { [quantifier, variable] operands throws(QueryError) in
            try .quantified(quantifier, element: variable.queryExpression(), source: operands[0], predicate: operands[1])
        }
    }
}

private final class VariableExpression: BuiltExpression, VariableExpressionProtocol {}

/// Array functions of the query builder.
public final class ArrayFunction {
    private init() {}

    /// Whether the array contains an element equal to `value`. Elements that are arrays or dictionaries are never equal; null if
    /// `expression` is not an array.
    public static func contains(_ expression: any ExpressionProtocol, value: any ExpressionProtocol) -> any ExpressionProtocol {
        build(expression, value) { .function(name: "ARRAY_CONTAINS", arguments: $0) }
    }

    /// The number of elements of the array, nulls included; 0 if `expression` is not an array or is missing.
    public static func length(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        build(expression) { .function(name: "ARRAY_LENGTH", arguments: $0) }
    }
}
