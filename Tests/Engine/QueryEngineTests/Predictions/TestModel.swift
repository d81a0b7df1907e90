import Fleece
import Foundation
import QueryEngine
import Synchronization

/// A predictive model that counts its calls, registered under a name that no other test uses until it is released.
final class TestModel: Sendable {
    /// The name as an identifier of SQL++.
    let name = "M" + UUID().uuidString.replacing("-", with: "")
    private let calls: Calls

    /// The number of calls so far.
    var count: Int { calls.count.load(ordering: .relaxed) }

    /// Registers a model.
    ///
    /// - Parameter body: Returns the output as JSON; `nil` if there is none.
    init(_ body: @escaping @Sendable (Value, PredictionCall) -> String?) {
        calls = Calls(body)
        PredictionModels.shared.register(calls, withName: name)
    }

    deinit { unregister() }

    func unregister() { PredictionModels.shared.unregister(withName: name) }

    /// Registers the model under its own name, or in place of another model of that name.
    func register(withName name: String? = nil) { PredictionModels.shared.register(calls, withName: name ?? self.name) }

    /// The sum, the minimum, the maximum and the mean of the array `numbers`; no output if there is none.
    static func statistics() -> TestModel {
        TestModel { input, _ in
            guard let array = input.dictionary?.value(for: "numbers", sharedKeys: .empty)?.array, array.count > 0 else { return nil }
            let numbers = (0..<array.count).compactMap { array[$0]?.int64 }
            let sum = numbers.reduce(0, +)
            return
                #"{"sum":\#(sum),"min":\#(numbers.min() ?? 0),"max":\#(numbers.max() ?? 0),"avg":\#(sum / Int64(numbers.count)),"isLarge":\#(sum > 20),"none":null}"#
        }
    }

    /// Returns its input.
    static func echo() -> TestModel { TestModel { input, _ in try? JSON.string(input) } }

    private final class Calls: PredictionModel {
        let count = Atomic<Int>(0)
        private let body: @Sendable (Value, PredictionCall) -> String?

        init(_ body: @escaping @Sendable (Value, PredictionCall) -> String?) { self.body = body }

        func output(for input: FleeceData, _ call: PredictionCall) -> [UInt8]? {
            count.add(1, ordering: .relaxed)
            guard let json = input.withRoot({ body($0, call) }) ?? nil else { return nil }
            var encoder = Encoder()
            try? Array(json.utf8).withUnsafeBytes { try JSON.parse($0, into: &encoder) }
            return (try? encoder.finish()).map { [UInt8]($0) }
        }
    }
}

extension QueryDatabase {
    /// Two documents with numbers: the sums are 15 and 40, the means 3 and 8.
    static func withNumbers() throws -> QueryDatabase {
        let database = try QueryDatabase()
        try database.save("doc1", #"{"numbers":[1,2,3,4,5]}"#)
        try database.save("doc2", #"{"numbers":[6,7,8,9,10]}"#)
        return database
    }

    /// Creates an index on properties of the output for the input `{"numbers": numbers}`.
    func createPredictiveIndex(_ name: String, _ model: TestModel, _ properties: String...) throws {
        let arguments = [#""PREDICTION()""#, #""\#(model.name)""#, #"{"numbers":[".numbers"]}"#] + properties.map { #"".\#($0)""# }
        let json = "[[\(arguments.joined(separator: ","))]]"
        try indexes.create(IndexDefinition(name: name, kind: .predictive, source: .json(json)), on: try collection())
    }
}
