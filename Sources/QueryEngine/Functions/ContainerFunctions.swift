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
            FunctionContext(context).resultContainment(FunctionArguments(count, values), truncates: true)
        }
        try addDirectly("fl_contains_exactly", 3...3) { context, count, values in
            FunctionContext(context).resultContainment(FunctionArguments(count, values), truncates: false)
        }
        for (name, truncates) in [("array_contains", true), ("array_contains_exactly", false)] {
            try add(name, counts: 2...2) { call in
                let array = call[0]
                // MISSING takes precedence over null, as in other functions.
                if array.isMissing || array.isNull && call[1].isMissing { return call.context.resultNull() }
                if case .dictionary = array { return call.context.resultJSONNull() }
                call.context.resultContainment(of: call[1], in: array, truncates: truncates)
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
    /// Like ``resultContainment(of:in:truncates:)``, for the value at a path of a document, or for the first argument itself if the path is
    /// NULL.
    @inline(__always)
    fileprivate func resultContainment(_ arguments: FunctionArguments, truncates: Bool) {
        guard !arguments[1].isNull else {
            return resultContainment(of: QueryValue(arguments[2]), in: QueryValue(arguments[0]), truncates: truncates)
        }
        withValue(in: bodyRoot(arguments[0]), atPathIn: 1, arguments, self) { value in
            // Fast path for the most common case, a string in an array.
            if arguments[2].type == .text, let array = value?.array {
                return resultBoolean(array.contains(text: arguments[2].textBytes))
            }
            let collection = value.map { QueryValue($0) } ?? .missing
            resultContainment(of: QueryValue(arguments[2]), in: collection, truncates: truncates)
        }
    }

    /// Sets the result to whether a collection contains a scalar (Query 3.6, 3.10): to null if it is not a collection, to MISSING if the
    /// scalar is MISSING, to null if the scalar is null.
    ///
    /// - Parameter truncates: Whether an integer is compared with the integral parts of the numbers, as the original does.
    fileprivate func resultContainment(of target: QueryValue, in collection: QueryValue, truncates: Bool) {
        let target = truncates ? target.asTruncatingTarget : .exactly(target)
        switch collection {
        case .array(let array):
            guard acceptsTarget(target) else { return }
            for index in 0..<array.count {
                if let item = array[index], target.matches(item) { return resultBoolean(true) }
            }
            resultBoolean(false)
        case .dictionary(let dictionary):
            guard acceptsTarget(target) else { return }
            resultBoolean(dictionary.containsValue { target.matches($0) })
        default:
            resultJSONNull()
        }
    }

    private func acceptsTarget(_ target: ContainmentTarget) -> Bool {
        guard case .exactly(let value) = target else { return true }
        if value.isMissing { resultNull() } else if value.isNull { resultJSONNull() } else { return true }
        return false
    }
}

/// The scalar to find in a collection.
private enum ContainmentTarget {
    case exactly(QueryValue)
    /// Matches each number or boolean with this integral part.
    case integralPart(Int64)

    @inline(__always)
    func matches(_ value: Value) -> Bool {
        switch self {
        case .exactly(let target): target.equalsScalar(value)
        case .integralPart(let number):
            value.integerBits.map { $0 == number }
                ?? ((value.type == .number || value.type == .boolean) && value.int64 == number)
        }
    }
}

extension QueryValue {
    fileprivate var asTruncatingTarget: ContainmentTarget {
        switch self {
        case .integer(let number): .integralPart(number)
        case .boolean(let flag): .integralPart(flag ? 1 : 0)
        default: .exactly(self)
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

    /// Whether two numbers are mathematically equal.
    func equalsNumber(_ other: QueryValue) -> Bool {
        switch (self, other) {
        case (_, .boolean(let flag)): equalsNumber(.integer(flag ? 1 : 0))
        case (.integer(let left), .integer(let right)): left == right
        case (.unsigned(let left), .unsigned(let right)): left == right
        case (.double(let left), .double(let right)): left == right
        case (.integer(let left), .double(let right)): Int64(exactly: right) == left
        case (.double(let left), .integer(let right)): Int64(exactly: left) == right
        case (.unsigned(let left), .double(let right)): UInt64(exactly: right) == left
        case (.double(let left), .unsigned(let right)): UInt64(exactly: left) == right
        default: false
        }
    }
}
