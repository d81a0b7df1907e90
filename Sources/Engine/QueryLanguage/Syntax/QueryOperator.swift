/// The operators with plain operands. The raw value is the name in the JSON schema (Query 1.5).
///
/// Operators with an operand of a special form (LIKE, CASE, ANY, COLLATE, …) are cases of ``QueryExpression`` instead.
package enum QueryOperator: String, Sendable, Hashable, CaseIterable {
    /// Concatenates texts.
    case concatenate = "||"
    /// Multiplies two or more numbers.
    case multiply = "*"
    /// Divides numbers. The quotient of two integers is truncated; that of a division by zero is MISSING (Query 3.7).
    case divide = "/"
    /// The remainder of the operands truncated to integers, with the sign of the first; MISSING if the second is zero (Query 3.7).
    case modulo = "%"
    /// Adds two or more numbers.
    case add = "+"
    /// Subtracts, or negates a single operand.
    case subtract = "-"
    /// Whether the left operand sorts before the right one.
    case less = "<"
    /// Whether the left operand does not sort after the right one.
    case lessOrEqual = "<="
    /// Whether the left operand sorts after the right one.
    case greater = ">"
    /// Whether the left operand does not sort before the right one.
    case greaterOrEqual = ">="
    /// Whether both operands are equal. NULL is a value like others; with MISSING the result is MISSING (Query 3.2).
    case equal = "="
    /// The negation of ``equal``.
    case notEqual = "!="
    /// Like ``equal``, but `IS MISSING` is always true or false (Query 3.2).
    case `is` = "IS"
    /// The negation of ``is``.
    case isNot = "IS NOT"
    /// Whether the operand is neither NULL nor MISSING.
    case isValued = "IS VALUED"
    /// Whether the first operand is an element of the second, which is an array.
    case `in` = "IN"
    /// The negation of ``in``.
    case notIn = "NOT IN"
    /// Whether the first operand is in the range from the second to the third, both included.
    case between = "BETWEEN"
    /// Whether all operands are true. MISSING is neither true nor false.
    case and = "AND"
    /// Whether at least one operand is true. MISSING is neither true nor false.
    case or = "OR"
    /// The negation of the operand; that of MISSING is MISSING.
    case not = "NOT"

    /// The number of operands the operator takes. `subtract` with one operand is the negation.
    package var operandCount: ClosedRange<Int> {
        switch self {
        case .concatenate, .multiply, .add, .and, .or: 2...Int.max
        case .subtract: 1...2
        case .isValued, .not: 1...1
        case .between: 3...3
        default: 2...2
        }
    }

    /// Whether a chain of this operator is one operation with many operands.
    package var isAssociative: Bool { operandCount.upperBound == Int.max }

    /// Whether the operator returns true or false, and not 1 or 0, at the top of a result column without an alias (Query 3.3).
    ///
    /// `IN` and `IS VALUED` are intentionally absent: for them the original returns 1 or 0.
    package var yieldsBoolean: Bool {
        switch self {
        case .less, .lessOrEqual, .greater, .greaterOrEqual, .equal, .notEqual, .is, .isNot, .notIn, .between, .and,
            .or, .not:
            true
        default: false
        }
    }
}
