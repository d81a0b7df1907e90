import QueryEngine

/// An expression of the query builder: a property, a value, a parameter, or an operator or function applied to expressions.
///
/// Created by ``Expression``, ``Function``, ``Meta``, ``ArrayExpression`` and similar classes. Creating an expression never fails; an
/// invalid one makes the query throw when it is run. Only expressions created by this library can be used.
public protocol ExpressionProtocol {}

/// A property that can be qualified by the alias of a data source.
public protocol PropertyExpressionProtocol: ExpressionProtocol {
    /// Returns the property in the data source with that alias; `nil` means no alias.
    func from(_ alias: String?) -> any ExpressionProtocol
}

/// The variable of an `any` or `every` expression.
public protocol VariableExpressionProtocol: ExpressionProtocol {}

/// A metadata field of a document.
public protocol MetaExpressionProtocol: ExpressionProtocol {
    /// Returns the field in the data source with that alias.
    func from(_ alias: String) -> any ExpressionProtocol
}

/// The base class of all builder expressions: a part of the syntax tree, or the error that occurred when it was built.
class BuiltExpression: ExpressionProtocol {
    let tree: Swift.Result<QueryExpression, QueryError>

    init(_ tree: Swift.Result<QueryExpression, QueryError>) { self.tree = tree }

    convenience init(_ expression: QueryExpression) { self.init(.success(expression)) }

    /// Evaluates `make` and stores its result or error.
    convenience init(_ make: () throws(QueryError) -> QueryExpression) { self.init(Swift.Result(catching: make)) }
}

extension ExpressionProtocol {
    /// Returns the part of the syntax tree that the expression represents.
    ///
    /// - Throws: `invalidQuery` if it is invalid, or was not created by this library.
    func queryExpression() throws(QueryError) -> QueryExpression { try built(self, "an expression", as: BuiltExpression.self).tree.get() }
}

/// Creates an expression from operands.
func build(
    _ operands: any ExpressionProtocol...,
    by make: ([QueryExpression]) throws(QueryError) -> QueryExpression
) -> any ExpressionProtocol { BuiltExpression { () throws(QueryError) in try make(try queryExpressions(operands)) } }

/// Returns the syntax trees of several expressions.
func queryExpressions(_ expressions: [any ExpressionProtocol]) throws(QueryError) -> [QueryExpression] {
    var result: [QueryExpression] = []
    for expression in expressions { result.append(try expression.queryExpression()) }
    return result
}
