import QueryEngine

/// A model that computes an output from an input, such as a trained network, which queries and indexes call by its name.
///
/// ```swift
/// struct Statistics: PredictiveModel {
///     func predict(input: DictionaryObject) -> DictionaryObject? {
///         guard let numbers = input.array(forKey: "numbers") else { return nil }
///         let values = numbers.indices.map { numbers.double(at: $0) }
///         return MutableDictionaryObject().setDouble(values.reduce(0, +), forKey: "sum")
///     }
/// }
/// Database.prediction.registerModel(Statistics(), withName: "Statistics")
/// let query = try database.createQuery("SELECT PREDICTION(Statistics, {\"numbers\": numbers}).sum FROM _")
/// ```
public protocol PredictiveModel {
    /// Returns the output for an input; `nil` if there is none: in the query the result is missing then.
    ///
    /// Called on whatever thread evaluates: one that runs a query, saves a document or creates an index, or a thread of a live query, and on
    /// several at once. Equal inputs must have equal outputs. The model may read databases, also the one that is being queried or written.
    /// It must not write: ``CBLError/invalidParameter`` is thrown to it then.
    ///
    /// - Parameter input: The input. Blobs in it can be read. It may be returned, as a whole or in parts.
    func predict(input: DictionaryObject) -> DictionaryObject?
}

/// The predictive models of the process: ``Database/prediction``. Thread-safe.
public final class Prediction: Sendable {
    static let shared = Prediction()

    init() {}

    /// Registers a model under a name that queries use, in place of the one that has it. Names are case-sensitive.
    ///
    /// Queries find the model at the start of each run, also those that were created before. The outputs in predictive indexes stay those of
    /// the former model; ``Database/performMaintenance(type:)`` with ``MaintenanceType/reindex`` computes them anew.
    ///
    /// - Parameter model: The model, which is retained. It must be safe to call from any thread.
    /// - Parameter name: The name, an identifier or text in backticks in SQL++.
    public func registerModel(_ model: any PredictiveModel, withName name: String) {
        PredictionModels.shared.register(ObjectModel(model), withName: name)
    }

    /// Removes the model of that name. Does nothing if there is none. Queries that use it fail when they are run, unless a predictive index
    /// contains the outputs.
    public func unregisterModel(withName name: String) { PredictionModels.shared.unregister(withName: name) }
}

extension Prediction {
    /// Registers a closure as a model; see ``registerModel(_:withName:)`` and ``PredictiveModel/predict(input:)``.
    ///
    /// ```swift
    /// Database.prediction.registerModel(withName: "Length") { input in
    ///     input.string(forKey: "text").map { MutableDictionaryObject().setInt($0.count, forKey: "length") }
    /// }
    /// ```
    public func registerModel(withName name: String, _ body: @escaping @Sendable (DictionaryObject) -> DictionaryObject?) {
        registerModel(ClosureModel(body: body), withName: name)
    }

    /// Registers a closure that computes with Swift types as a model; see ``registerModel(_:withName:)``.
    ///
    /// The input is decoded and the output encoded as the properties of models are. If the input cannot be decoded, the closure throws, or the
    /// output cannot be encoded, there is no output, and the first such case in a run of a query is logged as a warning.
    ///
    /// ```swift
    /// struct Text: Decodable { let text: String }
    /// struct Length: Encodable { let length: Int }
    /// Database.prediction.registerModel(withName: "Length", input: Text.self, output: Length.self) { Length(length: $0.text.count) }
    /// ```
    ///
    /// - Parameters:
    ///   - name: The name that queries use.
    ///   - input: The type of the input.
    ///   - output: The type of the output, which is encoded as a dictionary.
    ///   - body: The model. `nil` means that there is no output.
    public func registerModel<Input: Decodable, Output: Encodable>(
        withName name: String,
        input: Input.Type,
        output: Output.Type,
        _ body: @escaping @Sendable (Input) throws -> Output?
    ) {
        PredictionModels.shared.register(TypedModel(body), withName: name)
    }
}

extension Database {
    /// The predictive models, which all databases of the process share.
    public static var prediction: Prediction { .shared }
}

private struct ClosureModel: PredictiveModel {
    let body: @Sendable (DictionaryObject) -> DictionaryObject?

    func predict(input: DictionaryObject) -> DictionaryObject? { body(input) }
}
