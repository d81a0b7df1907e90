/// The operators with plain operands. The raw value is the name in the JSON schema (Query 1.5).
///
/// Operators with an operand of a special form (LIKE, CASE, ANY, COLLATE, …) are cases of ``QueryExpression`` instead.
package enum QueryOperator: String, Sendable, Hashable, CaseIterable {
    case concatenate = "||"
    case multiply = "*"
    case divide = "/"
    case modulo = "%"
    case add = "+"
    case subtract = "-"
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    case equal = "="
    case notEqual = "!="
    case `is` = "IS"
    case isNot = "IS NOT"
    case isValued = "IS VALUED"
    case `in` = "IN"
    case notIn = "NOT IN"
    case between = "BETWEEN"
    case and = "AND"
    case or = "OR"
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
