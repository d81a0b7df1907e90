import Fleece
import SQLiteEngine

extension FunctionRegistrar {
    /// Registers the constructors of arrays and dictionaries, and the containment tests.
    func addContainerFunctions() throws {
        try add("array_of", counts: nil) { call in
            call.context.resultContainer(call.environment) { encoder in
                encoder.beginArray()
                for index in 0..<call.count { encoder.write(call[index]) }
                encoder.endArray()
            }
        }
        try add("dict_of", counts: nil) { call in
            guard call.count.isMultiple(of: 2) else { return call.context.resultError("dict_of() takes pairs of a key and a value") }
            call.context.resultContainer(call.environment) { encoder in
                encoder.beginDictionary()
                for index in stride(from: 0, to: call.count, by: 2) where !call[index + 1].isMissing {
                    encoder.writeKey(utf8: call.arguments[index].textBytes)
                    encoder.write(call[index + 1])
                }
                _ = encoder.endDictionaryCheckingKeys()
            }
        }
        try addDirectly("fl_contains", 3...3) { context, count, values in
            FunctionContext(context).resultContainment(FunctionArguments(count, values), hasOriginalName: true)
        }
        try addDirectly("fl_contains_exactly", 3...3) { context, count, values in
            FunctionContext(context).resultContainment(FunctionArguments(count, values), hasOriginalName: false)
        }
        for name in ["array_contains", "array_contains_exactly"] {
            try add(name, counts: 2...2) { call in
                let array = call[0]
                // MISSING takes precedence over null, as in other functions.
                if array.isMissing || array.isNull && call[1].isMissing { return call.context.resultNull() }
                if case .dictionary = array { return call.context.resultJSONNull() }
                call.context.resultContainment(of: call[1], in: array, name == "array_contains" ? call.environment : nil)
            }
        }
    }
}

extension ArrayValue {
    @inline(__always)
    fileprivate func contains(text: UnsafeRawBufferPointer) -> Bool {
        // The first byte holds the type and the length, or 15 if the length follows separately (Storage format 1.4). Comparing it rejects
        // most other values.
        let long: UInt8 = 0x4F
        let header = UInt8(0x40 | Swift.min(text.count, 15))
        for index in 0..<count {
            guard let item = self[index], item.firstByte == header || item.firstByte == long else { continue }
            if let bytes = item.payload, bytes.count == text.count, compareBytes(bytes, text) == 0 { return true }
        }
        return false
    }
}

extension FunctionContext {
    /// Like ``resultContainment(of:in:_:)``, for the value at a path of a document, or for the first argument itself if the path is NULL.
    @inline(__always)
    fileprivate func resultContainment(_ arguments: FunctionArguments, hasOriginalName: Bool) {
        var environment: FunctionEnvironment? { hasOriginalName ? userData(as: FunctionEnvironment.self) : nil }
        guard !arguments[1].isNull else {
            return resultContainment(of: QueryValue(arguments[2]), in: QueryValue(arguments[0]), environment)
        }
        withValue(in: bodyRoot(arguments[0]), atPathIn: 1, arguments, self) { value in
            // Fast path for the most common case, a string in an array.
            if arguments[2].type == .text, let array = value?.array {
                return resultBoolean(array.contains(text: arguments[2].textBytes))
            }
            let collection = value.map { QueryValue($0) } ?? .missing
            resultContainment(of: QueryValue(arguments[2]), in: collection, environment)
        }
    }

    /// Sets the result to whether a collection contains a scalar (Query 3.6, 3.10): to null if it is not a collection, to MISSING if the
    /// scalar is MISSING, to null if the scalar is null.
    ///
    /// - Parameter environment: The environment if the result may be a key of an index, for which numbers are compared as in the original.
    fileprivate func resultContainment(of target: QueryValue, in collection: QueryValue, _ environment: FunctionEnvironment?) {
        switch collection {
        case .array, .dictionary: break
        default: return resultJSONNull()
        }
        let isOfIndex = environment.map { !$0.isAnsweringQuery } ?? false
        // The original finds MISSING and null in no other way.
        if target.isMissing { return resultNull() }
        if target.isNull { return resultJSONNull() }
        let isContained = collection.contains { target.equalsScalar($0) }
        guard isOfIndex else { return resultBoolean(isContained) }
        let key = collection.contains { target.equalsScalarInIndex($0) }
        if key != isContained { environment?.noteDifferingKey() }
        resultBoolean(key)
    }
}

extension QueryValue {
    /// Returns whether a value in the array or dictionary satisfies the test.
    @inline(__always)
    fileprivate func contains(_ test: (Value) -> Bool) -> Bool {
        switch self {
        case .array(let array): (0..<array.count).contains(where: { array[$0].map(test) ?? false })
        case .dictionary(let dictionary): dictionary.containsValue(where: test)
        default: false
        }
    }

    /// Whether a value is the same number or string. Booleans count as numbers; values of other types are never equal.
    @inline(__always)
    fileprivate func equalsScalar(_ value: Value) -> Bool {
        switch self {
        case .string(let bytes):
            guard let other = value.stringBytes, other.count == bytes.count else { return false }
            return compareBytes(bytes, other) == 0
        case .boolean(let flag): return QueryValue.integer(flag ? 1 : 0).equalsNumber(QueryValue(value))
        case .integer, .unsigned, .double: return equalsNumber(QueryValue(value))
        default: return false
        }
    }

    /// The same in the key of an index: the original compares an integer with the integral parts of the numbers (Query 5.13).
    @inline(__always)
    fileprivate func equalsScalarInIndex(_ value: Value) -> Bool {
        let number: Int64
        switch self {
        case .integer(let integer): number = integer
        case .boolean(let flag): number = flag ? 1 : 0
        case .double(let double):
            guard case .unsigned(let other) = QueryValue(value) else { return equalsScalar(value) }
            return UInt64(exactly: double) == other
        default: return equalsScalar(value)
        }
        return value.integerBits.map { $0 == number } ?? ((value.type == .number || value.type == .boolean) && value.int64 == number)
    }

    /// Whether two numbers are equal. A number above the range of `Int64` counts as the nearest floating-point number.
    func equalsNumber(_ other: QueryValue) -> Bool {
        switch (self, other) {
        case (_, .boolean(let flag)): equalsNumber(.integer(flag ? 1 : 0))
        case (.unsigned(let left), _): QueryValue.double(Double(left)).equalsNumber(other)
        case (_, .unsigned(let right)): equalsNumber(.double(Double(right)))
        case (.integer(let left), .integer(let right)): left == right
        case (.double(let left), .double(let right)): left == right
        case (.integer(let left), .double(let right)): Int64(exactly: right) == left
        case (.double(let left), .integer(let right)): Int64(exactly: left) == right
        default: false
        }
    }
}
