import QueryEngine

/// Mathematics.
extension Function {
    /// The number e.
    public static func e() -> any ExpressionProtocol { call("E") }

    /// The number pi.
    public static func pi() -> any ExpressionProtocol { call("PI") }

    /// The angle between the x axis and the way to a point, in radians.
    public static func atan2(y: any ExpressionProtocol, x: any ExpressionProtocol) -> any ExpressionProtocol {
        call("ATAN2", y, x)
    }

    /// The spelling of 2.x.
    @available(*, deprecated, message: "Use atan2(y:x:)")
    public static func atan2(x: any ExpressionProtocol, y: any ExpressionProtocol) -> any ExpressionProtocol {
        atan2(y: y, x: x)
    }

    /// `base` to the power of `exponent`.
    public static func power(base: any ExpressionProtocol, exponent: any ExpressionProtocol) -> any ExpressionProtocol {
        call("POWER", base, exponent)
    }

    /// The nearest number with `digits` decimal places, half away from zero.
    public static func round(_ expression: any ExpressionProtocol, digits: any ExpressionProtocol) -> any ExpressionProtocol {
        call("ROUND", expression, digits)
    }

    /// The number cut off after `digits` decimal places.
    public static func trunc(_ expression: any ExpressionProtocol, digits: any ExpressionProtocol) -> any ExpressionProtocol {
        call("TRUNC", expression, digits)
    }

    /// The absolute value.
    public static func abs(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        call("ABS", expression)
    }

    /// The arc cosine, in radians.
    public static func acos(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        call("ACOS", expression)
    }

    /// The arc sine, in radians.
    public static func asin(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        call("ASIN", expression)
    }

    /// The arc tangent, in radians.
    public static func atan(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        call("ATAN", expression)
    }

    /// The smallest integer that is not less.
    public static func ceil(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        call("CEIL", expression)
    }

    /// The cosine of an angle in radians.
    public static func cos(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        call("COS", expression)
    }

    /// The angle in degrees, of one in radians.
    public static func degrees(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        call("DEGREES", expression)
    }

    /// The power of e.
    public static func exp(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        call("EXP", expression)
    }

    /// The largest integer that is not greater.
    public static func floor(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        call("FLOOR", expression)
    }

    /// The natural logarithm.
    public static func ln(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        call("LN", expression)
    }

    /// The logarithm to base 10.
    public static func log(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        call("LOG", expression)
    }

    /// The angle in radians, of one in degrees.
    public static func radians(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        call("RADIANS", expression)
    }

    /// The nearest integer, half away from zero.
    public static func round(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        call("ROUND", expression)
    }

    /// -1, 0 or 1, as the number is negative, zero or positive.
    public static func sign(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        call("SIGN", expression)
    }

    /// The sine of an angle in radians.
    public static func sin(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        call("SIN", expression)
    }

    /// The square root.
    public static func sqrt(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        call("SQRT", expression)
    }

    /// The tangent of an angle in radians.
    public static func tan(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        call("TAN", expression)
    }

    /// The number without its fraction.
    public static func trunc(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        call("TRUNC", expression)
    }
}
