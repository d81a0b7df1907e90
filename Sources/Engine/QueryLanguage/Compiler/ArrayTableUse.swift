/// A table of an array index that a query reads in place of the arrays themselves.
package struct ArrayTableUse: Sendable, Hashable {
    /// The name of the table.
    package let table: String
    /// The store of the collection.
    package let store: String
    /// The table whose column `body` contains the arrays.
    package let parent: String
    /// The path of the array in that column.
    package let path: String
    /// Whether the query returns no rows with elements that are null, so that it does not matter which key they have.
    package let rejectsNull: Bool
    /// Whether the query returns no rows with elements that are numbers outside of the range from 0 to the largest `Int64`.
    package let selectsPlainValues: Bool
}

extension QueryExpression {
    /// Returns whether this condition is not true if the element with this alias is null or MISSING. Null is greater than all numbers and texts.
    func rejectsNull(as alias: String) -> Bool {
        guard case .operation(let symbol, let operands) = self, let subject = operands.first, let other = operands.last else {
            if case .like(.property([.key(alias)]), .string, _) = self { return true }
            return false
        }
        let isElement = subject == .property([.key(alias)])
        switch symbol {
        // A parameter that is null is MISSING.
        case .equal: return isElement && other.isNeverNull || other == .property([.key(alias)]) && subject.isNeverNull
        case .less, .lessOrEqual: return isElement && other.isScalarLiteral
        case .greater, .greaterOrEqual: return other == .property([.key(alias)]) && subject.isScalarLiteral
        case .between: return isElement && other.isScalarLiteral
        case .in:
            guard isElement, case .array(let elements) = other else { return false }
            return elements.allSatisfy(\.isNeverNull)
        default: return false
        }
    }

    /// Returns whether this condition is only true for an element, with this alias, that is one of some texts, booleans and integers from 0 on.
    func selectsPlainValues(as alias: String) -> Bool {
        guard case .operation(let symbol, let operands) = self, operands.count == 2 else { return false }
        let element = QueryExpression.property([.key(alias)])
        switch (symbol, operands[0], operands[1]) {
        case (.equal, element, let other), (.equal, let other, element): return other.isPlainLiteral
        case (.in, element, .array(let elements)): return elements.allSatisfy(\.isPlainLiteral)
        default: return false
        }
    }

    private var isPlainLiteral: Bool {
        switch self {
        case .string, .boolean: true
        case .integer(let number): number >= 0
        default: false
        }
    }

    private var isNeverNull: Bool { if case .parameter = self { true } else { isScalarLiteral } }

    /// Whether this is a number, a text or a boolean, and no other value.
    private var isScalarLiteral: Bool {
        switch self {
        case .integer, .double, .string, .boolean: true
        default: false
        }
    }
}
