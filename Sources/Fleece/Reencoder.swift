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
        // Every level goes once more through all it contains.
        var budget = ValueBudget(for: root, times: Limits.maximumDepth)
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
            try write(dictionary, at: value.position, depth: depth, budget: &budget, into: &encoder)
        } else {
            encoder.write(value, keys: .same, budget: &budget)
        }
    }

    /// Above this many pairs the order in which they were written is only approximated: finding it takes quadratic time.
    private static let mostOrderedPairs = 4096

    private struct Pair {
        let key: DictionaryKey
        let value: Value
        /// Where the key lies, then, in ascending order, what belongs to the value: the order in which it is written.
        let places: [Int]
        /// The highest of `places`.
        let last: Int
        /// The first of `places` that has not been written yet.
        var next = 0
    }

    /// Writes the pairs in the order in which they were written first.
    ///
    /// The next one is always the one that wrote what lies where the encoder stands now. Several can begin there, when they
    /// share a short string: then the one that ends first, since what the others wrote lies behind it. Pairs that wrote
    /// nothing of their own may come last.
    private static func write(
        _ dictionary: DictionaryValue,
        at position: Int,
        depth: Int,
        budget: inout ValueBudget,
        into encoder: inout Encoder
    ) throws(FleeceError) {
        var pairs: [Pair] = []
        pairs.reserveCapacity(dictionary.pairCount)
        for index in 0..<dictionary.pairCount {
            guard let key = dictionary.key(at: index), let value = dictionary.slot(index * 2 + 1).value else {
                throw FleeceError(.badPointer, at: position)
            }
            var keyPlaces: [Int] = []
            var valuePlaces: [Int] = []
            collectPlaces(dictionary.slot(index * 2), into: &keyPlaces, budget: &budget)
            collectPlaces(dictionary.slot(index * 2 + 1), into: &valuePlaces, budget: &budget)
            let places = keyPlaces + valuePlaces.sorted()
            pairs.append(Pair(key: key, value: value, places: places, last: places.max() ?? 0))
        }
        encoder.beginDictionary()
        if pairs.count > mostOrderedPairs { pairs.sort { $0.last > $1.last } }
        while !pairs.isEmpty {
            let index =
                pairs.count > mostOrderedPairs ? pairs.count - 1 : next(of: &pairs, at: encoder.alignedPosition())
            pairs.swapAt(index, pairs.count - 1)
            let pair = pairs.removeLast()
            encoder.copyKey(pair.key, from: .same)
            try write(pair.value, depth: depth + 1, budget: &budget, into: &encoder)
        }
        encoder.endDictionary()
    }

    private static func next(of pairs: inout [Pair], at position: Int) -> Int {
        var best = 0
        var bestPlace = (Int.max, Int.max)
        for index in pairs.indices {
            while pairs[index].next < pairs[index].places.count, pairs[index].places[pairs[index].next] < position {
                pairs[index].next += 1
            }
            guard pairs[index].next < pairs[index].places.count else { continue }
            let place = (pairs[index].places[pairs[index].next], pairs[index].last)
            if place < bestPlace {
                best = index
                bestPlace = place
            }
        }
        return best
    }

    private static func collectPlaces(_ slot: Slot, into places: inout [Int], budget: inout ValueBudget) {
        // Without budget the places are incomplete, but writing ends in an error anyway.
        guard slot.isPointer, let value = slot.value, budget.take() else { return }
        places.append(value.position)
        if let array = value.array {
            for index in 0..<array.count {
                let width: UInt32 = array.isWide ? 4 : 2
                let position = array.first + UInt32(truncatingIfNeeded: index) * width
                let item = Slot(base: array.base, position: position, end: array.end, isWide: array.isWide)
                collectPlaces(item, into: &places, budget: &budget)
            }
        } else if let dictionary = value.dictionary {
            for index in 0..<(dictionary.pairCount * 2) {
                collectPlaces(dictionary.slot(index), into: &places, budget: &budget)
            }
        }
    }
}
