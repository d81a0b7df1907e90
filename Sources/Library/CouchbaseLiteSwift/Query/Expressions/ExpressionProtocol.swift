import QueryLanguage

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

/// What this library creates for the protocols of the query builder: a part of the syntax tree, or the error that occurred when it was built.
class BuiltPart<Tree> {
    let tree: Swift.Result<Tree, QueryError>

    init(_ tree: Swift.Result<Tree, QueryError>) { self.tree = tree }

    convenience init(_ tree: Tree) { self.init(.success(tree)) }

    /// Evaluates `make` and stores its result or error.
    convenience init(_ make: () throws(QueryError) -> Tree) { self.init(Swift.Result(catching: make)) }
}

class BuiltExpression: BuiltPart<QueryExpression>, ExpressionProtocol {}

/// Returns the part of the syntax tree that an object represents.
///
/// - Parameter name: What the object must be, with its article.
/// - Throws: `invalidQuery` if it is invalid, or was not created by this library.
func syntaxTree<Tree>(of object: Any, _ name: String) throws(QueryError) -> Tree {
    try built(object, name, as: BuiltPart<Tree>.self).tree.get()
}

/// Returns the parts of the syntax tree that objects represent; see ``syntaxTree(of:_:)``.
func syntaxTrees<Tree>(of objects: [Any], _ name: String) throws(QueryError) -> [Tree] {
    try objects.map { object throws(QueryError) in try syntaxTree(of: object, name) }
}

extension ExpressionProtocol {
    /// Returns the part of the syntax tree that the expression represents.
    func queryExpression() throws(QueryError) -> QueryExpression { try syntaxTree(of: self, "an expression") }
}

/// Returns the syntax trees of several expressions.
func queryExpressions(_ expressions: [any ExpressionProtocol]) throws(QueryError) -> [QueryExpression] {
    try syntaxTrees(of: expressions, "an expression")
}

/// Creates an expression from operands.
func build(
    _ operands: any ExpressionProtocol...,
    by make: ([QueryExpression]) throws(QueryError) -> QueryExpression
) -> any ExpressionProtocol { BuiltExpression { () throws(QueryError) in try make(try queryExpressions(operands)) } }
