import Base
import DocumentStore
import Fleece
package import SQLiteEngine

extension FunctionRegistrar {
    /// Registers `prediction`, which calls models, and the distances of vectors (Vector search 8.2, 8.4).
    func addPredictionFunctions() throws {
        try add("prediction", counts: 2...3) { call in
            call.withOutput { output in
                guard let output else { return call.context.resultNull() }
                call.noteTags(in: output)
                guard call.count > 2 else { return call.context.resultBlob(output) }
                withValue(in: Value(root: output), atPathIn: 2, call.arguments, call.context, isOfDocument: false) {
                    call.context.result($0, call.environment)
                }
            }
        }
        // For finding keys of indexes that differ from the output: an index has lost the tags of booleans and of large numbers.
        try add("fl_is_tagged_prediction", counts: 2...3) { call in
            guard PredictionModels.shared[call.arguments[0].text] != nil else { return call.context.resultBool(false) }
            call.withOutput { output in
                guard let output, call.count > 2, let path = CompiledPath(parsing: call.arguments[2].textBytes, keys: nil) else {
                    return call.context.resultBool(false)
                }
                defer { free(path.memory) }
                let value = Value(root: output).flatMap { path.value(in: $0) }
                call.context.resultBool(value?.isTagged ?? false)
            }
        }
        try add("euclidean_distance", counts: 2...3) { call in
            guard let sum = call.vectors({ ($0 - $1) * ($0 - $1) }) else { return call.context.resultNull() }
            guard call.count > 2 else { return call.context.resultDouble(sum.squareRoot()) }
            guard let power = call[2].numberOrBoolean else { return call.context.resultNull() }
            call.context.resultDouble(power == 2 ? sum : pow(sum.squareRoot(), power))
        }
        try add("cosine_distance", counts: 2...2) { call in
            guard let product = call.vectors({ $0 * $1 }), let first = call.vectors({ first, _ in first * first }),
                let second = call.vectors({ $1 * $1 })
            else { return call.context.resultNull() }
            // NaN, if one of them is the zero vector, becomes NULL.
            call.context.resultDouble(1 - product / (first * second).squareRoot())
        }
    }
}

extension FunctionCall {
    /// Returns the sum of a function of the components of two vectors, in order; `nil` if the arguments are not arrays of equal length
    /// (Vector search DF-1, DF-3).
    fileprivate func vectors(_ term: (Double, Double) -> Double) -> Double? {
        guard case .array(let first) = self[0], case .array(let second) = self[1], first.count == second.count else { return nil }
        var sum = 0.0
        for index in 0..<first.count { sum += term(first.component(index), second.component(index)) }
        return sum
    }

    /// Notes that the key of an index may differ from the output, which contains a value whose type the key loses.
    fileprivate func noteTags(in output: UnsafeRawBufferPointer) {
        guard !environment.isAnsweringQuery, let pairs = Value(root: output)?.dictionary?.pairs else { return }
        if pairs.contains(where: { $0.value.isTagged || $0.value.array != nil || $0.value.dictionary != nil }) {
            environment.noteDifferingKey()
        }
    }

    /// Calls the model whose name is the first argument with the second one, and passes its output to `use`. Does not call `use` if the
    /// function fails.
    fileprivate func withOutput(_ use: (UnsafeRawBufferPointer?) -> Void) {
        let input: FleeceData
        switch self[1] {
        case .missing: return use(nil)
        case .dictionary(let dictionary):
            guard let copy = environment.copy(of: dictionary) else { return use(nil) }
            input = copy
        default: return context.resultError(PredictionFailure.noDictionary)
        }
        guard let place = predictionCall() else {
            return context.resultError(PredictionFailure.unknownModel(arguments[0].text))
        }
        guard ModelCallMark.depth < ModelCallMark.maximumDepth else { return context.resultError(PredictionFailure.tooDeep) }
        guard let output = environment.output(of: place, for: input) else { return use(nil) }
        output.withUnsafeBytes(use)
    }

    /// Returns this place in the running statement, which keeps the model that it has found first; `nil` if there is no such model.
    private func predictionCall() -> PredictionCall? {
        if let known = context.auxiliaryData(at: 0) { return Unmanaged<PredictionCall>.fromOpaque(known).takeUnretainedValue() }
        let name = arguments[0].text
        guard let model = PredictionModels.shared[name] else { return nil }
        let call = PredictionCall(model, named: name, environment.context.file)
        context.setAuxiliaryData(Unmanaged.passRetained(call).toOpaque(), at: 0) { pointer in
            if let pointer { Unmanaged<PredictionCall>.fromOpaque(pointer).release() }
        }
        return call
    }
}

extension FunctionEnvironment {
    /// Returns a copy of a dictionary in memory of its own, because the model may run statements that change what the argument is part of.
    fileprivate func copy(of dictionary: DictionaryValue) -> FleeceData? {
        encoder.reset()
        encoder.writeCopy(of: dictionary, keys: sharedKeys)
        return try? encoder.finishedData()
    }

    fileprivate func output(of call: PredictionCall, for input: FleeceData) -> [UInt8]? {
        context.whileCallingModel {
            guard EngineLog.isEnabled(.verbose, .query) else { return call.model.output(for: input, call) }
            let clock = ContinuousClock()
            let start = clock.now
            let output = call.model.output(for: input, call)
            EngineLog.log(.verbose, .query, "called the predictive model \"\(call.modelName)\" in \(clock.now - start)")
            return output
        }
    }
}

extension Value {
    /// Whether the key of an index loses the type: that of a boolean, or of a number above the range of `Int64`.
    fileprivate var isTagged: Bool { boolean != nil || isUnsigned && (integerBits ?? 0) < 0 }
}

extension ArrayValue {
    /// The component of a vector: 1 or 0 for a boolean, 0 for other items that are not numbers.
    fileprivate func component(_ index: Int) -> Double { self[index].map { QueryValue($0).numericValue } ?? 0 }
}

/// The messages of `prediction` when a statement fails. The app receives them with SQLite's code, as from the original (Vector search D10).
enum PredictionFailure {
    static let noDictionary = "Parameter of prediction() must be a dictionary"
    static let tooDeep = "predictive models are called inside of each other too deeply"
    static let unknownModelStart = "Unknown ML model name '"

    static func unknownModel(_ name: String) -> String { "\(unknownModelStart)\(name)'" }

    /// Returns whether SQLite reports one of these messages.
    static func caused(_ error: SQLiteError) -> Bool {
        error.extendedCode == 1 && [noDictionary, tooDeep, unknownModelStart].contains { error.message.hasPrefix($0) }
    }
}

extension SQLiteError {
    /// Whether a statement has failed because of a call of a predictive model, such as one that is not registered.
    package var isOfPrediction: Bool { PredictionFailure.caused(self) }

    /// Whether an expression calls a predictive model that the app has not registered.
    var isOfMissingModel: Bool { extendedCode == 1 && message.hasPrefix(PredictionFailure.unknownModelStart) }
}
