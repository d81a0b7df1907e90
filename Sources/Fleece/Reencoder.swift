/// Tells whether data is what this encoder would have written, by writing it again.
///
/// Fleece keeps the order in which a dictionary's keys were written only in the places of what is stored outside the
/// slots. From these the order is restored, as far as it made a difference; the bytes of an intact document of releases
/// 2.8 and later come out the same (Storage format 11).
package enum Reencoder {
    /// Writes the root of `bytes` again, in the order of the first writing.
    ///
    /// - Throws: ``FleeceError`` when the data is damaged. `badKey` also for dictionaries that overlay another, which no
    ///   document body contains.
    package static func reencode(_ bytes: UnsafeRawBufferPointer) throws(FleeceError) -> [UInt8] {
        try Validator.validate(bytes)
        guard let root = Value(root: bytes) else { throw FleeceError(.badRoot, at: bytes.count) }
        var encoder = Encoder(capacity: bytes.count)
        var budget = ValueBudget(for: root)
        try write(root, depth: 0, budget: &budget, into: &encoder)
        return try encoder.finishedBytes()
    }

    private static func write(
        _ value: Value,
        depth: Int,
        budget: inout ValueBudget,
        into encoder: inout Encoder
    ) throws(FleeceError) {
        guard budget.take() else { throw FleeceError(.tooManyValues, at: value.position) }
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
            encoder.beginDictionary()
            for pair in try pairsInWrittenOrder(dictionary, at: value.position) {
                encoder.copyKey(pair.key, from: .same)
                try write(pair.value, depth: depth + 1, budget: &budget, into: &encoder)
            }
            encoder.endDictionary()
        } else {
            encoder.write(value, keys: .same, budget: &budget)
        }
    }

    private struct Pair {
        let key: DictionaryKey
        let value: Value
        /// The higher of the places of key and value: what the pair itself wrote, if it wrote anything, since strings that
        /// are stored once lie where an earlier pair wrote them.
        let last: Int
        /// The other place; when two pairs share `last`, the one that wrote it also wrote what lies just before.
        let other: Int
        let isValueLast: Bool
    }

    private static func pairsInWrittenOrder(
        _ dictionary: DictionaryValue,
        at position: Int
    ) throws(FleeceError) -> [Pair] {
        var pairs: [Pair] = []
        pairs.reserveCapacity(dictionary.pairCount)
        for index in 0..<dictionary.pairCount {
            let keySlot = dictionary.slot(index * 2)
            let valueSlot = dictionary.slot(index * 2 + 1)
            guard let key = dictionary.key(at: index), let value = valueSlot.value else {
                throw FleeceError(.badPointer, at: position)
            }
            let keyPlace = keySlot.isPointer ? keySlot.value?.position ?? -1 : -1
            let valuePlace = valueSlot.isPointer ? value.position : -1
            pairs.append(
                Pair(
                    key: key,
                    value: value,
                    last: max(keyPlace, valuePlace),
                    other: keyPlace == valuePlace ? -1 : min(keyPlace, valuePlace),
                    isValueLast: valuePlace > keyPlace
                )
            )
        }
        return pairs.sorted { left, right in
            if left.last != right.last { return left.last < right.last }
            if left.other != right.other { return left.other > right.other }
            return left.isValueLast && !right.isValueLast
        }
    }
}
