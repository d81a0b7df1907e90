import Fleece

/// Values that are equal have to be encoded in the same bytes, because SQL compares containers by these (Query 3.4). So keys
/// are written as strings and in order, and numbers in one of their possible forms.
extension Encoder {
    /// Writes a copy of a value. One that nests too deep or cannot be read makes `finish` throw.
    ///
    /// - Parameter keys: What the numbers of its keys stand for.
    mutating func writeCanonical(_ value: Value, keys: SharedKeys) {
        var budget = ValueBudget(for: value)
        writeCanonical(value, keys: keys, depth: 0, budget: &budget)
    }

    /// Writes a value of a query; nothing for MISSING.
    mutating func writeCanonical(_ value: QueryValue) {
        switch value {
        case .missing: break
        case .null: writeNull()
        case .boolean(let flag): write(flag)
        case .integer(let number): write(number)
        case .unsigned(let number): write(unsigned: number)
        case .double(let number): number.isNaN ? writeNull() : write(number)
        case .string(let bytes): write(utf8: bytes)
        case .data(let bytes): write(data: bytes)
        case .array(let array):
            var budget = ValueBudget(for: Value(base: array.base, offset: 0, end: array.end))
            write(array, keys: .empty, depth: 1, budget: &budget)
        case .dictionary(let dictionary):
            var budget = ValueBudget(for: Value(base: dictionary.base, offset: 0, end: dictionary.end))
            write(dictionary, keys: .empty, depth: 1, budget: &budget)
        }
    }

    private mutating func writeCanonical(_ value: Value, keys: SharedKeys, depth: Int, budget: inout ValueBudget) {
        guard budget.take() else { return writeUnreadable() }
        switch QueryValue(value) {
        case .array(let array):
            guard depth < Limits.maximumDepth else { return writeUnreadable() }
            write(array, keys: keys, depth: depth + 1, budget: &budget)
        case .dictionary(let dictionary):
            guard depth < Limits.maximumDepth else { return writeUnreadable() }
            write(dictionary, keys: keys, depth: depth + 1, budget: &budget)
        case .string(let bytes):
            guard budget.take(bytes: bytes.count) else { return writeUnreadable() }
            write(utf8: bytes)
        case .data(let bytes):
            guard budget.take(bytes: bytes.count) else { return writeUnreadable() }
            write(data: bytes)
        case let scalar:
            writeCanonical(scalar)
        }
    }

    private mutating func write(_ array: ArrayValue, keys: SharedKeys, depth: Int, budget: inout ValueBudget) {
        beginArray()
        for index in 0..<array.count {
            guard let item = array[index] else { return writeUnreadable() }
            writeCanonical(item, keys: keys, depth: depth, budget: &budget)
        }
        endArray()
    }

    private mutating func write(_ dictionary: DictionaryValue, keys: SharedKeys, depth: Int, budget: inout ValueBudget)
    {
        guard budget.take(dictionary.overlayCost) else { return writeUnreadable() }
        var pairs = dictionary.pairs
        // Keys with numbers come first, so without one there the keys are strings, and in order.
        if case .shared? = pairs.first?.key { pairs.sort { keys.isOrdered($0.key, $1.key) } }
        beginDictionary()
        for (key, value) in pairs {
            copyKey(key, from: .other(keys))
            writeCanonical(value, keys: keys, depth: depth, budget: &budget)
        }
        endDictionary()
    }

    /// Makes `finish` throw: not-a-number is the one value that cannot be written.
    private mutating func writeUnreadable() {
        write(Double.nan)
    }
}
