import QueryLanguage

extension ExpressionProtocol {
    // MARK: Arithmetic

    /// Returns `self * expression`.
    public func multiply(_ expression: any ExpressionProtocol) -> any ExpressionProtocol { operation(.multiply, expression) }

    /// Returns `self / expression`, truncated towards zero if both are integers. Missing for a division by zero.
    public func divide(_ expression: any ExpressionProtocol) -> any ExpressionProtocol { operation(.divide, expression) }

    /// Returns the remainder of `self / expression`, with the sign of `self`. Both are truncated to integers; missing for a division by
    /// zero.
    public func modulo(_ expression: any ExpressionProtocol) -> any ExpressionProtocol { operation(.modulo, expression) }

    /// Returns `self + expression`.
    public func add(_ expression: any ExpressionProtocol) -> any ExpressionProtocol { operation(.add, expression) }

    /// Returns `self - expression`.
    public func subtract(_ expression: any ExpressionProtocol) -> any ExpressionProtocol { operation(.subtract, expression) }

    // MARK: Comparison

    /// Returns `self < expression`.
    public func lessThan(_ expression: any ExpressionProtocol) -> any ExpressionProtocol { operation(.less, expression) }
    /// Returns `self <= expression`.
    public func lessThanOrEqualTo(_ expression: any ExpressionProtocol) -> any ExpressionProtocol { operation(.lessOrEqual, expression) }
    /// Returns `self > expression`.
    public func greaterThan(_ expression: any ExpressionProtocol) -> any ExpressionProtocol { operation(.greater, expression) }

    /// Returns `self >= expression`.
    public func greaterThanOrEqualTo(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        operation(.greaterOrEqual, expression)
    }

    /// Returns `self = expression`: missing if one of the two is missing.
    public func equalTo(_ expression: any ExpressionProtocol) -> any ExpressionProtocol { operation(.equal, expression) }
    /// Returns `self != expression`: missing if one of the two is missing.
    public func notEqualTo(_ expression: any ExpressionProtocol) -> any ExpressionProtocol { operation(.notEqual, expression) }
    /// Returns `self IS expression`: as `equalTo`, but never missing.
    public func `is`(_ expression: any ExpressionProtocol) -> any ExpressionProtocol { operation(.is, expression) }
    /// Returns `self IS NOT expression`: as `notEqualTo`, but never missing.
    public func isNot(_ expression: any ExpressionProtocol) -> any ExpressionProtocol { operation(.isNot, expression) }

    /// Whether `self` is between two values, both included.
    public func between(_ expression1: any ExpressionProtocol, and expression2: any ExpressionProtocol) -> any ExpressionProtocol {
        build(self, expression1, expression2) { .operation(.between, $0) }
    }

    /// Whether `self` equals one of `expressions`.
    public func `in`(_ expressions: [any ExpressionProtocol]) -> any ExpressionProtocol {
        build(self) { operands throws(QueryError) in
            .operation(.in, operands + [.array(try queryExpressions(expressions))])
        }
    }

    // MARK: Text

    /// Whether the string matches a pattern, in which `%` matches any number of characters and `_` exactly one; a backslash escapes the
    /// next character. Ignores case.
    public func like(_ expression: any ExpressionProtocol) -> any ExpressionProtocol { like(expression, caseSensitive: false) }

    /// Whether the string matches a pattern, in which `%` matches any number of characters and `_` exactly one; a backslash escapes the
    /// next character.
    public func like(_ expression: any ExpressionProtocol, caseSensitive: Bool) -> any ExpressionProtocol {
        build(self, expression) { .like(value: $0[0], pattern: $0[1], isCaseSensitive: caseSensitive) }
    }

    /// Whether a regular expression (ECMAScript syntax) matches anywhere in the string. Case-sensitive. Running the query throws if the
    /// pattern is invalid, or takes too many steps.
    public func regex(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        build(self, expression) { .function(name: "regexp_like", arguments: $0) }
    }

    /// Returns `self` with its strings compared by `collation`, in comparisons, `like` and `contains`.
    public func collate(_ collation: any CollationProtocol) -> any ExpressionProtocol {
        build(self) { operands throws(QueryError) in
            .collate(try built(collation, "a collation", as: (any CollationConvertible).self).options, operand: operands[0])
        }
    }

    // MARK: Null and missing

    /// Whether the value is null or missing.
    @available(*, deprecated, message: "Use isNotValued()")
    public func isNullOrMissing() -> any ExpressionProtocol { build(self) { .isNullOrMissing($0[0]) } }
    /// Whether the value is neither null nor missing.
    @available(*, deprecated, message: "Use isValued()")
    public func notNullOrMissing() -> any ExpressionProtocol { build(self) { .not(.isNullOrMissing($0[0])) } }
    /// Whether the value is neither null nor missing.
    public func isValued() -> any ExpressionProtocol { build(self) { .operation(.isValued, $0) } }
    /// Whether the value is null or missing.
    public func isNotValued() -> any ExpressionProtocol { build(self) { .not(.operation(.isValued, $0)) } }

    // MARK: Logic

    /// Whether both conditions are true.
    public func and(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        build(self, expression) { .chain(.and, $0[0], $0[1]) }
    }

    /// Whether at least one of the conditions is true.
    public func or(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        build(self, expression) { .chain(.or, $0[0], $0[1]) }
    }

    private func operation(_ operation: QueryOperator, _ other: any ExpressionProtocol) -> any ExpressionProtocol {
        build(self, other) { .operation(operation, $0) }
    }
}
