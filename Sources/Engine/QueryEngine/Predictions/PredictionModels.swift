import Base
package import DocumentStore
package import Fleece
import Synchronization

/// A predictive model of the app, which queries and indexes call as `PREDICTION(name, input)` (Vector search 8.1). It is called on any thread,
/// and on several at once.
package protocol PredictionModel: AnyObject, Sendable {
    /// Returns the output as a dictionary encoded without shared keys; `nil` if there is none, so that the result is MISSING.
    ///
    /// - Parameter input: A dictionary without shared keys.
    func output(for input: FleeceData, _ call: PredictionCall) -> [UInt8]?
}

/// The place that calls a model, during one run of a statement.
package final class PredictionCall {
    /// The name under which the model is registered.
    package let modelName: String
    /// The file whose statement is calling the model; `nil` if it has been released.
    package let file: DatabaseFile?
    let model: any PredictionModel
    private var hasWarned = false

    init(_ model: any PredictionModel, named name: String, _ file: DatabaseFile?) {
        (self.model, modelName, self.file) = (model, name, file)
    }

    /// Logs a warning, but only the first one of this place in this run.
    package func warn(_ message: @autoclosure () -> String) {
        guard !hasWarned else { return }
        hasWarned = true
        let text = message()
        EngineLog.log(.warning, .query, "the predictive model \"\(modelName)\": \(text)")
    }
}

/// The predictive models of the process, by their names, which are compared by their bytes (Vector search PR-1). Thread-safe.
package final class PredictionModels: Sendable {
    /// The models of the process.
    package static let shared = PredictionModels()

    private let models = Mutex<[ExactString: any PredictionModel]>([:])

    /// Registers a model in place of the one that has the name, if there is one. Runs of statements that have begun keep that one (PR-2).
    package func register(_ model: any PredictionModel, withName name: String) {
        // Released after the lock, because the app's object may run code when it is released.
        let replaced = models.withLock { $0.updateValue(model, forKey: ExactString(name)) }
        withExtendedLifetime(replaced) {}
    }

    /// Removes a model. Does nothing if there is none of that name.
    package func unregister(withName name: String) {
        // Released after the lock, because the app's object may run code when it is released.
        let removed = models.withLock { $0.removeValue(forKey: ExactString(name)) }
        withExtendedLifetime(removed) {}
    }

    /// The model of that name; `nil` if there is none.
    package subscript(name: String) -> (any PredictionModel)? { models.withLock { $0[ExactString(name)] } }
}
