import Base
import QueryLanguage

// Properties that documents of earlier versions lack, or store under former keys, as `ModelEvolution` describes them: predicates see the same
// values as decoding does.

extension QueryExpression {
    /// Returns the property of this object at a place.
    ///
    /// - Parameters:
    ///   - type: The type of the object.
    ///   - isOptional: Whether the property may be `nil`, so that null is its value.
    func property(_ place: ModelKeyPath, of type: Any.Type, isOptional: Bool, _ types: ModelTypes) -> QueryExpression {
        let object = defaulted?.value ?? self
        guard case .property(let path) = place else { return object.appending(place) }
        let evolution = ModelEvolution.of(type, types)
        let stored = object.property(path, formerKeys: evolution?.formerKeys ?? [:])
        let (own, outer) = (types.defaultLiteral(of: type)?.value(at: path), defaulted?.fallback.value(at: path))
        guard var fallback = own ?? outer, fallback != .null else { return stored }
        // An object that is missing as a whole has the default that it has in the object around it.
        if let own, let outer, own != outer {
            fallback = .conditional(subject: nil, branches: [ConditionalBranch(when: object.isValued, then: own)], otherwise: outer)
        }
        let value = QueryExpression.function(name: isOptional ? "IFMISSING" : Self.defaulting, arguments: [stored, fallback])
        // An object that is unwrapped without a test has no properties if it is nil.
        guard let optional else { return value }
        return .conditional(subject: nil, branches: [ConditionalBranch(when: optional.isValued, then: value)], otherwise: .missing)
    }

    private func property(_ path: PropertyPath, formerKeys: [ExactString: [String]]) -> QueryExpression {
        let stored = appending(path.components)
        guard let key = path.firstKey, let former = formerKeys[ExactString(key)], !former.isEmpty else { return stored }
        let others = former.map { appending([.key($0)] + path.components.dropFirst()) }
        return .function(name: "IFMISSING", arguments: [stored] + others)
    }

    /// Returns the part of this literal at a path; `nil` if there is none.
    private func value(at path: PropertyPath) -> QueryExpression? {
        var value = self
        for component in path.components {
            guard case .key(let key) = component, case .dictionary(let entries) = value,
                let entry = entries.first(where: { key.isExactly($0.key) })
            else { return nil }
            value = entry.value
        }
        return value
    }

    /// The value and the constant that this expression is where the value is missing or null; `nil` for any other expression.
    var defaulted: (value: QueryExpression, fallback: QueryExpression)? {
        guard case .function(Self.defaulting, let arguments) = self, arguments.count == 2, arguments[1].isConstant else { return nil }
        return (arguments[0], arguments[1])
    }

    private static let defaulting = "IFMISSINGORNULL"

    /// A test of a property with a default and of constants as tests of the property alone, because only those can use indexes; `nil` if this is
    /// another expression, or the result for the default is not known.
    ///
    /// It is a different condition where it is not true, so it applies only to the terms of AND.
    var asTestOfStored: QueryExpression? {
        guard case .operation(let symbol, let operands) = self, let place = operands.firstIndex(where: { $0.defaulted != nil }),
            let (value, fallback) = operands[place].defaulted
        else { return nil }
        func test(_ operand: QueryExpression) -> [QueryExpression] { operands.indices.map { $0 == place ? operand : operands[$0] } }
        guard let isTrueByDefault = symbol.result(of: test(fallback)) else { return nil }
        let own = QueryExpression.operation(symbol, test(value))
        return isTrueByDefault ? .operation(.or, [.not(value.isValued), own]) : .operation(.and, [value.isValued, own])
    }
}

extension ModelTypes {
    /// Returns the default value of a type as a literal; `nil` if there is none, or none that can be stored, which decoding reports.
    fileprivate func defaultLiteral(of type: Any.Type) -> QueryExpression? {
        defaultValue(type).flatMap { try? PredicateConstant.tree(of: $0, self) }
    }
}

extension QueryOperator {
    /// Returns the result of a comparison of constants; `nil` if it is not known here.
    fileprivate func result(of operands: [QueryExpression]) -> Bool? {
        switch self {
        case .in:
            guard operands.count == 2, case .array(let elements) = operands[1] else { return nil }
            let results = elements.map { QueryOperator.equal.result(of: [operands[0], $0]) }
            return results.contains(nil) ? nil : results.contains(true)
        case .between:
            guard operands.count == 3, let low = QueryOperator.lessOrEqual.result(of: [operands[1], operands[0]]),
                let high = QueryOperator.lessOrEqual.result(of: [operands[0], operands[2]])
            else { return nil }
            return low && high
        case .equal, .less, .lessOrEqual, .greater, .greaterOrEqual:
            guard operands.count == 2 else { return nil }
            return result(operands[0], operands[1])
        default: return nil
        }
    }

    private func result(_ left: QueryExpression, _ right: QueryExpression) -> Bool? {
        switch (left, right) {
        case (.integer(let left), .integer(let right)): return holds(left, right)
        case (.integer(let left), .double(let right)): return holds(Double(left), right)
        case (.double(let left), .integer(let right)): return holds(left, Double(right))
        case (.double(let left), .double(let right)): return holds(left, right)
        // As documents compare them: by their bytes.
        case (.string(let left), .string(let right)): return holds(ExactString(left), ExactString(right))
        case (.boolean(let left), .boolean(let right)): return self == .equal ? left == right : nil
        default: return nil
        }
    }

    private func holds<T: Comparable>(_ left: T, _ right: T) -> Bool? {
        switch self {
        case .equal: left == right
        case .less: left < right
        case .lessOrEqual: left <= right
        case .greater: left > right
        case .greaterOrEqual: left >= right
        default: nil
        }
    }
}
