import Foundation
import QueryLanguage

/// A constant of a predicate as documents store it.
struct StoredConstant {
    /// The literal; MISSING for `nil`.
    let literal: QueryExpression
    /// The paths of the values that are Swift dictionaries and not structures.
    var dictionaries: Set<PropertyPath> = []
    /// The path of this value in ``dictionaries``.
    var path: [PropertyPath.Component] = []

    /// Returns a test whether `value` equals the constant as its type would compare it: a structure equals one whose properties are equal.
    /// It is never missing.
    ///
    /// Containers cannot be compared as they are stored, because a document may lack a property that is nil, have properties that the type
    /// does not know, or have its keys in another order than a literal (Query 3.4).
    func isEqual(to value: QueryExpression) -> QueryExpression { isEqual(to: value, literal, at: path) }

    /// The elements of an array; `nil` if this is no array of structures or dictionaries.
    var elements: [StoredConstant]? {
        guard literal.holdsDictionary, case .array(let elements) = literal else { return nil }
        return elements.enumerated().map { StoredConstant(literal: $1, dictionaries: dictionaries, path: path + [.index($0)]) }
    }

    private func isEqual(to value: QueryExpression, _ literal: QueryExpression, at path: [PropertyPath.Component]) -> QueryExpression {
        switch literal {
        case .missing, .null: .not(value.isValued)
        // Only dictionaries that are properties can be counted.
        case .dictionary(let entries) where value.isProperty || !dictionaries.contains(PropertyPath(path)):
            isEqual(to: value, entries, at: path)
        case .array(let elements) where elements.contains(where: \.holdsDictionary):
            .allTrue(
                [.operation(.is, [value.count("ARRAY_LENGTH"), .integer(Int64(elements.count))])]
                    + elements.enumerated().map { index, element in
                        isEqual(to: value.appending([.index(index)]), element, at: path + [.index(index)])
                    }
            )
        default: .operation(.is, [value.optional ?? value, literal])
        }
    }

    private func isEqual(to value: QueryExpression, _ entries: [DictionaryEntry], at path: [PropertyPath.Component]) -> QueryExpression {
        var tests = entries.map { entry in
            isEqual(to: value.appending([.key(entry.key)]), entry.value, at: path + [.key(entry.key)])
        }
        if dictionaries.contains(PropertyPath(path)) {
            tests.insert(.operation(.is, [value.count("ARRAY_COUNT"), .integer(Int64(entries.count))]), at: 0)
        } else if entries.allSatisfy({ $0.value == .null }) {
            tests.insert(value.isValued, at: 0)
        }
        return .allTrue(tests)
    }
}

extension QueryExpression {
    /// Whether this is a dictionary, or an array with one.
    var holdsDictionary: Bool {
        switch self {
        case .dictionary: true
        case .array(let elements): elements.contains(where: \.holdsDictionary)
        default: false
        }
    }

    fileprivate var isProperty: Bool { if case .property = optional ?? self { true } else { false } }

    /// Returns the number of items of this array or dictionary, which the function counts.
    fileprivate func count(_ function: String) -> QueryExpression { .function(name: function, arguments: [optional ?? self]) }

    fileprivate static func allTrue(_ tests: [QueryExpression]) -> QueryExpression { tests.count == 1 ? tests[0] : .operation(.and, tests) }
}

// MARK: - Operands

/// An operand of a predicate that is a value, not a property.
protocol ConstantExpression {
    var constant: Any { get }
}

extension PredicateExpressions.Value: ConstantExpression {
    var constant: Any { value }
}

extension PredicateTranslator {
    /// Returns a test whether two operands are equal, where `nil` equals `nil`.
    mutating func equality<Left: PredicateExpression, Right: PredicateExpression>(
        _ left: Left,
        _ right: Right
    ) throws(QueryError) -> QueryExpression {
        if let constant = try structure(right), try structure(left) == nil { return constant.isEqual(to: try translate(left)) }
        if let constant = try structure(left), try structure(right) == nil { return constant.isEqual(to: try translate(right)) }
        return .areEqual(try translate(left), try translate(right), mayBeNil: Left.mayBeNil || Right.mayBeNil)
    }

    /// Returns the constant that an operand is if it is or contains a structure or dictionary; `nil` for any other operand.
    func structure(_ operand: any PredicateExpression) throws(QueryError) -> StoredConstant? {
        guard let value = (operand as? any ConstantExpression)?.constant else { return nil }
        let constant = try PredicateConstant.stored(value, types)
        return constant.literal.holdsDictionary ? constant : nil
    }
}
