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
    private let cache = LazyContainerCache(keepsFirst: true)

    /// Creates empty contents.
    init(isMutable: Bool) {
        source = nil
        base = nil
        self.isMutable = isMutable
    }

    /// Creates contents over the encoded dictionary `base`, which must be part of the source's data. Empty if `base` is not a dictionary.
    init(source: FleeceSource, base: Value?, isMutable: Bool) {
        self.source = source
        self.base = base?.type == .dictionary ? base : nil
        self.isMutable = isMutable
    }

    /// Returns a mutable copy, nested containers included.
    borrowing func mutableCopy() -> DictionaryContents {
        guard let source else {
            var copy = DictionaryContents(isMutable: true)
            copy.changes = copiedChanges()
            return copy
        }
        var copy = DictionaryContents(source: source, base: base, isMutable: true)
        copy.changes = copiedChanges()
        return copy
    }

    private borrowing func copiedChanges() -> ChangedKeys {
        var copy = changes
        for place in changes.entries.indices {
            if let container = changes[place].value?.containerCopy { copy.set(container, at: place, isChange: false) }
        }
        return copy
    }

    // MARK: Reading

    /// Returns the value for `key`; `nil` if there is none.
    func value(forKey key: String) -> PropertyValue? {
        if !changes.isEmpty, let place = changes.place(of: key) { return changes[place].value }
        guard let base, let source else { return nil }
        return base.dictionary?.value(for: key, sharedKeys: source.sharedKeys).map(PropertyValue.stored)
    }

    /// The number of keys.
    var count: Int {
        var count = base?.dictionary?.count ?? 0
        for entry in changes.entries {
            if entry.baseKey == .none {
                if entry.value != nil { count += 1 }
            } else if entry.value == nil {
                count -= 1
            }
        }
        return count
    }

    /// The keys: first the stored ones in stored order, then the added ones.
    var keys: [String] {
        var keys: [String] = []
        if let source, let dictionary = base?.dictionary {
            keys.reserveCapacity(dictionary.pairCount + changes.entries.count)
            dictionary.forEach { key, _ in
                guard let text = key.text(source.sharedKeys) else { return }
                if let place = changes.place(of: text), changes[place].value == nil { return }
                keys.append(text)
            }
        }
        for entry in changes.entries where entry.baseKey == .none && entry.value != nil { keys.append(entry.key) }
        return keys
    }

    /// Returns the blob or immutable container for `key`; the same object each time while it is referenced elsewhere.
    func object(forKey key: String) -> PropertyObject? {
        guard let value = value(forKey: key) else { return nil }
        return cache.object(of: value, in: source)
    }

    /// Whether anything here or in a nested container differs from the stored data.
    var hasChanges: Bool { changes.entries.contains { $0.isChange || $0.value?.hasChanges == true } }

    // MARK: Changing

    mutating func reserveCapacity(_ count: Int) { changes.reserveCapacity(count) }

    /// Returns what ``object(forKey:)`` returns, but with mutable containers. They replace the encoded ones, so that
    /// changes to them change this dictionary.
    mutating func mutableObject(forKey key: String) -> PropertyObject? {
        guard case .stored(let value) = value(forKey: key), let source, !source.isBlob(value) else { return object(forKey: key) }
        guard let container = source.makeMutableContainer(for: value) else { return nil }
        set(container.propertyValue, forKey: key, isChange: false)
        return container
    }

    /// Sets the value for `key`, or removes it if `value` is `nil`.
    mutating func set(_ value: PropertyValue?, forKey key: String, isChange: Bool = true) {
        var key = key
        let (place, fingerprint) = key.withUTF8 { bytes in
            let bytes = UnsafeRawBufferPointer(bytes)
            let fingerprint = ChangedKeys.fingerprint(bytes)
            return (changes.place(of: bytes, fingerprint: fingerprint), fingerprint)
        }
        if let place { return changes.set(value, at: place, isChange: isChange) }
        let baseKey = baseKey(key)
        if value == nil, baseKey == .none { return }
        changes.append(.init(key: key, value: value, baseKey: baseKey, isChange: isChange, fingerprint: fingerprint))
    }

    private func baseKey(_ key: String) -> ChangedKeys.BaseKey {
        guard let dictionary = base?.dictionary, let source,
            dictionary.value(for: key, sharedKeys: source.sharedKeys) != nil
        else { return .none }
        return source.sharedKeys.number(of: key).map { ChangedKeys.BaseKey(number: Int16($0)) } ?? .string
    }
}
