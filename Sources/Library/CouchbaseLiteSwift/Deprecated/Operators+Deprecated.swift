// Operators and functions of the developer previews that were renamed or removed later (Query 8.3).

@available(*, deprecated, message: "Use an expression, such as Expression.int(_:), for the value")
extension ExpressionProtocol {
    public func multiply(_ value: any QueryLiteral) -> any ExpressionProtocol { multiply(Expression.value(value)) }
    public func divide(_ value: any QueryLiteral) -> any ExpressionProtocol { divide(Expression.value(value)) }
    public func modulo(_ value: any QueryLiteral) -> any ExpressionProtocol { modulo(Expression.value(value)) }
    public func subtract(_ value: any QueryLiteral) -> any ExpressionProtocol { subtract(Expression.value(value)) }
    public func `is`(_ value: any QueryLiteral) -> any ExpressionProtocol { `is`(Expression.value(value)) }
    public func isNot(_ value: any QueryLiteral) -> any ExpressionProtocol { isNot(Expression.value(value)) }

    public func between(_ lower: any QueryLiteral, and upper: any QueryLiteral) -> any ExpressionProtocol {
        between(Expression.value(lower), and: Expression.value(upper))
    }

    @_disfavoredOverload
    public func `in`(_ values: [any QueryLiteral]) -> any ExpressionProtocol { `in`(values.map { Expression.value($0) }) }
}

@available(*, deprecated, message: "Use isNullOrMissing() and notNullOrMissing()")
extension ExpressionProtocol {
    public func isNull() -> any ExpressionProtocol { isNullOrMissing() }
    public func notNull() -> any ExpressionProtocol { notNullOrMissing() }
}

@available(*, deprecated, message: "Use Expression.not(_:)")
extension ExpressionProtocol {
    public func notLessThan(_ expression: any ExpressionProtocol) -> any ExpressionProtocol { Expression.not(lessThan(expression)) }

    public func notLessThan(_ value: any QueryLiteral) -> any ExpressionProtocol { notLessThan(Expression.value(value)) }

    public func notLessThanOrEqualTo(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        Expression.not(lessThanOrEqualTo(expression))
    }

    public func notLessThanOrEqualTo(_ value: any QueryLiteral) -> any ExpressionProtocol { notLessThanOrEqualTo(Expression.value(value)) }
    public func notGreaterThan(_ expression: any ExpressionProtocol) -> any ExpressionProtocol { Expression.not(greaterThan(expression)) }
    public func notGreaterThan(_ value: any QueryLiteral) -> any ExpressionProtocol { notGreaterThan(Expression.value(value)) }

    public func notGreaterThanOrEqualTo(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        Expression.not(greaterThanOrEqualTo(expression))
    }

    public func notGreaterThanOrEqualTo(_ value: any QueryLiteral) -> any ExpressionProtocol {
        notGreaterThanOrEqualTo(Expression.value(value))
    }

    public func notLike(_ expression: any ExpressionProtocol) -> any ExpressionProtocol { Expression.not(like(expression)) }
    public func notLike(_ value: any QueryLiteral) -> any ExpressionProtocol { notLike(Expression.value(value)) }
    public func notRegex(_ expression: any ExpressionProtocol) -> any ExpressionProtocol { Expression.not(regex(expression)) }
    public func notRegex(_ value: any QueryLiteral) -> any ExpressionProtocol { notRegex(Expression.value(value)) }

    public func notBetween(_ lower: any ExpressionProtocol, and upper: any ExpressionProtocol) -> any ExpressionProtocol {
        Expression.not(between(lower, and: upper))
    }

    public func notBetween(_ lower: any QueryLiteral, and upper: any QueryLiteral) -> any ExpressionProtocol {
        notBetween(Expression.value(lower), and: Expression.value(upper))
    }

    public func notIn(_ expressions: [any ExpressionProtocol]) -> any ExpressionProtocol { Expression.not(`in`(expressions)) }

    @_disfavoredOverload
    public func notIn(_ values: [any QueryLiteral]) -> any ExpressionProtocol { notIn(values.map { Expression.value($0) }) }
}

@available(*, deprecated, message: "Use ArrayExpression")
extension Expression {
    public static func variable(_ name: String) -> any VariableExpressionProtocol { ArrayExpression.variable(name) }
    public static func any(_ variable: String) -> ArrayExpressionIn { ArrayExpression.any(ArrayExpression.variable(variable)) }
    public static func every(_ variable: String) -> ArrayExpressionIn { ArrayExpression.every(ArrayExpression.variable(variable)) }

    public static func anyAndEvery(_ variable: String) -> ArrayExpressionIn {
        ArrayExpression.anyAndEvery(ArrayExpression.variable(variable))
    }
}

@available(*, deprecated, message: "Use ArrayFunction")
extension Function {
    public static func arrayContains(_ expression: any ExpressionProtocol, value: any ExpressionProtocol) -> any ExpressionProtocol {
        ArrayFunction.contains(expression, value: value)
    }

    public static func arrayContains(_ expression: any ExpressionProtocol, value: any QueryLiteral) -> any ExpressionProtocol {
        ArrayFunction.contains(expression, value: Expression.value(value))
    }

    public static func arrayLength(_ expression: any ExpressionProtocol) -> any ExpressionProtocol { ArrayFunction.length(expression) }
}

@available(*, deprecated, message: "Use SQL++, which has functions for types")
extension Function {
    public static func isArray(_ expression: any ExpressionProtocol) -> any ExpressionProtocol { call("ISARRAY", expression) }
    public static func isDictionary(_ expression: any ExpressionProtocol) -> any ExpressionProtocol { call("ISOBJECT", expression) }
    public static func isNumber(_ expression: any ExpressionProtocol) -> any ExpressionProtocol { call("ISNUMBER", expression) }
    public static func isString(_ expression: any ExpressionProtocol) -> any ExpressionProtocol { call("ISSTRING", expression) }
}

@available(*, deprecated, message: "Use Ordering")
extension OrderBy {
    public static func property(_ property: String) -> any QuerySortOrder { Ordering.property(property) }
    public static func expression(_ expression: any ExpressionProtocol) -> any QuerySortOrder { Ordering.expression(expression) }
}
