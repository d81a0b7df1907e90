import Fleece

/// The contents of a document or dictionary: stored values that are read in place, and the changes over them.
///
/// Reading one property does not decode the others. Noncopyable, so that it is always used in place in its owner.
struct DictionaryContents: ~Copyable {
    let source: FleeceSource?
    /// The encoded dictionary below the changes, which is part of the source's data.
    let base: Value?
    let isMutable: Bool
    private(set) var changes = ChangedKeys()
    /// The values of the changed keys, with the same indices; null for a key that was removed.
    private(set) var newValues: [PropertyValue] = []
    private let cache = LazyContainerCache(keepsFirst: true)

    /// Creates contents over the encoded dictionary `base`, which must be part of the source's data. Empty if `base` is not a dictionary.
    init(source: FleeceSource? = nil, base: Value? = nil, isMutable: Bool) {
        self.source = source
        self.base = base?.type == .dictionary ? base : nil
        self.isMutable = isMutable
    }

    /// Returns a mutable copy, nested containers included.
    borrowing func mutableCopy() -> DictionaryContents {
        var copy = DictionaryContents(source: source, base: base, isMutable: true)
        (copy.changes, copy.newValues) = (changes, newValues)
        for place in newValues.indices { if let object = newValues[place].object { copy.newValues[place] = .object(object.unshared) } }
        return copy
    }

    // MARK: Reading

    /// Returns the value for `key`; `nil` if there is none.
    func value(forKey key: String) -> PropertyValue? {
        if !changes.isEmpty, let place = changes.place(of: key) { return changes.entries[place].isRemoved ? nil : newValues[place] }
        guard let base, let source else { return nil }
        return base.dictionary?.value(for: key, sharedKeys: source.sharedKeys).map(PropertyValue.stored)
    }

    /// The number of keys.
    var count: Int { (base?.dictionary?.count ?? 0) + changes.countDifference }

    /// The keys: first the stored ones in stored order, then the added ones.
    var keys: [String] { changes.keys(over: base?.dictionary, sharedKeys: source?.sharedKeys ?? .empty) }

    /// Returns the blob or immutable container for `key`; the same object each time while it is referenced elsewhere.
    func object(forKey key: String) -> PropertyObject? {
        guard let value = self.value(forKey: key) else { return nil }
        return cache.object(of: value, in: source)
    }

    /// Whether anything here or in a nested container differs from the stored data.
    var hasChanges: Bool { changes.hasChange || newValues.contains { $0.object?.hasChanges == true } }

    // MARK: Changing

    mutating func reserveCapacity(_ count: Int) {
        changes.reserveCapacity(count)
        newValues.reserveCapacity(count)
    }

    /// Returns what ``object(forKey:)`` returns, but with mutable containers. They replace the encoded ones, so that
    /// changes to them change this dictionary.
    mutating func mutableObject(forKey key: String) -> PropertyObject? {
        guard case .stored(let value) = value(forKey: key), let source, !source.isBlob(value) else { return object(forKey: key) }
        guard let container = source.makeMutableContainer(for: value) else { return nil }
        set(.object(container), forKey: key, isChange: false)
        return container
    }

    /// Sets the value for `key`.
    mutating func set(_ value: consuming PropertyValue, forKey key: String, isRemoved: Bool = false, isChange: Bool = true) {
        let place = changes.change(key, isRemoved: isRemoved, isChange: isChange, base: base, sharedKeys: source?.sharedKeys)
        guard let place else { return }
        if place < newValues.count { return newValues[place] = value }
        // As in `ChangedKeys`, most dictionaries get a single allocation.
        if newValues.isEmpty { newValues.reserveCapacity(8) }
        newValues.append(value)
    }

    /// Removes the value for `key`. Does nothing if there is none.
    mutating func remove(_ key: String) { set(.null, forKey: key, isRemoved: true) }
}
