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
    public mutating func writeCopy(of value: Value, keys: SharedKeys) {
        var budget = ValueBudget(for: value)
        copy(value, keys: .other(keys), isExact: true, depth: 0, budget: &budget)
    }

    /// Writes a deep copy of an array, like ``writeCopy(of:keys:)-(Value,_)``.
    public mutating func writeCopy(of array: ArrayValue, keys: SharedKeys) {
        var budget = ValueBudget(forBytes: Int(array.end))
        copy(array, keys: .other(keys), isExact: true, depth: 1, budget: &budget)
    }

    /// Writes a deep copy of a dictionary, like ``writeCopy(of:keys:)-(Value,_)``.
    public mutating func writeCopy(of dictionary: DictionaryValue, keys: SharedKeys) {
        var budget = ValueBudget(forBytes: Int(dictionary.end))
        copy(dictionary, keys: .other(keys), isExact: true, depth: 1, budget: &budget)
    }

    mutating func writeStoredForm(of value: Value) {
        switch value.tag {
        case 0, 3: writeInline(value, size: 2)
        case 1:
            let size = 2 + Int(value.firstByte & 0x07)
            size <= 4 ? writeInline(value, size: size) : writeOutOfLine(value, size: size)
        case 2: writeOutOfLine(value, size: value.firstByte & 0x08 != 0 ? 10 : 6)
        default: fail(.badPointer)
        }
    }

    /// Whether the open container is known to have wide slots, whose pointers can reach everything.
    var isInWideContainer: Bool { depth > 0 && containers[depth &- 1].isWide }

    /// Copies the bytes of a value of up to four bytes into a slot.
    private mutating func writeInline(_ value: Value, size: Int) {
        guard size <= value.available else { return fail(.truncated) }
        var bits: UInt32 = 0
        for index in 0..<4 {
            let byte: UInt8 = index < size ? value.base.load(fromByteOffset: Int(value.offset) + index, as: UInt8.self) : 0
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
