import Fleece

/// What a document or dictionary holds: values read in place, and over them what was set and removed.
///
/// Reading one property touches nothing but it. Cannot be copied, so that it is used where it lies in its owner.
struct DictionaryContents: ~Copyable {
    let source: FleeceSource?
    /// The stored dictionary below the changes, a part of the source's data.
    let base: Value?
    let isMutable: Bool
    private(set) var changes = ChangedKeys()
    private let cache = LazyContainerCache(keepsFirst: true)

    /// No values.
    init(isMutable: Bool) {
        source = nil
        base = nil
        self.isMutable = isMutable
    }

    /// The stored dictionary `base`, which must be a part of the source's data. Empty when it is none.
    init(source: FleeceSource, base: Value?, isMutable: Bool) {
        self.source = source
        self.base = base?.type == .dictionary ? base : nil
        self.isMutable = isMutable
    }

    /// The same values, to be changed independently.
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
            switch changes[place].value {
            case .array(let array): copy.set(.array(array.toMutable()), at: place, isChange: false)
            case .dictionary(let dictionary):
                copy.set(.dictionary(dictionary.toMutable()), at: place, isChange: false)
            default: break
            }
        }
        return copy
    }

    // MARK: Reading

    /// The value under `key`; nil when there is none.
    func value(forKey key: String) -> PropertyValue? {
        if !changes.isEmpty, let place = changes.place(of: key) { return changes[place].value }
        guard let base, let source else { return nil }
        return base.dictionary?.value(for: key, sharedKeys: source.sharedKeys).map(PropertyValue.stored)
    }

    /// How many keys there are.
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

    /// The keys: those that are stored in their order, then the added ones.
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

    /// The blob or immutable container under `key`. The identical object every time, as long as somebody keeps it.
    func object(forKey key: String) -> PropertyObject? {
        switch value(forKey: key) {
        case .stored(let value):
            guard let source, value.type == .array || value.type == .dictionary else { return nil }
            return cache.object(for: value, in: source)
        case .blob(let blob): return .blob(blob)
        case .array(let array): return .array(array)
        case .dictionary(let dictionary): return .dictionary(dictionary)
        default: return nil
        }
    }

    /// Whether anything differs from what is stored, here or in a container inside.
    var hasChanges: Bool {
        changes.entries.contains { entry in
            if entry.isChange { return true }
            switch entry.value {
            case .array(let array): return array.contents.hasChanges
            case .dictionary(let dictionary): return dictionary.contents.hasChanges
            default: return false
            }
        }
    }

    // MARK: Changing

    mutating func reserveCapacity(_ count: Int) {
        changes.reserveCapacity(count)
    }

    /// As ``object(forKey:)``, for a mutable dictionary: containers are mutable objects, which from then on stand for
    /// the stored ones, so that changes inside them are seen here.
    mutating func mutableObject(forKey key: String) -> PropertyObject? {
        guard case .stored(let value) = value(forKey: key), let source, !source.isBlob(value) else { return object(forKey: key) }
        switch value.type {
        case .array:
            let array = MutableArrayObject(source: source, value: value)
            set(.array(array), forKey: key, isChange: false)
            return .array(array)
        case .dictionary:
            let dictionary = MutableDictionaryObject(source: source, value: value)
            set(.dictionary(dictionary), forKey: key, isChange: false)
            return .dictionary(dictionary)
        default:
            return nil
        }
    }

    /// Sets or, with nil, removes the value under `key`.
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
        changes.append(ChangedKeys.Entry(key: key, value: value, baseKey: baseKey, isChange: isChange, fingerprint: fingerprint))
    }

    private func baseKey(_ key: String) -> ChangedKeys.BaseKey {
        guard let dictionary = base?.dictionary, let source,
            dictionary.value(for: key, sharedKeys: source.sharedKeys) != nil
        else { return .none }
        return source.sharedKeys.number(of: key).map { ChangedKeys.BaseKey(number: Int16($0)) } ?? .string
    }
}
