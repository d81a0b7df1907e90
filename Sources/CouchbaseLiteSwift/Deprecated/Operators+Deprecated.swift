// Operators and functions of the developer previews that were renamed or removed later (Query 8.3).

@available(*, deprecated, message: "Use an expression, such as Expression.int(_:), for the value")
extension ExpressionProtocol {
    /// Returns `self * value`.
    public func multiply(_ value: any QueryLiteral) -> any ExpressionProtocol { multiply(Expression.value(value)) }

    /// Returns `self / value`, truncated towards zero if both are integers.
    public func divide(_ value: any QueryLiteral) -> any ExpressionProtocol { divide(Expression.value(value)) }

    /// Returns the remainder of `self / value`.
    public func modulo(_ value: any QueryLiteral) -> any ExpressionProtocol { modulo(Expression.value(value)) }

    /// Returns `self - value`.
    public func subtract(_ value: any QueryLiteral) -> any ExpressionProtocol { subtract(Expression.value(value)) }

    /// Returns `self IS value`: as `equalTo`, but never missing.
    public func `is`(_ value: any QueryLiteral) -> any ExpressionProtocol { `is`(Expression.value(value)) }

    /// Returns `self IS NOT value`: as `notEqualTo`, but never missing.
    public func isNot(_ value: any QueryLiteral) -> any ExpressionProtocol { isNot(Expression.value(value)) }

    /// Whether `self` is between two values, both included.
    public func between(_ lower: any QueryLiteral, and upper: any QueryLiteral) -> any ExpressionProtocol {
        between(Expression.value(lower), and: Expression.value(upper))
    }

    /// Whether `self` equals one of `values`.
    @_disfavoredOverload
    public func `in`(_ values: [any QueryLiteral]) -> any ExpressionProtocol { `in`(values.map { Expression.value($0) }) }
}

@available(*, deprecated, message: "Use isNullOrMissing() and notNullOrMissing()")
extension ExpressionProtocol {
    /// Whether the value is null or missing.
    public func isNull() -> any ExpressionProtocol { isNullOrMissing() }

    /// Whether the value is neither null nor missing.
    public func notNull() -> any ExpressionProtocol { notNullOrMissing() }
}

@available(*, deprecated, message: "Use Expression.not(_:)")
extension ExpressionProtocol {
    /// Returns `NOT (self < expression)`.
    public func notLessThan(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        Expression.not(lessThan(expression))
    }

    /// Returns `NOT (self < value)`.
    public func notLessThan(_ value: any QueryLiteral) -> any ExpressionProtocol { notLessThan(Expression.value(value)) }

    /// Returns `NOT (self <= expression)`.
    public func notLessThanOrEqualTo(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        Expression.not(lessThanOrEqualTo(expression))
    }

    /// Returns `NOT (self <= value)`.
    public func notLessThanOrEqualTo(_ value: any QueryLiteral) -> any ExpressionProtocol {
        notLessThanOrEqualTo(Expression.value(value))
    }

    /// Returns `NOT (self > expression)`.
    public func notGreaterThan(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        Expression.not(greaterThan(expression))
    }

    /// Returns `NOT (self > value)`.
    public func notGreaterThan(_ value: any QueryLiteral) -> any ExpressionProtocol { notGreaterThan(Expression.value(value)) }

    /// Returns `NOT (self >= expression)`.
    public func notGreaterThanOrEqualTo(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        Expression.not(greaterThanOrEqualTo(expression))
    }

    /// Returns `NOT (self >= value)`.
    public func notGreaterThanOrEqualTo(_ value: any QueryLiteral) -> any ExpressionProtocol {
        notGreaterThanOrEqualTo(Expression.value(value))
    }

    /// Whether the string does not match a pattern, in which `%` matches any number of characters and `_` exactly one. Ignores case.
    public func notLike(_ expression: any ExpressionProtocol) -> any ExpressionProtocol { Expression.not(like(expression)) }

    /// Whether the string does not match a pattern, in which `%` matches any number of characters and `_` exactly one. Ignores case.
    public func notLike(_ value: any QueryLiteral) -> any ExpressionProtocol { notLike(Expression.value(value)) }

    /// Whether a regular expression does not match anywhere in the string.
    public func notRegex(_ expression: any ExpressionProtocol) -> any ExpressionProtocol { Expression.not(regex(expression)) }

    /// Whether a regular expression does not match anywhere in the string.
    public func notRegex(_ value: any QueryLiteral) -> any ExpressionProtocol { notRegex(Expression.value(value)) }

    /// Whether `self` is not between two values, both included.
    public func notBetween(_ lower: any ExpressionProtocol, and upper: any ExpressionProtocol) -> any ExpressionProtocol {
        Expression.not(between(lower, and: upper))
    }

    /// Whether `self` is not between two values, both included.
    public func notBetween(_ lower: any QueryLiteral, and upper: any QueryLiteral) -> any ExpressionProtocol {
        notBetween(Expression.value(lower), and: Expression.value(upper))
    }

    /// Whether `self` equals none of `expressions`.
    public func notIn(_ expressions: [any ExpressionProtocol]) -> any ExpressionProtocol { Expression.not(`in`(expressions)) }

    /// Whether `self` equals none of `values`.
    @_disfavoredOverload
    public func notIn(_ values: [any QueryLiteral]) -> any ExpressionProtocol { notIn(values.map { Expression.value($0) }) }
}

@available(*, deprecated, message: "Use ArrayExpression")
extension Expression {
    /// Returns the variable of a quantifier; see ``ArrayExpression/variable(_:)``.
    public static func variable(_ name: String) -> any VariableExpressionProtocol { ArrayExpression.variable(name) }

    /// Starts a condition that is true if at least one element satisfies it; see ``ArrayExpression/any(_:)``.
    public static func any(_ variable: String) -> ArrayExpressionIn { ArrayExpression.any(ArrayExpression.variable(variable)) }

    /// Starts a condition that is true if every element satisfies it; also true for an empty or missing array.
    public static func every(_ variable: String) -> ArrayExpressionIn {
        ArrayExpression.every(ArrayExpression.variable(variable))
    }

    /// Starts a condition that is true if the array is not empty and every element satisfies the condition.
    public static func anyAndEvery(_ variable: String) -> ArrayExpressionIn {
        ArrayExpression.anyAndEvery(ArrayExpression.variable(variable))
    }
}

@available(*, deprecated, message: "Use ArrayFunction")
extension Function {
    /// Whether the array contains an element equal to `value`.
    public static func arrayContains(_ expression: any ExpressionProtocol, value: any ExpressionProtocol) -> any ExpressionProtocol {
        ArrayFunction.contains(expression, value: value)
    }

    /// Whether the array contains an element equal to `value`.
    public static func arrayContains(_ expression: any ExpressionProtocol, value: any QueryLiteral) -> any ExpressionProtocol {
        ArrayFunction.contains(expression, value: Expression.value(value))
    }

    /// The number of elements of the array.
    public static func arrayLength(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        ArrayFunction.length(expression)
    }
}

@available(*, deprecated, message: "Use SQL++, which has functions for types")
extension Function {
    /// Whether the value is an array.
    public static func isArray(_ expression: any ExpressionProtocol) -> any ExpressionProtocol { call("ISARRAY", expression) }

    /// Whether the value is a dictionary.
    public static func isDictionary(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        call("ISOBJECT", expression)
    }

    /// Whether the value is a number.
    public static func isNumber(_ expression: any ExpressionProtocol) -> any ExpressionProtocol { call("ISNUMBER", expression) }

    /// Whether the value is a string.
    public static func isString(_ expression: any ExpressionProtocol) -> any ExpressionProtocol { call("ISSTRING", expression) }
}

@available(*, deprecated, message: "Use Ordering")
extension OrderBy {
    /// Returns an ordering by the property at a path; see ``Ordering/property(_:)``.
    public static func property(_ property: String) -> any QuerySortOrder { Ordering.property(property) }

    /// Returns an ordering by an expression; see ``Ordering/expression(_:)``.
    public static func expression(_ expression: any ExpressionProtocol) -> any QuerySortOrder { Ordering.expression(expression) }
}
