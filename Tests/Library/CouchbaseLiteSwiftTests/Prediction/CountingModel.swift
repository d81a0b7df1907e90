import CouchbaseLiteSwift
import Foundation
import Synchronization

/// A predictive model that counts its calls, under a name that no other test uses until it is released.
final class CountingModel: PredictiveModel, Sendable {
    let name = "M" + UUID().uuidString.replacing("-", with: "")
    private let calls = Atomic<Int>(0)
    private let body: @Sendable (DictionaryObject) -> DictionaryObject?

    /// The number of calls since the model was made or the number was reset.
    var count: Int { calls.load(ordering: .relaxed) }

    init(_ body: @escaping @Sendable (DictionaryObject) -> DictionaryObject?) {
        self.body = body
        register()
    }

    /// The sum, the minimum, the maximum and the mean of the array `numbers`.
    static func aggregate() -> CountingModel {
        CountingModel { input in
            guard let array = input.array(forKey: "numbers") else { return nil }
            let numbers = (0..<array.count).map { array.int(at: $0) }
            guard let least = numbers.min(), let most = numbers.max() else { return nil }
            let sum = numbers.reduce(0, +)
            return MutableDictionaryObject().setInt(sum, forKey: "sum").setInt(least, forKey: "min").setInt(most, forKey: "max")
                .setInt(sum / numbers.count, forKey: "avg")
        }
    }

    /// The number of words in the content of the blob `text`.
    static func words() -> CountingModel {
        CountingModel { input in
            guard let content = input.blob(forKey: "text")?.content else { return nil }
            return MutableDictionaryObject().setInt(String(decoding: content, as: UTF8.self).split(separator: " ").count, forKey: "wc")
        }
    }

    func predict(input: DictionaryObject) -> DictionaryObject? {
        calls.add(1, ordering: .relaxed)
        return body(input)
    }

    // The registry retains the model, so each test must call this.
    func unregister() { Database.prediction.unregisterModel(withName: name) }

    func register() { Database.prediction.registerModel(self, withName: name) }

    func reset() { calls.store(0, ordering: .relaxed) }

    /// The call with the input `{"numbers": numbers}`.
    var numbers: any PredictionFunction {
        Function.prediction(model: name, input: Expression.value(["numbers": Expression.property("numbers")]))
    }

    var sqlNumbers: String { "PREDICTION(\(name), {\"numbers\": numbers})" }
}
