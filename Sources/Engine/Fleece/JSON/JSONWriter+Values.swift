extension JSONWriter {
    /// Appends a Fleece value with everything it contains.
    ///
    /// Data values are written as Base64, and `undefined`, which JSON does not support, as `null`. The value may be untrusted: if it is
    /// invalid, nested too deeply or expands excessively, an error is thrown and nothing is appended.
    ///
    /// - Parameter sharedKeys: The shared keys of the value.
    /// - Throws: ``FleeceError``, if the value is invalid.
    public mutating func append(_ value: Value, sharedKeys: SharedKeys = .empty, form: JSONForm = .stored) throws(FleeceError) {
        let beginning = count
        var context = Context(sharedKeys: sharedKeys, isCanonical: form == .canonical, budget: ValueBudget(for: value))
        do throws(FleeceError) {
            try append(value, depth: 0, in: &context)
        } catch {
            count = beginning
            throw error
        }
    }

    /// Appends the members of a Fleece dictionary to the open object, in stored order. If an error is thrown, some may have been appended.
    ///
    /// - Parameters:
    ///   - sharedKeys: The shared keys of the dictionary.
    ///   - includes: Returns whether to append a member, whose name it gets in UTF-8.
    /// - Throws: ``FleeceError``, if the value is not a dictionary or is invalid.
    public mutating func members(
        of value: Value,
        sharedKeys: SharedKeys,
        where includes: (UnsafeRawBufferPointer) -> Bool
    ) throws(FleeceError) {
        guard let dictionary = value.dictionary else { throw FleeceError(.truncated, at: value.position) }
        var context = Context(sharedKeys: sharedKeys, isCanonical: false, budget: ValueBudget(for: value))
        try forEachPair(of: dictionary, at: value.position, in: &context) { writer, key, value, context throws(FleeceError) in
            let isIncluded: Bool? =
                switch key {
                case .string(let bytes): includes(bytes)
                case .shared(let number): sharedKeys.withBytes(of: number, includes)
                }
            if case .shared(let number) = key, isIncluded == nil { throw FleeceError(.unknownSharedKey(number), at: value.position) }
            guard isIncluded == true else { return }
            writer.separate()
            try writer.append(key, at: value.position, in: &context)
            writer.append(ascii: ":")
            try writer.append(value, depth: 1, in: &context)
        }
    }

    /// - Throws: ``FleeceError`` if a key or a value is invalid, and what `body` throws.
    @inline(__always)
    private mutating func forEachPair(
        of dictionary: DictionaryValue,
        at position: Int,
        in context: inout Context,
        _ body: (inout JSONWriter, DictionaryKey, Value, inout Context) throws(FleeceError) -> Void
    ) throws(FleeceError) {
        if context.isCanonical || dictionary.hasParent {
            guard context.budget.consume(dictionary.overlayCost) else { throw FleeceError(.tooManyValues, at: position) }
            var pairs = dictionary.pairs
            if context.isCanonical {
                let sharedKeys = context.sharedKeys
                pairs.sort { sharedKeys.isOrdered($0.key, $1.key) }
            }
            for (key, value) in pairs { try body(&self, key, value, &context) }
        } else {
            for index in 0..<dictionary.pairCount {
                guard let key = dictionary.key(at: index) else { throw FleeceError(.badKey, at: position) }
                guard let value = dictionary.slot(index &* 2 &+ 1).value else { throw FleeceError(.badPointer, at: position) }
                try body(&self, key, value, &context)
            }
        }
    }

    private struct Context {
        let sharedKeys: SharedKeys
        let isCanonical: Bool
        var budget: ValueBudget
    }

    private mutating func append(_ value: Value, depth: Int, in context: inout Context) throws(FleeceError) {
        guard context.budget.consume() else { throw FleeceError(.tooManyValues, at: value.position) }
        switch value.tag {
        case 0:
            append(Int64(value.smallInteger))
        case 1:
            guard let bits = value.longInteger else { throw FleeceError(.truncated, at: value.position) }
            value.isUnsigned ? append(unsigned: UInt64(bitPattern: bits)) : append(bits)
        case 2:
            guard let number = value.floatingPoint else { throw FleeceError(.truncated, at: value.position) }
            value.isDouble ? append(number) : append(Float(number))
        case 3:
            if let boolean = value.boolean { append(boolean) } else { appendNull() }
        case 4, 5:
            guard let bytes = value.payload, context.budget.consume(bytes: bytes.count) else {
                throw FleeceError(value.payload == nil ? .truncated : .tooManyValues, at: value.position)
            }
            value.tag == 4 ? appendString(utf8: bytes) : append(data: bytes)
        case 6:
            guard depth < Limits.maximumDepth else { throw FleeceError(.tooDeep, at: value.position) }
            guard let array = value.array else { throw FleeceError(.truncated, at: value.position) }
            try append(array, at: value.position, depth: depth &+ 1, in: &context)
        case 7:
            guard depth < Limits.maximumDepth else { throw FleeceError(.tooDeep, at: value.position) }
            guard let dictionary = value.dictionary else { throw FleeceError(.truncated, at: value.position) }
            try append(dictionary, at: value.position, depth: depth &+ 1, in: &context)
        default:
            throw FleeceError(.badPointer, at: value.position)
        }
    }

    private mutating func append(_ array: ArrayValue, at position: Int, depth: Int, in context: inout Context) throws(FleeceError) {
        append(ascii: "[")
        for index in 0..<array.count {
            guard let item = array[index] else { throw FleeceError(.badPointer, at: position) }
            if index > 0 { append(ascii: ",") }
            try append(item, depth: depth, in: &context)
        }
        append(ascii: "]")
    }

    private mutating func append(
        _ dictionary: DictionaryValue,
        at position: Int,
        depth: Int,
        in context: inout Context
    ) throws(FleeceError) {
        append(ascii: "{")
        let first = count
        try forEachPair(of: dictionary, at: position, in: &context) { writer, key, value, context throws(FleeceError) in
            if writer.count > first { writer.append(ascii: ",") }
            try writer.append(key, at: position, in: &context)
            writer.append(ascii: ":")
            try writer.append(value, depth: depth, in: &context)
        }
        append(ascii: "}")
    }

    @inline(__always)
    private mutating func append(_ key: DictionaryKey, at position: Int, in context: inout Context) throws(FleeceError) {
        switch key {
        case .string(let bytes):
            guard context.budget.consume(bytes: bytes.count) else { throw FleeceError(.tooManyValues, at: position) }
            appendString(utf8: bytes)
        case .shared(let number):
            let isKnown = context.sharedKeys.withBytes(of: number) { appendString(utf8: $0) } != nil
            guard isKnown else { throw FleeceError(.unknownSharedKey(number), at: position) }
        }
    }
}
