/// A key as stored in a dictionary.
@frozen
public enum DictionaryKey {
    /// The number of a shared key.
    case shared(Int)
    /// The UTF-8 bytes of a string, which are part of the borrowed data.
    case string(UnsafeRawBufferPointer)

    /// Returns the key's text, or `nil` if the table does not contain its number.
    @inlinable
    public func text(_ sharedKeys: SharedKeys) -> String? {
        switch self {
        case .shared(let number): sharedKeys[number]
        case .string(let bytes): String(decoding: bytes, as: UTF8.self)
        }
    }
}

extension DictionaryValue {
    /// The number of keys.
    ///
    /// - Complexity: O(1). If the dictionary overlays another, linear in the number of pairs of all layers.
    @inlinable
    public var count: Int { hasParent ? overlaidPairs.count : pairCount }

    /// Calls `body` with every key and value, in stored order: shared keys by number, then strings by their bytes.
    ///
    /// Pairs with an invalid key or value are skipped.
    @inlinable
    public func forEach<Failure: Error>(_ body: (DictionaryKey, Value) throws(Failure) -> Void) throws(Failure) {
        if hasParent {
            for (key, value) in overlaidPairs { try body(key, value) }
            return
        }
        for index in 0..<pairCount {
            guard let key = self.key(at: index), let value = slot(index &* 2 &+ 1).value else { continue }
            try body(key, value)
        }
    }

    /// Returns whether a value satisfies `predicate`. Stops at the first one that does.
    @inlinable
    public func containsValue(where predicate: (Value) -> Bool) -> Bool {
        if hasParent { return overlaidPairs.contains { predicate($0.value) } }
        for index in 0..<pairCount {
            guard key(at: index) != nil, let value = slot(index &* 2 &+ 1).value else { continue }
            if predicate(value) { return true }
        }
        return false
    }

    /// All keys and values in stored order, including those inherited from a parent.
    public var pairs: [(key: DictionaryKey, value: Value)] {
        var result: [(key: DictionaryKey, value: Value)] = []
        result.reserveCapacity(pairCount)
        forEach { result.append(($0, $1)) }
        return result
    }

    /// Returns the key of a pair, numbered from 0 in stored order; `nil` if it is neither a number nor a string. The index is not checked.
    @inlinable
    public func key(at index: Int) -> DictionaryKey? {
        let slot = self.slot(index &* 2)
        if slot.leadingBits < 0x0800 { return .shared(Int(slot.leadingBits)) }
        return slot.value?.stringBytes.map { .string($0) }
    }

    /// The parent's pairs overlaid by the pairs of this dictionary (Storage format 1.6, inherited dictionaries). Both are sorted.
    ///
    /// Chains longer than ``Limits/maximumDepth``, which `Validator` rejects, are truncated.
    public var overlaidPairs: [(key: DictionaryKey, value: Value)] {
        var chain = [self]
        while chain.count <= Limits.maximumDepth, let parent = chain[chain.count - 1].parent { chain.append(parent) }
        var result: [(key: DictionaryKey, value: Value)] = []
        for layer in chain.reversed() { result = layer.overlay(on: result) }
        return result
    }

    /// The approximate number of pairs that are copied to apply overlays. Zero if the dictionary has no parent. Used for a ``ValueBudget``.
    public var overlayCost: Int {
        guard hasParent else { return 0 }
        var sizes = [pairCount]
        var layer = self
        while sizes.count <= Limits.maximumDepth, let parent = layer.parent {
            sizes.append(parent.pairCount)
            layer = parent
        }
        // The pairs of the n-th parent are copied n times.
        return sizes.enumerated().reduce(0) { $0 + ($1.offset + 1) * $1.element }
    }

    private func overlay(on inherited: [(key: DictionaryKey, value: Value)]) -> [(key: DictionaryKey, value: Value)] {
        var result: [(key: DictionaryKey, value: Value)] = []
        result.reserveCapacity(inherited.count + pairCount)
        var next = 0
        for index in (hasParent ? 1 : 0)..<pairCount {
            guard let key = self.key(at: index), let value = slot(index * 2 + 1).value else { continue }
            while next < inherited.count, inherited[next].key.isOrdered(before: key) {
                result.append(inherited[next])
                next += 1
            }
            if next < inherited.count, !key.isOrdered(before: inherited[next].key) { next += 1 }
            if !value.isUndefined { result.append((key, value)) }
        }
        result.append(contentsOf: inherited[next...])
        return result
    }
}

extension DictionaryKey {
    func isOrdered(before other: DictionaryKey) -> Bool {
        switch (self, other) {
        case (.shared(let left), .shared(let right)): left < right
        case (.shared, .string): true
        case (.string, .shared): false
        case (.string(let left), .string(let right)): compareBytes(left, right) < 0
        }
    }
}
