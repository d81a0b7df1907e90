/// Mathematical functions. Booleans count as the numbers 1 and 0. Null if the result is not finite.
extension Function {
    /// The number e.
    public static func e() -> any ExpressionProtocol { call("E") }
    /// The number pi.
    public static func pi() -> any ExpressionProtocol { call("PI") }
    /// The angle between the x axis and the line from the origin to a point, in radians.
    public static func atan2(y: any ExpressionProtocol, x: any ExpressionProtocol) -> any ExpressionProtocol { call("ATAN2", y, x) }

    /// `base` to the power of `exponent`.
    public static func power(base: any ExpressionProtocol, exponent: any ExpressionProtocol) -> any ExpressionProtocol {
        call("POWER", base, exponent)
    }

    /// The number rounded to `digits` decimal places, which may be negative; ties are rounded away from zero.
    public static func round(_ expression: any ExpressionProtocol, digits: any ExpressionProtocol) -> any ExpressionProtocol {
        call("ROUND", expression, digits)
    }

    /// The number truncated to `digits` decimal places, which may be negative.
    public static func trunc(_ expression: any ExpressionProtocol, digits: any ExpressionProtocol) -> any ExpressionProtocol {
        call("TRUNC", expression, digits)
    }

    /// The absolute value.
    public static func abs(_ expression: any ExpressionProtocol) -> any ExpressionProtocol { call("ABS", expression) }
    /// The arc cosine, in radians.
    public static func acos(_ expression: any ExpressionProtocol) -> any ExpressionProtocol { call("ACOS", expression) }
    /// The arc sine, in radians.
    public static func asin(_ expression: any ExpressionProtocol) -> any ExpressionProtocol { call("ASIN", expression) }
    /// The arc tangent, in radians.
    public static func atan(_ expression: any ExpressionProtocol) -> any ExpressionProtocol { call("ATAN", expression) }
    /// The smallest integer that is not less than the number.
    public static func ceil(_ expression: any ExpressionProtocol) -> any ExpressionProtocol { call("CEIL", expression) }
    /// The cosine of an angle in radians.
    public static func cos(_ expression: any ExpressionProtocol) -> any ExpressionProtocol { call("COS", expression) }
    /// Converts an angle from radians to degrees.
    public static func degrees(_ expression: any ExpressionProtocol) -> any ExpressionProtocol { call("DEGREES", expression) }
    /// The number e raised to the power of the argument.
    public static func exp(_ expression: any ExpressionProtocol) -> any ExpressionProtocol { call("EXP", expression) }
    /// The largest integer that is not greater than the number.
    public static func floor(_ expression: any ExpressionProtocol) -> any ExpressionProtocol { call("FLOOR", expression) }
    /// The natural logarithm.
    public static func ln(_ expression: any ExpressionProtocol) -> any ExpressionProtocol { call("LN", expression) }
    /// The logarithm to base 10.
    public static func log(_ expression: any ExpressionProtocol) -> any ExpressionProtocol { call("LOG", expression) }
    /// Converts an angle from degrees to radians.
    public static func radians(_ expression: any ExpressionProtocol) -> any ExpressionProtocol { call("RADIANS", expression) }
    /// The number rounded to an integer; ties are rounded away from zero.
    public static func round(_ expression: any ExpressionProtocol) -> any ExpressionProtocol { call("ROUND", expression) }
    /// The sign of the number: -1, 0 or 1.
    public static func sign(_ expression: any ExpressionProtocol) -> any ExpressionProtocol { call("SIGN", expression) }
    /// The sine of an angle in radians.
    public static func sin(_ expression: any ExpressionProtocol) -> any ExpressionProtocol { call("SIN", expression) }
    /// The square root.
    public static func sqrt(_ expression: any ExpressionProtocol) -> any ExpressionProtocol { call("SQRT", expression) }
    /// The tangent of an angle in radians.
    public static func tan(_ expression: any ExpressionProtocol) -> any ExpressionProtocol { call("TAN", expression) }
    /// The number truncated to an integer.
    public static func trunc(_ expression: any ExpressionProtocol) -> any ExpressionProtocol { call("TRUNC", expression) }
}
