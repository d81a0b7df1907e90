import QueryLanguage

/// The output of a predictive model in the query builder: a dictionary.
public protocol PredictionFunction: ExpressionProtocol {
    /// Returns the value at a path in the output, such as `label` or `boxes[0].width`; missing if there is none.
    func property(_ keyPath: String) -> any ExpressionProtocol
}

extension Function {
    /// Returns the output of a predictive model; missing if it has none.
    ///
    /// ```swift
    /// let input = Expression.dictionary(["numbers": Expression.property("numbers")])
    /// let prediction = Function.prediction(model: "Statistics", input: input)
    /// let query = QueryBuilder.select(SelectResult.expression(prediction.property("sum"))).from(DataSource.collection(collection))
    /// ```
    ///
    /// Running the query fails if no model of that name is registered, or the input is not a dictionary: with code 1 of the domain
    /// `CouchbaseLite.SQLite`.
    ///
    /// - Parameters:
    ///   - model: The name under which the model is registered.
    ///   - input: A dictionary, such as ``Expression/dictionary(_:)``. Entries that are missing are left out. If the whole input is missing,
    ///     the model is not called, and the result is missing.
    public static func prediction(model: String, input: any ExpressionProtocol) -> any PredictionFunction {
        BuiltPrediction { () throws(QueryError) in
            .function(name: "PREDICTION", arguments: [.string(model), try input.queryExpression()])
        }
    }

    /// The Euclidean distance of two arrays of numbers with the same length, as a double; missing for anything else. Items that are not numbers
    /// count as 0.
    public static func euclideanDistance(
        between expression1: any ExpressionProtocol,
        and expression2: any ExpressionProtocol
    ) -> any ExpressionProtocol { call("EUCLIDEAN_DISTANCE", expression1, expression2) }

    /// The square of the Euclidean distance; see ``euclideanDistance(between:and:)``.
    public static func squaredEuclideanDistance(
        between expression1: any ExpressionProtocol,
        and expression2: any ExpressionProtocol
    ) -> any ExpressionProtocol { call("EUCLIDEAN_DISTANCE", expression1, expression2, Expression.int(2)) }

    /// The cosine distance of two arrays of numbers with the same length: 1 minus the cosine of the angle between them, from 0 to 2. Missing
    /// for anything else, for empty arrays, and if one contains only zeros.
    public static func cosineDistance(
        between expression1: any ExpressionProtocol,
        and expression2: any ExpressionProtocol
    ) -> any ExpressionProtocol { call("COSINE_DISTANCE", expression1, expression2) }
}

private final class BuiltPrediction: BuiltExpression, PredictionFunction {
    func property(_ keyPath: String) -> any ExpressionProtocol {
        BuiltExpression(
            tree.map { call in
                guard case .function(let name, let arguments) = call else { return call }
                return .function(name: name, arguments: arguments + [.string("." + keyPath)])
            }
        )
    }
}
