import Base
import Foundation
import QueryLanguage

/// Translates Foundation's `#Predicate` to the syntax tree of the query language.
///
/// The macro creates a tree of public operator types. Each type with a counterpart in the query language conforms to
/// ``TranslatableExpression``; any other causes an error that names it. Swift's logic has two values, the query language three. Values that
/// may be missing in a document are therefore compared by operations that are never missing: `x == nil` tests whether there is a value, and
/// an optional is compared by IS.
struct PredicateTranslator {
    /// The alias of the documents. All properties are qualified by it, so that none is taken for the name of a collection.
    static let alias = "doc"
    static var document: QueryExpression { .property([.key(alias)]) }

    /// The maximum nesting depth of operators.
    private static let maximumNesting = 100
    /// The maximum number of parts of the translated predicate, without the elements of constants. A value is repeated where its variable is
    /// used and where it is tested for `nil`, so that a chain of optionals would otherwise describe a condition of any size.
    private static let maximumSize = 10_000

    let types: ModelTypes
    private let idKey: String?
    private var variables: [PredicateExpressions.VariableID: QueryExpression] = [:]
    private var nameCount = 0
    private var nesting = 0

    private init(_ types: ModelTypes, idKey: String?) { (self.types, self.idKey) = (types, idKey) }

    /// Returns the condition on documents that a predicate describes.
    ///
    /// - Parameter idKey: The key of the model's property that represents the ID of the document; `nil` if there is none.
    static func condition<Model>(_ predicate: Predicate<Model>, _ types: ModelTypes, idKey: String?) throws(QueryError) -> QueryExpression {
        var translator = PredicateTranslator(types, idKey: idKey)
        translator.variables[predicate.variable.key] = document
        return try translator.translate(predicate.expression).withIndexableTests
    }

    mutating func translate(_ expression: any PredicateExpression) throws(QueryError) -> QueryExpression {
        guard let translatable = expression as? any TranslatableExpression else {
            throw .unsupportedPredicate("the operator \(Self.name(of: expression)) is not supported")
        }
        nesting += 1
        defer { nesting -= 1 }
        guard nesting <= Self.maximumNesting else { throw .unsupportedPredicate("it is nested too deeply") }
        let result = try translatable.translated(by: &self)
        var remaining = Self.maximumSize
        result.count(against: &remaining)
        guard remaining >= 0 else { throw .unsupportedPredicate("it is too large, with the values that its optionals stand for") }
        return result
    }

    /// Returns the property of an object to which a key path refers.
    func property(_ keyPath: AnyKeyPath, of type: Any.Type, in object: QueryExpression) throws(QueryError) -> QueryExpression {
        let property = try ModelKeyPath(keyPath, of: type, types)
        let isOptional = Swift.type(of: keyPath).valueType is any OptionalValue.Type
        return object.property(object == Self.document ? property.identified(by: idKey) : property, of: type, isOptional: isOptional, types)
    }

    // MARK: Variables

    func value(of variable: PredicateExpressions.VariableID) throws(QueryError) -> QueryExpression {
        guard let value = variables[variable] else { throw .unsupportedPredicate("it uses a variable of another predicate") }
        return value
    }

    /// Translates an expression in which `variable` represents `value`.
    mutating func translate(
        _ expression: any PredicateExpression,
        with variable: PredicateExpressions.VariableID,
        as value: QueryExpression
    ) throws(QueryError) -> QueryExpression {
        let outer = variables[variable]
        variables[variable] = value
        defer { variables[variable] = outer }
        return try translate(expression)
    }

    /// Returns a unique name for the variable of ANY or EVERY.
    mutating func newName() -> String {
        nameCount += 1
        return "v\(nameCount)"
    }

    // MARK: Errors

    /// Returns the name of the operator, without the types of its operands.
    private static func name(of expression: any PredicateExpression) -> String {
        let name = String(describing: type(of: expression))
        return String(name.prefix { $0 != "<" })
    }
}

/// An operator of `#Predicate` that has a counterpart in the query language.
protocol TranslatableExpression: PredicateExpression {
    func translated(by translator: inout PredicateTranslator) throws(QueryError) -> QueryExpression
}

// MARK: - Parts

extension QueryExpression {
    /// Reduces a budget by the number of parts of the expression, and stops when it is used up.
    fileprivate func count(against budget: inout Int) {
        budget -= 1
        guard budget >= 0, !isConstant else { return }
        forEachChild { $0.count(against: &budget) }
    }

    /// Returns the value at a path within this value.
    func appending(_ components: [PropertyPath.Component]) -> QueryExpression {
        switch self {
        case _ where optional != nil: optional?.appending(components) ?? self
        case .property(let path): .property(PropertyPath(path.components + components))
        case .variable(let name, let path): .variable(name, PropertyPath(path.components + components))
        case .nested(let base, let path): .nested(base, PropertyPath(path.components + components))
        default: .nested(self, PropertyPath(components))
        }
    }

    /// Returns the property of this object to which a key path refers.
    func appending(_ keyPath: ModelKeyPath) -> QueryExpression {
        switch keyPath {
        case .id: appending([.key("_id")])
        case .property(let path): appending(path.components)
        }
    }

    /// Returns whether this is a path within `other`, so that it is missing where `other` is `nil`.
    func isInside(_ other: QueryExpression) -> Bool {
        switch (self, other) {
        case (.property(let path), .property(let outer)): path.components.starts(with: outer.components)
        case (.variable(let name, let path), .variable(let other, let outer)):
            name.isExactly(other) && path.components.starts(with: outer.components)
        default: false
        }
    }
}
