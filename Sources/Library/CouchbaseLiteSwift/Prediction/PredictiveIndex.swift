import QueryEngine
import QueryLanguage

/// An index of the outputs of a predictive model, made by ``IndexBuilder/predictiveIndex(model:input:properties:)``.
public final class PredictiveIndex: Index, DefinesIndex {
    private let model: String
    private let input: any ExpressionProtocol
    private let properties: [String]

    init(_ model: String, _ input: any ExpressionProtocol, _ properties: [String]) {
        (self.model, self.input, self.properties) = (model, input, properties)
    }

    func definition(named name: String) throws -> IndexDefinition {
        let arguments = [.string(model), try input.queryExpression()] + properties.map { QueryExpression.string("." + $0) }
        return IndexDefinition(name: name, kind: .predictive, expressions: [.function(name: "PREDICTION", arguments: arguments)])
    }
}

extension IndexBuilder {
    /// Returns the definition of an index of the outputs of a predictive model for all documents.
    ///
    /// While the index exists, queries with this model and input read the outputs from it, and do not call the model. Saving a document calls
    /// the model; it fails if no model of that name is registered, with code 1 of the domain `CouchbaseLite.SQLite`. So does creating the
    /// index.
    ///
    /// ```swift
    /// let input = Expression.dictionary(["numbers": Expression.property("numbers")])
    /// let index = IndexBuilder.predictiveIndex(model: "Statistics", input: input, properties: ["sum"])
    /// try collection.createIndex(index, name: "sums")
    /// ```
    ///
    /// - Parameters:
    ///   - model: The name under which the model is registered.
    ///   - input: The input, which must be the same expression in queries.
    ///   - properties: Paths in the output, by whose values documents are found. `nil`, the default: the outputs are only stored.
    public static func predictiveIndex(
        model: String,
        input: any ExpressionProtocol,
        properties: [String]? = nil
    ) -> PredictiveIndex { PredictiveIndex(model, input, properties ?? []) }
}
