import Fleece
import SQLiteEngine

extension FunctionRegistrar {
    /// Registers the functions that take one array (Query 3.10). `array_of` and `array_contains` are in ``addContainerFunctions()``.
    func addArrayFunctions() throws {
        try add("array_avg", counts: 1...1) { call in
            guard case .array(let array) = call[0], array.count > 0 else { return call.context.resultDouble(0) }
            call.context.resultDouble(array.numericValues.reduce(0, +) / Double(array.count))
        }
        try add("array_sum", counts: 1...1) { call in
            guard case .array(let array) = call[0] else { return call.context.resultDouble(0) }
            call.context.resultDouble(array.numericValues.reduce(0, +))
        }
        try addExtreme("array_max") { $0.max() }
        try addExtreme("fl_array_max") { $0.max() }
        try addExtreme("array_min") { $0.min() }
        try add("array_count", counts: 1...1) { call in
            guard case .array = call[0], let count = call[0].countOfValues else { return call.context.resultInt64(0) }
            call.context.resultInt64(Int64(count))
        }
        // The same as `fl_count`, of a value that is computed.
        try add("fl_value_count", counts: 1...1) { call in
            guard let count = call[0].countOfValues else { return call.context.resultNull() }
            call.context.resultInt64(Int64(count))
        }
        try add("array_length", counts: 1...1) { call in
            guard case .array(let array) = call[0] else { return call.context.resultInt64(0) }
            call.context.resultInt64(Int64(array.count))
        }
        for name in ["array_ifnull", "fl_tagged_array_ifnull"] {
            try add(name, counts: 1...1) { call in
                guard case .array(let array) = call[0],
                    let item = (0..<array.count).lazy.compactMap({ array[$0] }).first(where: { !$0.isNull })
                else { return call.context.resultJSONNull() }
                call.resultItem(item, isTagged: name != "array_ifnull")
            }
        }
    }

    private func addExtreme(_ name: String, _ choose: @escaping ([Double]) -> Double?) throws {
        try add(name, counts: 1...1) { call in
            guard case .array(let array) = call[0], let extreme = choose(array.numericValues) else {
                return call.context.resultJSONNull()
            }
            // The original starts with the smallest positive number as the maximum, and the keys of indexes reproduce that (Query 5.13).
            guard call.isOfIndex(name == "array_max"), extreme < .leastNormalMagnitude else { return call.context.resultDouble(extreme) }
            call.environment.noteDifferingKey()
            call.context.resultDouble(.leastNormalMagnitude)
        }
    }
}

extension ArrayValue {
    fileprivate var numericValues: [Double] { (0..<count).map { self[$0].map { QueryValue($0).numericValue } ?? 0 } }
}

extension FunctionCall {
    /// Sets the result to an item of an array or dictionary.
    ///
    /// - Parameter isTagged: Whether a number above the range of `Int64` keeps its tag.
    func resultItem(_ item: Value, isTagged: Bool) {
        isTagged ? context.resultTagged(item, environment) : context.result(QueryValue(item), environment)
    }
}
