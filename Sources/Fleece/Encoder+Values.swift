extension Encoder {
    /// Determines how the keys of a copied value are interpreted.
    package enum SourceKeys {
        /// The value uses the shared keys of this encoder. Key numbers are copied unchanged.
        case same
        /// The value uses another list of shared keys, in which its keys are looked up.
        case other(SharedKeys)
    }

    /// Writes a deep copy of `value`.
    ///
    /// The types of numbers are kept. `finish` throws if the data is nested too deeply, expands excessively by shared containers, or uses
    /// unknown keys.
    package mutating func write(_ value: Value, keys: SourceKeys) {
        var budget = ValueBudget(for: value)
        write(value, keys: keys, budget: &budget)
    }

    /// Like ``write(_:keys:)``, with a budget shared by several copies from the same data.
    package mutating func write(_ value: Value, keys: SourceKeys, budget: inout ValueBudget) {
        write(value, keys: keys, depth: 0, budget: &budget)
    }

    private mutating func write(_ value: Value, keys: SourceKeys, depth: Int, budget: inout ValueBudget) {
        guard error == nil else { return }
        guard budget.take() else { return fail(.tooManyValues) }
        switch value.type {
        case .null, .undefined: value.isUndefined ? writeUndefined() : writeNull()
        case .boolean: write(value.boolean == true)
        case .number: writeNumber(value)
        case .string:
            guard let bytes = value.stringBytes else { return fail(.truncated) }
            guard budget.take(bytes: bytes.count) else { return fail(.tooManyValues) }
            write(utf8: bytes)
        case .data:
            guard let bytes = value.dataBytes else { return fail(.truncated) }
            guard budget.take(bytes: bytes.count) else { return fail(.tooManyValues) }
            write(data: bytes)
        case .array:
            guard depth < Limits.maximumDepth else { return fail(.tooDeep) }
            guard let array = value.array else { return fail(.truncated) }
            beginArray()
            for index in 0..<array.count {
                guard let item = array[index] else { return fail(.badPointer) }
                write(item, keys: keys, depth: depth + 1, budget: &budget)
            }
            endArray()
        case .dictionary:
            guard depth < Limits.maximumDepth else { return fail(.tooDeep) }
            guard let dictionary = value.dictionary else { return fail(.truncated) }
            write(dictionary, keys: keys, depth: depth + 1, budget: &budget)
        }
    }

    private mutating func write(_ dictionary: DictionaryValue, keys: SourceKeys, depth: Int, budget: inout ValueBudget) {
        guard budget.take(dictionary.overlayCost) else { return fail(.tooManyValues) }
        beginDictionary()
        for (key, value) in dictionary.pairs {
            if case .string(let bytes) = key, !budget.take(bytes: bytes.count) { return fail(.tooManyValues) }
            copyKey(key, from: keys)
            write(value, keys: keys, depth: depth, budget: &budget)
        }
        endDictionary()
    }

    /// Copies the key of the next value from other data.
    package mutating func copyKey(_ key: DictionaryKey, from keys: SourceKeys) {
        switch (key, keys) {
        case (.shared(let number), .same): writeKey(shared: number)
        case (.shared(let number), .other(let source)):
            guard let text = source[number] else { return fail(.unknownSharedKey(number)) }
            writeKey(text)
        case (.string(let bytes), _): writeKey(utf8: bytes)
        }
    }

    private mutating func writeNumber(_ value: Value) {
        if let bits = value.integerBits {
            value.isUnsigned ? write(unsigned: UInt64(bitPattern: bits)) : write(bits)
        } else if let number = value.floatingPoint {
            value.isDouble ? write(number) : write(Float(number))
        } else {
            fail(.truncated)
        }
    }
}
