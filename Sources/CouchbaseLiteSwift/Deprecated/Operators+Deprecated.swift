// Operators and functions of the developer builds that are called otherwise now, or not there any more (Query 8.3).

@available(*, deprecated, message: "Use an expression, such as Expression.int(_:), for the value")
extension ExpressionProtocol {
    /// `self * value`.
    public func multiply(_ value: any QueryLiteral) -> any ExpressionProtocol { multiply(Expression.value(value)) }

    /// `self / value`; truncated towards zero when both are integers.
    public func divide(_ value: any QueryLiteral) -> any ExpressionProtocol { divide(Expression.value(value)) }

    /// The remainder of `self / value`.
    public func modulo(_ value: any QueryLiteral) -> any ExpressionProtocol { modulo(Expression.value(value)) }

    /// `self - value`.
    public func subtract(_ value: any QueryLiteral) -> any ExpressionProtocol { subtract(Expression.value(value)) }

    /// `self IS value`: as `equalTo`, but never missing.
    public func `is`(_ value: any QueryLiteral) -> any ExpressionProtocol { `is`(Expression.value(value)) }

    /// `self IS NOT value`: as `notEqualTo`, but never missing.
    public func isNot(_ value: any QueryLiteral) -> any ExpressionProtocol { isNot(Expression.value(value)) }

    /// Whether `self` lies between two values, both included.
    public func between(_ lower: any QueryLiteral, and upper: any QueryLiteral) -> any ExpressionProtocol {
        between(Expression.value(lower), and: Expression.value(upper))
    }

    /// Whether `self` equals one of `values`.
    @_disfavoredOverload
    public func `in`(_ values: [any QueryLiteral]) -> any ExpressionProtocol {
        `in`(values.map { Expression.value($0) })
    }
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
    /// Not `self < expression`.
    public func notLessThan(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        Expression.not(lessThan(expression))
    }

    /// Not `self < value`.
    public func notLessThan(_ value: any QueryLiteral) -> any ExpressionProtocol {
        notLessThan(Expression.value(value))
    }

    /// Not `self <= expression`.
    public func notLessThanOrEqualTo(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        Expression.not(lessThanOrEqualTo(expression))
    }

    /// Not `self <= value`.
    public func notLessThanOrEqualTo(_ value: any QueryLiteral) -> any ExpressionProtocol {
        notLessThanOrEqualTo(Expression.value(value))
    }

    /// Not `self > expression`.
    public func notGreaterThan(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        Expression.not(greaterThan(expression))
    }

    /// Not `self > value`.
    public func notGreaterThan(_ value: any QueryLiteral) -> any ExpressionProtocol {
        notGreaterThan(Expression.value(value))
    }

    /// Not `self >= expression`.
    public func notGreaterThanOrEqualTo(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        Expression.not(greaterThanOrEqualTo(expression))
    }

    /// Not `self >= value`.
    public func notGreaterThanOrEqualTo(_ value: any QueryLiteral) -> any ExpressionProtocol {
        notGreaterThanOrEqualTo(Expression.value(value))
    }

    /// Not `self` like a pattern.
    public func notLike(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        Expression.not(like(expression))
    }

    /// Not `self` like a pattern.
    public func notLike(_ value: any QueryLiteral) -> any ExpressionProtocol { notLike(Expression.value(value)) }

    /// Whether a regular expression matches nowhere in the string.
    public func notRegex(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        Expression.not(regex(expression))
    }

    /// Whether a regular expression matches nowhere in the string.
    public func notRegex(_ value: any QueryLiteral) -> any ExpressionProtocol { notRegex(Expression.value(value)) }

    /// Not `self` between two values.
    public func notBetween(_ lower: any ExpressionProtocol, and upper: any ExpressionProtocol) -> any ExpressionProtocol {
        Expression.not(between(lower, and: upper))
    }

    /// Not `self` between two values.
    public func notBetween(_ lower: any QueryLiteral, and upper: any QueryLiteral) -> any ExpressionProtocol {
        notBetween(Expression.value(lower), and: Expression.value(upper))
    }

    /// Whether `self` equals none of `expressions`.
    public func notIn(_ expressions: [any ExpressionProtocol]) -> any ExpressionProtocol {
        Expression.not(`in`(expressions))
    }

    /// Whether `self` equals none of `values`.
    @_disfavoredOverload
    public func notIn(_ values: [any QueryLiteral]) -> any ExpressionProtocol {
        notIn(values.map { Expression.value($0) })
    }
}

@available(*, deprecated, message: "Use ArrayExpression")
extension Expression {
    /// The variable of a quantifier; see ``ArrayExpression/variable(_:)``.
    public static func variable(_ name: String) -> any VariableExpressionProtocol {
        ArrayExpression.variable(name)
    }

    /// At least one element satisfies the condition.
    public static func any(_ variable: String) -> ArrayExpressionIn {
        ArrayExpression.any(ArrayExpression.variable(variable))
    }

    /// Every element satisfies the condition; true also of an empty or missing array.
    public static func every(_ variable: String) -> ArrayExpressionIn {
        ArrayExpression.every(ArrayExpression.variable(variable))
    }

    /// There are elements, and every one satisfies the condition.
    public static func anyAndEvery(_ variable: String) -> ArrayExpressionIn {
        ArrayExpression.anyAndEvery(ArrayExpression.variable(variable))
    }
}

@available(*, deprecated, message: "Use ArrayFunction")
extension Function {
    /// Whether the array has an element equal to `value`.
    public static func arrayContains(_ expression: any ExpressionProtocol, value: any ExpressionProtocol) -> any ExpressionProtocol {
        ArrayFunction.contains(expression, value: value)
    }

    /// Whether the array has an element equal to `value`.
    public static func arrayContains(_ expression: any ExpressionProtocol, value: any QueryLiteral) -> any ExpressionProtocol {
        ArrayFunction.contains(expression, value: Expression.value(value))
    }

    /// How many elements the array has.
    public static func arrayLength(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        ArrayFunction.length(expression)
    }
}

@available(*, deprecated, message: "Use SQL++, which has functions for types")
extension Function {
    /// Whether the value is an array.
    public static func isArray(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        call("ISARRAY", expression)
    }

    /// Whether the value is a dictionary.
    public static func isDictionary(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        call("ISOBJECT", expression)
    }

    /// Whether the value is a number.
    public static func isNumber(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        call("ISNUMBER", expression)
    }

    /// Whether the value is a string.
    public static func isString(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        call("ISSTRING", expression)
    }
}

@available(*, deprecated, message: "Use Ordering")
extension OrderBy {
    /// By the property at a path; see ``Ordering/property(_:)``.
    public static func property(_ property: String) -> any QuerySortOrder { Ordering.property(property) }

    /// By an expression; see ``Ordering/expression(_:)``.
    public static func expression(_ expression: any ExpressionProtocol) -> any QuerySortOrder {
        Ordering.expression(expression)
    }
}
