/// Copies values byte for byte as the original does when it hands them to SQL (Storage format 5.7).
///
/// Such copies are the keys of indexes. Another program finds an entry by computing it again, so none of the bytes may differ:
/// unlike values that are written, numbers keep the form they have in the source, and the shorter ones lie in wide slots.
extension Encoder {
    /// Writes a copy of a value, with all it contains; its keys become strings.
    ///
    /// Data that is too deep, shares containers beyond reason, or uses unknown keys makes `finish` throw.
    ///
    /// - Parameter keys: What the numbers of its keys stand for.
    package mutating func writeCopy(of value: Value, keys: SharedKeys) {
        var budget = ValueBudget(for: value)
        writeCopy(of: value, keys: keys, depth: 0, budget: &budget)
    }

    /// As ``writeCopy(of:keys:)-(Value,_)``, of an array.
    package mutating func writeCopy(of array: ArrayValue, keys: SharedKeys) {
        var budget = ValueBudget(forBytes: Int(array.end))
        writeCopy(of: array, keys: keys, depth: 1, budget: &budget)
    }

    /// As ``writeCopy(of:keys:)-(Value,_)``, of a dictionary.
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

    /// The pairs are written in the order of the source, which decides where their parts lie, and then sorted by their keys.
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

    /// Whether the open container is known to have wide slots, from which everything can be pointed to.
    var isInWideContainer: Bool { depth > 0 && containers[depth &- 1].isWide }

    /// Puts a value of up to four bytes, as it stands, into a slot.
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

    /// Puts a number, as it stands, before the container.
    private mutating func writeOutOfLine(_ value: Value, size: Int) {
        guard size <= value.available else { return fail(.truncated) }
        addOutOfLine()
        reserve(size)
        guard error == nil else { return }
        (out + count).copyMemory(from: value.base + Int(value.offset), byteCount: size)
        count &+= size
    }
}
