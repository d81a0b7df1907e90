import Foundation
import QueryLanguage

// Values that may be nil: documents store them as null, and documents of earlier versions do not have them.

extension PredicateExpression {
    /// Whether the result may be nil.
    static var mayBeNil: Bool { Output.self is any OptionalValue.Type }
}

extension QueryExpression {
    /// A test whether there is a value: neither missing nor null.
    var isValued: QueryExpression { .operation(.isValued, [asTested]) }

    /// This condition, false where it would be missing.
    var isTrue: QueryExpression { .operation(.is, [self, .boolean(true)]) }

    /// Whether this is a constant of the predicate.
    var isConstant: Bool {
        switch self {
        case .boolean, .integer, .double, .string, .array, .dictionary: true
        default: false
        }
    }

    /// Returns a test whether two values are equal, where `nil` equals `nil`.
    static func areEqual(_ left: QueryExpression, _ right: QueryExpression, mayBeNil: Bool) -> QueryExpression {
        if right == .missing { return .not(left.isValued) }
        if left == .missing { return .not(right.isValued) }
        guard mayBeNil else { return .operation(.equal, [left, right]) }
        // Unlike `=`, IS is never missing; it can use indexes as well.
        if right.isConstant { return .operation(.is, [left, right]) }
        if left.isConstant { return .operation(.is, [right, left]) }
        let bothAreNil = QueryExpression.operation(.and, [.not(left.isValued), .not(right.isValued)])
        return .operation(.or, [.operation(.is, [left, right]), bothAreNil])
    }
}

// MARK: - Values that are unwrapped

extension QueryExpression {
    /// This value, missing where it is null. Then comparisons with it are missing too; null is greater than all strings and numbers.
    var unwrapped: QueryExpression { .function(name: Self.unwrapping, arguments: [self, .missing]) }

    /// The value that this expression unwraps; `nil` for any other expression.
    var optional: QueryExpression? {
        guard case .function(Self.unwrapping, let arguments) = self, arguments.count == 2, arguments[1] == .missing else { return nil }
        return arguments[0]
    }

    /// Returns the first argument, which is not null, or else the second.
    private static let unwrapping = "IFNULL"

    /// The condition on a document with tests of properties instead of unwrapped properties, because only those can use indexes.
    ///
    /// This is a different condition where it is not true, so it applies only to the terms of AND.
    var withIndexableTests: QueryExpression {
        guard case .operation(let symbol, let operands) = self else { return self }
        if symbol == .and { return .operation(.and, operands.map(\.withIndexableTests)) }
        if let test = asTestOfStored { return test }
        guard Self.indexableTests.contains(symbol), operands.contains(where: { $0.optional != nil }) else { return self }
        return .operation(.and, operands.compactMap { $0.optional?.isValued } + [.operation(symbol, operands.map { $0.optional ?? $0 })])
    }

    private static let indexableTests: Set<QueryOperator> = [.equal, .less, .lessOrEqual, .greater, .greaterOrEqual, .between, .in]
}
