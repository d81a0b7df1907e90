package import Fleece

/// Encodes data again, to find out whether this encoder has written it.
///
/// Fleece only reveals the order in which a dictionary's keys were written by the positions of the values stored outside of the slots. The
/// order is restored from them, as far as it affected the output (see ``WrittenOrder``): data written by this encoder is reproduced byte
/// for byte, and so are the intact documents of releases 2.8 and later (Storage format 1.9).
package enum Reencoder {
    /// Encodes the root of `bytes` again, in the order in which it was written.
    ///
    /// - Throws: ``FleeceError``, if the data is damaged. Also `badKey` for dictionaries that overlay another, which never occur in
    ///   document bodies.
    package static func reencode(_ bytes: UnsafeRawBufferPointer) throws(FleeceError) -> [UInt8] {
        try Validator.validate(bytes)
        guard let root = Value(root: bytes) else { throw FleeceError(.badRoot, at: bytes.count) }
        var encoder = Encoder(capacity: bytes.count)
        // Each nesting level traverses everything it contains once more.
        var budget = ValueBudget(for: root, times: Limits.maximumDepth)
        try write(root, depth: 0, budget: &budget, into: &encoder)
        return try encoder.finishedBytes()
    }

    private static func write(_ value: Value, depth: Int, budget: inout ValueBudget, into encoder: inout Encoder) throws(FleeceError) {
        guard budget.consume() else { throw FleeceError(.tooManyValues, at: value.position) }
        guard depth <= Limits.maximumDepth else { throw FleeceError(.tooDeep, at: value.position) }
        if let array = value.array {
            encoder.beginArray()
            for index in 0..<array.count {
                guard let item = array[index] else { throw FleeceError(.badPointer, at: value.position) }
                try write(item, depth: depth + 1, budget: &budget, into: &encoder)
            }
            encoder.endArray()
        } else if let dictionary = value.dictionary {
            guard !dictionary.hasParent else { throw FleeceError(.badKey, at: value.position) }
            try write(dictionary, at: value.position, depth: depth, budget: &budget, into: &encoder)
        } else {
            encoder.write(value, keys: .same, budget: &budget)
        }
    }

    /// Writes the pairs in the order in which they were written originally, or one that results in the same bytes.
    private static func write(
        _ dictionary: DictionaryValue,
        at position: Int,
        depth: Int,
        budget: inout ValueBudget,
        into encoder: inout Encoder
    ) throws(FleeceError) {
        var order = WrittenOrder(of: dictionary)
        encoder.beginDictionary()
        while let index = order.next(at: encoder.alignedPosition(), budget: &budget) {
            guard let key = dictionary.key(at: index), let value = dictionary.slot(index * 2 + 1).value else {
                throw FleeceError(.badPointer, at: position)
            }
            encoder.copyKey(key, from: .same)
            try write(value, depth: depth + 1, budget: &budget, into: &encoder)
        }
        encoder.endDictionary()
    }
}
