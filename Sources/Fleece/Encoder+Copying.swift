/// Copies values byte for byte like Couchbase Lite when it passes them to SQL (Storage format 5.7).
///
/// Such copies are the keys of indexes. Another program finds an entry by computing the copy again, so no byte may differ: in contrast to
/// written values, numbers keep their stored form, and short numbers are stored in wide slots.
extension Encoder {
    /// Writes a deep copy of a value. Its keys are written as strings.
    ///
    /// `finish` throws if the data is nested too deeply, expands excessively by shared containers, or uses unknown keys.
    ///
    /// - Parameter keys: The shared keys of the value.
    package mutating func writeCopy(of value: Value, keys: SharedKeys) {
        var budget = ValueBudget(for: value)
        writeCopy(of: value, keys: keys, depth: 0, budget: &budget)
    }

    /// Writes a deep copy of an array, like ``writeCopy(of:keys:)-(Value,_)``.
    package mutating func writeCopy(of array: ArrayValue, keys: SharedKeys) {
        var budget = ValueBudget(forBytes: Int(array.end))
        writeCopy(of: array, keys: keys, depth: 1, budget: &budget)
    }

    /// Writes a deep copy of a dictionary, like ``writeCopy(of:keys:)-(Value,_)``.
    package mutating func writeCopy(of dictionary: DictionaryValue, keys: SharedKeys) {
        var budget = ValueBudget(forBytes: Int(dictionary.end))
        writeCopy(of: dictionary, keys: keys, depth: 1, budget: &budget)
    }

    private mutating func writeCopy(of value: Value, keys: SharedKeys, depth: Int, budget: inout ValueBudget) {
        guard error == nil else { return }
        guard budget.take() else { return fail(.tooManyValues) }
        switch value.tag {
        case 0, 3: writeInline(value, size: 2)
        case 1:
            let size = 2 + Int(value.firstByte & 0x07)
            size <= 4 ? writeInline(value, size: size) : writeOutOfLine(value, size: size)
        case 2: writeOutOfLine(value, size: value.firstByte & 0x08 != 0 ? 10 : 6)
        case 4:
            guard let bytes = value.stringBytes else { return fail(.truncated) }
            guard budget.take(bytes: bytes.count) else { return fail(.tooManyValues) }
            write(utf8: bytes)
        case 5:
            guard let bytes = value.dataBytes else { return fail(.truncated) }
            guard budget.take(bytes: bytes.count) else { return fail(.tooManyValues) }
            write(data: bytes)
        case 6:
            guard depth < Limits.maximumDepth else { return fail(.tooDeep) }
            guard let array = value.array else { return fail(.truncated) }
            writeCopy(of: array, keys: keys, depth: depth + 1, budget: &budget)
        case 7:
            guard depth < Limits.maximumDepth else { return fail(.tooDeep) }
            guard let dictionary = value.dictionary else { return fail(.truncated) }
            writeCopy(of: dictionary, keys: keys, depth: depth + 1, budget: &budget)
        default: fail(.badPointer)
        }
    }

    private mutating func writeCopy(of array: ArrayValue, keys: SharedKeys, depth: Int, budget: inout ValueBudget) {
        beginArray()
        for index in 0..<array.count {
            guard let item = array[index] else { return fail(.badPointer) }
            writeCopy(of: item, keys: keys, depth: depth, budget: &budget)
        }
        endArray()
    }

    /// The pairs are written in the order of the source, which determines the positions of their parts, and then sorted by key.
    private mutating func writeCopy(of dictionary: DictionaryValue, keys: SharedKeys, depth: Int, budget: inout ValueBudget) {
        guard budget.take(dictionary.overlayCost) else { return fail(.tooManyValues) }
        beginDictionary()
        for (key, value) in dictionary.pairs {
            if case .string(let bytes) = key, !budget.take(bytes: bytes.count) { return fail(.tooManyValues) }
            copyKey(key, from: .other(keys))
            writeCopy(of: value, keys: keys, depth: depth, budget: &budget)
        }
        endDictionary()
    }

    /// Whether the open container is known to have wide slots, whose pointers can reach everything.
    var isInWideContainer: Bool { depth > 0 && containers[depth &- 1].isWide }

    /// Copies the bytes of a value of up to four bytes into a slot.
    private mutating func writeInline(_ value: Value, size: Int) {
        guard size <= value.available else { return fail(.truncated) }
        var bits: UInt32 = 0
        for index in 0..<4 {
            let byte: UInt8 =
                index < size ? value.base.load(fromByteOffset: Int(value.offset) + index, as: UInt8.self) : 0
            bits = bits << 8 | UInt32(byte)
        }
        add(Item(bits: bits, isPointer: false))
        if size > 2, depth > 0 { containers[depth &- 1].isWide = true }
    }

    /// Copies the bytes of a number to a position before the container.
    private mutating func writeOutOfLine(_ value: Value, size: Int) {
        guard size <= value.available else { return fail(.truncated) }
        addOutOfLine()
        reserve(size)
        guard error == nil else { return }
        (out + count).copyMemory(from: value.base + Int(value.offset), byteCount: size)
        count &+= size
    }
}
