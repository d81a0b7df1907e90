import Foundation
import QueryLanguage

extension PredicateExpressions.Variable: TranslatableExpression {
    func translated(by translator: inout PredicateTranslator) throws(QueryError) -> QueryExpression { try translator.value(of: key) }
}

extension PredicateExpressions.Value: TranslatableExpression {
    func translated(by translator: inout PredicateTranslator) throws(QueryError) -> QueryExpression {
        try PredicateConstant.tree(of: value, translator.types)
    }
}

extension PredicateExpressions.NilLiteral: TranslatableExpression {
    func translated(by translator: inout PredicateTranslator) throws(QueryError) -> QueryExpression { .missing }
}

// MARK: - Properties

extension PredicateExpressions.KeyPath: TranslatableExpression {
    func translated(by translator: inout PredicateTranslator) throws(QueryError) -> QueryExpression {
        let base = try translator.translate(root)
        if let form = self.form(translator.types) { return form == .ignoringCase ? base.lowercased : base }
        if let dictionary = Root.Output.self as? any StoredDictionary.Type { return try dictionaryProperty(of: base, dictionary) }
        if let special = try collectionProperty(of: base) { return special }
        if keyPath.isStoredText { return base }
        if Root.Output.self is any AdaptedScalar.Type { throw unsupportedPart }
        if let type = Root.Output.self as? any (RawRepresentable & CaseIterable).Type, keyPath.isRawValue(of: type) { return base }
        return try translator.property(keyPath, of: Root.Output.self, in: base)
    }

    /// The error that a part of a value cannot be found in the scalar as which the value is stored.
    private var unsupportedPart: QueryError {
        let type = Root.Output.self
        let text: String? = type == URL.self ? "absoluteString" : type == UUID.self ? "uuidString" : nil
        return .unsupportedPredicate(text.map { "of a \(type) only \($0) is supported" } ?? "the properties of a \(type) are not stored")
    }

    /// Translates `count`, `isEmpty`, `first` and `last` of strings and arrays; `nil` for other properties.
    private func collectionProperty(of base: QueryExpression) throws(QueryError) -> QueryExpression? {
        guard let kind else { return nil }
        let isString = Root.Output.self == String.self
        let isArray = Root.Output.self is any StoredArray.Type
        let count = QueryExpression.function(name: isString ? "LENGTH" : "ARRAY_LENGTH", arguments: [base])
        if kind == .collectionCount { return count }
        if kind == .collectionIsEmpty {
            return isString ? .operation(.equal, [base, .string("")]) : .operation(.equal, [count, .integer(0)])
        }
        // Other collections have no defined order.
        if isArray, kind == .collectionFirst { return base.appending([.index(0)]) }
        if isArray, kind == .bidirectionalCollectionLast { return base.appending([.index(-1)]) }
        throw .unsupportedPredicate("\(kind) of \(Root.Output.self) is not supported")
    }

    private func dictionaryProperty(
        of base: QueryExpression,
        _ dictionary: any StoredDictionary.Type
    ) throws(QueryError) -> QueryExpression {
        // ANY and EVERY iterate over the values of a dictionary as over the elements of an array.
        if dictionary.isValues(keyPath) { return base }
        guard dictionary.isCount(keyPath) || dictionary.isIsEmpty(keyPath) else {
            throw .unsupportedPredicate("of a \(Root.Output.self) only count, isEmpty and values are supported")
        }
        let stored = base.defaulted?.value ?? base
        guard case .property = stored else { throw .unsupportedPredicate("the count of a dictionary inside an array is not supported") }
        var count = QueryExpression.function(name: "ARRAY_COUNT", arguments: [stored])
        if case .dictionary(let entries)? = base.defaulted?.fallback {
            count = .function(name: "IFMISSING", arguments: [count, .integer(Int64(entries.count))])
        }
        return dictionary.isCount(keyPath) ? count : .operation(.equal, [count, .integer(0)])
    }
}

/// `Array` with any type of elements.
protocol StoredArray {}
extension Array: StoredArray {}

/// `Dictionary` with any type of keys and values.
protocol StoredDictionary {
    static func isCount(_ keyPath: AnyKeyPath) -> Bool
    static func isIsEmpty(_ keyPath: AnyKeyPath) -> Bool
    static func isValues(_ keyPath: AnyKeyPath) -> Bool
}

extension Dictionary: StoredDictionary {
    static func isCount(_ keyPath: AnyKeyPath) -> Bool { keyPath == \Dictionary<Key, Value>.count }
    static func isIsEmpty(_ keyPath: AnyKeyPath) -> Bool { keyPath == \Dictionary<Key, Value>.isEmpty }
    static func isValues(_ keyPath: AnyKeyPath) -> Bool { keyPath == \Dictionary<Key, Value>.values }
}

extension AnyKeyPath {
    /// Whether this is the text as which a value is stored.
    fileprivate var isStoredText: Bool { self == \URL.absoluteString || self == \UUID.uuidString }

    /// Returns whether this is `rawValue` of an enumeration. Key paths to it do not compare equal, so it is evaluated for all cases.
    fileprivate func isRawValue<Type: RawRepresentable & CaseIterable>(of type: Type.Type) -> Bool {
        guard Swift.type(of: self).valueType == Type.RawValue.self, !Type.allCases.isEmpty else { return false }
        return Type.allCases.allSatisfy { value in
            value[keyPath: self].map { String(reflecting: $0) } == String(reflecting: value.rawValue)
        }
    }
}

// MARK: - Arithmetic

extension PredicateExpressions.Arithmetic: TranslatableExpression {
    func translated(by translator: inout PredicateTranslator) throws(QueryError) -> QueryExpression {
        let operands = [try translator.translate(lhs), try translator.translate(rhs)]
        return switch op {
        case .add: .operation(.add, operands)
        case .subtract: .operation(.subtract, operands)
        case .multiply: .operation(.multiply, operands)
        @unknown default: throw .unsupportedPredicate("the operator \(op) is not supported")
        }
    }
}

extension PredicateExpressions.UnaryMinus: TranslatableExpression {
    func translated(by translator: inout PredicateTranslator) throws(QueryError) -> QueryExpression {
        .negation(of: try translator.translate(wrapped))
    }
}

extension PredicateExpressions.FloatDivision: TranslatableExpression {
    func translated(by translator: inout PredicateTranslator) throws(QueryError) -> QueryExpression {
        // Documents store whole numbers as integers, whose division would be truncated.
        let dividend = QueryExpression.operation(.multiply, [try translator.translate(lhs), .double(1)])
        return .operation(.divide, [dividend, try translator.translate(rhs)])
    }
}

extension PredicateExpressions.IntDivision: TranslatableExpression {
    func translated(by translator: inout PredicateTranslator) throws(QueryError) -> QueryExpression {
        .operation(.divide, [try translator.translate(lhs), try translator.translate(rhs)])
    }
}

extension PredicateExpressions.IntRemainder: TranslatableExpression {
    func translated(by translator: inout PredicateTranslator) throws(QueryError) -> QueryExpression {
        .operation(.modulo, [try translator.translate(lhs), try translator.translate(rhs)])
    }
}

// MARK: - Optionals

extension PredicateExpressions.NilCoalesce: TranslatableExpression {
    func translated(by translator: inout PredicateTranslator) throws(QueryError) -> QueryExpression {
        let fallback = try translator.translate(rhs)
        if let chain = lhs as? any OptionalChain, let condition = try chain.condition(orElse: fallback, by: &translator) {
            return condition
        }
        return .function(name: "IFMISSINGORNULL", arguments: [try translator.translate(lhs), fallback])
    }
}

/// An expression with `flatMap`, which is also the form of optional chaining and `if let`.
private protocol OptionalChain {
    func condition(orElse fallback: QueryExpression, by translator: inout PredicateTranslator) throws(QueryError) -> QueryExpression?
}

extension PredicateExpressions.OptionalFlatMap: TranslatableExpression, OptionalChain {
    func translated(by translator: inout PredicateTranslator) throws(QueryError) -> QueryExpression {
        let (value, result) = try parts(by: &translator)
        if result.isInside(value) { return result }
        let branch = ConditionalBranch(when: value.isValued, then: result)
        return .conditional(subject: nil, branches: [branch], otherwise: .missing)
    }

    /// Translates `x.map { … } ?? false` to plain logic, which can use indexes; `nil` for other types than `Bool`.
    fileprivate func condition(
        orElse fallback: QueryExpression,
        by translator: inout PredicateTranslator
    ) throws(QueryError) -> QueryExpression? {
        guard case .boolean(let otherwise) = fallback, RHS.Output.self == Bool.self else { return nil }
        let (value, result) = try parts(by: &translator)
        return otherwise ? .operation(.or, [.not(value.isValued), result]) : .operation(.and, [value.isValued, result])
    }

    private func parts(by translator: inout PredicateTranslator) throws(QueryError) -> (value: QueryExpression, result: QueryExpression) {
        let value = try translator.translate(wrapped)
        return (value, try translator.translate(transform, with: variable.key, as: value))
    }
}

extension PredicateExpressions.ForcedUnwrap: TranslatableExpression {
    func translated(by translator: inout PredicateTranslator) throws(QueryError) -> QueryExpression {
        try translator.translate(inner).unwrapped
    }
}
