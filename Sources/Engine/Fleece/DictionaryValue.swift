import Base

/// A Fleece dictionary, read in place. Its keys are strings, or numbers of shared keys (Storage format 1.6, 1.8).
@frozen
public struct DictionaryValue {
    /// The start of the data, which is borrowed.
    public let base: UnsafeRawPointer
    /// The offset of the first slot from ``base``, in bytes.
    public let first: UInt32
    /// The offset of the end of the data from ``base``, in bytes.
    public let end: UInt32
    /// The number of key/value pairs stored in this dictionary, including the link to a parent.
    public let pairCount: Int
    /// Whether a slot has four bytes instead of two.
    public let isWide: Bool

    /// The stored key of the link from an overlay to its parent: the small integer −2048.
    @inlinable
    public static var parentKey: UInt16 { 0x0800 }

    /// Creates the dictionary. `nil` if `value` is not a dictionary, or its slots extend beyond the data.
    @inlinable @inline(__always)
    public init?(_ value: Value) {
        guard value.tag == 7, let slots = SlotRange(value, slotsPerItem: 2) else { return nil }
        base = value.base
        end = value.end
        first = slots.first
        pairCount = slots.count
        isWide = slots.isWide
    }

    /// Returns a slot: two for each pair, of which the first contains the key. The index is not checked.
    @inlinable @inline(__always)
    public func slot(_ index: Int) -> Slot {
        let position = first &+ UInt32(truncatingIfNeeded: index &* (isWide ? 4 : 2))
        return Slot(base: base, position: position, end: end, isWide: isWide)
    }

    /// The dictionary that this one overlays. `nil` if there is none.
    ///
    /// It must be located completely before this one, so that a chain of parents is finite.
    @inlinable
    public var parent: DictionaryValue? {
        guard hasParent, let value = slot(1).value, let parent = DictionaryValue(value),
            Int(parent.first) + parent.pairCount * (parent.isWide ? 8 : 4) < Int(first)
        else { return nil }
        return parent
    }

    /// Whether the first pair is the link to a parent, so that this dictionary is an overlay.
    @inlinable
    public var hasParent: Bool { pairCount > 0 && slot(0).leadingBits == Self.parentKey }

    /// The value for the shared key with the number `key`.
    @inlinable
    public subscript(sharedKey key: Int) -> Value? {
        @inline(__always) get {
            guard key >= 0, key < SharedKeys.capacity else { return nil }
            let wanted = UInt16(truncatingIfNeeded: key)
            // If documents are similar, the index of a key with a low number is often equal to its number.
            if key < pairCount, slot(key &* 2).leadingBits == wanted { return overlaid(slot(key &* 2 &+ 1).value) }
            if let index = self.index(ofShared: wanted) { return overlaid(slot(index &* 2 &+ 1).value) }
            guard hasParent else { return nil }
            return inherited { $0.index(ofShared: wanted) }
        }
    }

    /// The value for a key stored as a string.
    @inlinable
    public subscript(stringKey key: UnsafeRawBufferPointer) -> Value? {
        if let index = self.index(ofString: key) { return overlaid(slot(index &* 2 &+ 1).value) }
        guard hasParent else { return nil }
        return inherited { $0.index(ofString: key) }
    }

    /// Searches the parents, starting with the nearest. Chains longer than ``Limits/maximumDepth``, which `Validator` rejects, are only
    /// searched up to this length.
    public func inherited(_ indexOfKey: (DictionaryValue) -> Int?) -> Value? {
        var layer = self
        for _ in 0..<Limits.maximumDepth {
            guard let parent = layer.parent else { return nil }
            if let index = indexOfKey(parent) { return parent.slot(index * 2 + 1).value.flatMap { $0.isUndefined ? nil : $0 } }
            layer = parent
        }
        return nil
    }

    /// Returns the index of the pair with a shared key; `nil` if there is none. Does not search the parents.
    ///
    /// - Complexity: O(log *n*).
    @inlinable
    public func index(ofShared wanted: UInt16) -> Int? {
        var low = hasParent ? 1 : 0
        var high = pairCount
        while low < high {
            let middle = (low &+ high) &>> 1
            // Strings and pointers to strings have larger leading bits than all numbers.
            if slot(middle &* 2).leadingBits < wanted { low = middle &+ 1 } else { high = middle }
        }
        return low < pairCount && slot(low &* 2).leadingBits == wanted ? low : nil
    }

    /// Returns the index of the pair with a key that is stored as a string; `nil` if there is none. Does not search the parents.
    ///
    /// - Complexity: O(log *n*).
    @inlinable
    public func index(ofString key: UnsafeRawBufferPointer) -> Int? {
        var low = hasParent ? 1 : 0
        var high = pairCount
        while low < high {
            let middle = (low &+ high) &>> 1
            let order = compare(slot(middle &* 2), key)
            if order == 0 { return middle }
            if order < 0 { low = middle &+ 1 } else { high = middle }
        }
        return nil
    }

    /// Returns the value for `key`. The key is looked up by its number if the table contains it, otherwise as a string.
    @inlinable
    public func value(for key: UnsafeRawBufferPointer, sharedKeys: SharedKeys) -> Value? {
        if let number = sharedKeys.number(of: key) { return self[sharedKey: number] }
        return self[stringKey: key]
    }

    /// Returns the value for `key`. The key is looked up by its number if the table contains it, otherwise as a string.
    @inlinable
    public func value(for key: String, sharedKeys: SharedKeys = .empty) -> Value? {
        key.withUTF8Bytes { value(for: $0, sharedKeys: sharedKeys) }
    }

    /// Returns the value unless it is the `undefined` of an overlay, which hides the parent's value. Elsewhere `undefined` is a value that
    /// is treated as null.
    @inlinable @inline(__always)
    public func overlaid(_ value: Value?) -> Value? {
        guard let value, !value.isUndefined || !hasParent else { return nil }
        return value
    }

    /// Returns a negative number if the key in `slot` sorts before `key`. Numbers sort before all strings.
    @inlinable
    public func compare(_ slot: Slot, _ key: UnsafeRawBufferPointer) -> Int {
        guard slot.leadingBits >= 0x1000, let bytes = slot.value?.stringBytes else { return -1 }
        return compareBytes(bytes, key)
    }
}

/// Compares byte strings like `memcmp`. A prefix sorts before a longer string.
public func compareBytes(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
    let shared = min(left.count, right.count)
    if shared > 0, let a = left.baseAddress, let b = right.baseAddress {
        let order = memcmp(a, b, shared)
        if order != 0 { return Int(order) }
    }
    return left.count - right.count
}
