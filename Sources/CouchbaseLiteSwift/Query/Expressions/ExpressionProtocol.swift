import QueryEngine

/// An expression of the query builder: a property, a value, a parameter, or what operators and functions make of them.
///
/// Made by ``Expression``, ``Function``, ``Meta``, ``ArrayExpression`` and their like. Building one never fails; what is wrong
/// with it is thrown when the query is run.
public protocol ExpressionProtocol {}

/// An expression with an alias to be named: a property of one of several data sources.
public protocol PropertyExpressionProtocol: ExpressionProtocol {
    /// The property in the data source with that alias.
    func from(_ alias: String?) -> any ExpressionProtocol
}

/// The variable of an `any` or `every` expression.
public protocol VariableExpressionProtocol: ExpressionProtocol {}

/// A field of a document's metadata.
public protocol MetaExpressionProtocol: ExpressionProtocol {
    /// The field in the data source with that alias.
    func from(_ alias: String) -> any ExpressionProtocol
}

/// What every expression of the builder is: a part of the syntax tree, or the error that was made in building it.
class BuiltExpression: ExpressionProtocol {
    let tree: Swift.Result<QueryExpression, QueryError>

    init(_ tree: Swift.Result<QueryExpression, QueryError>) {
        self.tree = tree
    }

    convenience init(_ expression: QueryExpression) {
        self.init(.success(expression))
    }

    /// Evaluates `make`, keeping the error it throws.
    convenience init(_ make: () throws(QueryError) -> QueryExpression) {
        self.init(Swift.Result(catching: make))
    }
}

extension ExpressionProtocol {
    /// The part of the syntax tree that the expression stands for.
    func queryExpression() throws(QueryError) -> QueryExpression {
        guard let built = self as? BuiltExpression else { throw .invalidQuery("\(type(of: self)) is not an expression of this library") }
        return try built.tree.get()
    }
}

/// Makes an expression of others.
func build(
    _ operands: any ExpressionProtocol...,
    by make: ([QueryExpression]) throws(QueryError) -> QueryExpression
) -> any ExpressionProtocol {
    BuiltExpression { () throws(QueryError) in
        try make(try queryExpressions(operands))
    }
}

/// The trees of several expressions.
func queryExpressions(_ expressions: [any ExpressionProtocol]) throws(QueryError) -> [QueryExpression] {
    var result: [QueryExpression] = []
    for expression in expressions { result.append(try expression.queryExpression()) }
    return result
}
