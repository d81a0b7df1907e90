extension Encoder {
    /// Determines how the keys of a copied value are interpreted.
    public enum SourceKeys {
        /// The value uses the shared keys of this encoder. Key numbers are copied unchanged.
        case same
        /// The value uses another list of shared keys, in which its keys are looked up.
        case other(SharedKeys)
    }

    /// Writes a deep copy of `value`.
    ///
    /// The types of numbers are kept. `finish` throws if the data is nested too deeply, expands excessively by shared containers, or uses
    /// unknown keys.
    public mutating func write(_ value: Value, keys: SourceKeys) {
        var budget = ValueBudget(for: value)
        write(value, keys: keys, budget: &budget)
    }

    /// Like ``write(_:keys:)``, with a budget shared by several copies from the same data.
    public mutating func write(_ value: Value, keys: SourceKeys, budget: inout ValueBudget) {
        copy(value, keys: keys, isExact: false, depth: 0, budget: &budget)
    }

    /// - Parameter isExact: Whether numbers keep their stored form, as for ``writeCopy(of:keys:)-(Value,_)``.
    mutating func copy(_ value: Value, keys: SourceKeys, isExact: Bool, depth: Int, budget: inout ValueBudget) {
        guard error == nil else { return }
        guard budget.consume() else { return fail(.tooManyValues) }
        switch value.tag {
        case 4, 5:
            guard let bytes = value.payload else { return fail(.truncated) }
            guard budget.consume(bytes: bytes.count) else { return fail(.tooManyValues) }
            value.tag == 4 ? write(utf8: bytes) : write(data: bytes)
        case 6:
            guard depth < Limits.maximumDepth else { return fail(.tooDeep) }
            guard let array = value.array else { return fail(.truncated) }
            copy(array, keys: keys, isExact: isExact, depth: depth + 1, budget: &budget)
        case 7:
            guard depth < Limits.maximumDepth else { return fail(.tooDeep) }
            guard let dictionary = value.dictionary else { return fail(.truncated) }
            copy(dictionary, keys: keys, isExact: isExact, depth: depth + 1, budget: &budget)
        default:
            isExact ? writeStoredForm(of: value) : writeScalar(value)
        }
    }

    mutating func copy(_ array: ArrayValue, keys: SourceKeys, isExact: Bool, depth: Int, budget: inout ValueBudget) {
        beginArray()
        for index in 0..<array.count {
            guard let item = array[index] else { return fail(.badPointer) }
            copy(item, keys: keys, isExact: isExact, depth: depth, budget: &budget)
        }
        endArray()
    }

    /// The pairs are written in the order of the source, which determines the positions of their parts, and then sorted by key.
    mutating func copy(_ dictionary: DictionaryValue, keys: SourceKeys, isExact: Bool, depth: Int, budget: inout ValueBudget) {
        guard budget.consume(dictionary.overlayCost) else { return fail(.tooManyValues) }
        beginDictionary()
        for (key, value) in dictionary.pairs {
            if case .string(let bytes) = key, !budget.consume(bytes: bytes.count) { return fail(.tooManyValues) }
            copyKey(key, from: keys)
            copy(value, keys: keys, isExact: isExact, depth: depth, budget: &budget)
        }
        endDictionary()
    }

    /// Copies the key of the next value from other data.
    public mutating func copyKey(_ key: DictionaryKey, from keys: SourceKeys) {
        switch (key, keys) {
        case (.shared(let number), .same): writeKey(shared: number)
        case (.shared(let number), .other(let source)):
            guard let text = source[number] else { return fail(.unknownSharedKey(number)) }
            writeKey(text)
        case (.string(let bytes), _): writeKey(utf8: bytes)
        }
    }

    private mutating func writeScalar(_ value: Value) {
        guard value.tag < 3 else {
            if let boolean = value.boolean { return write(boolean) }
            return value.isUndefined ? writeUndefined() : writeNull()
        }
        if let bits = value.integerBits {
            value.isUnsigned ? write(unsigned: UInt64(bitPattern: bits)) : write(bits)
        } else if let number = value.floatingPoint {
            value.isDouble ? write(number) : write(Float(number))
        } else {
            fail(.truncated)
        }
    }
}
