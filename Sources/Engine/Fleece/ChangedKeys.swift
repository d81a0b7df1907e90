/// The keys of a dictionary that were set or removed, in the order in which they were first changed. The owner keeps the new values in a
/// list with the same indices.
///
/// Most dictionaries have few keys, so entries are searched linearly: that compares integers, not strings. Above ``indexedCount`` keys a
/// hash table is added. Entries are never removed, so their indices stay valid: a removed key keeps its entry.
@frozen
public struct ChangedKeys {
    /// A key that was set, removed, or read as the key of a nested container.
    @frozen
    public struct Entry {
        /// The text of the key, also if the underlying dictionary stores its number.
        public let key: String
        /// How the underlying dictionary stores the key, or `none` if it does not contain it.
        public let baseKey: BaseKey
        /// Whether the key has no value anymore.
        public var isRemoved: Bool
        /// Whether the value differs from the stored one. `false` for a nested container that was only read.
        public var isChange: Bool
        /// A hash of the key, which is compared before the key itself.
        public let fingerprint: UInt32

        @inlinable
        init(key: String, baseKey: BaseKey, isRemoved: Bool, isChange: Bool, fingerprint: UInt32) {
            (self.key, self.baseKey, self.fingerprint) = (key, baseKey, fingerprint)
            (self.isRemoved, self.isChange) = (isRemoved, isChange)
        }
    }

    /// How the underlying dictionary stores a key: the number of a shared key, or one of these constants.
    @frozen
    public struct BaseKey: Equatable {
        /// The number of the shared key; −1 for ``string``, −2 for ``none``.
        public let number: Int16

        @inlinable
        init(number: Int16) { self.number = number }

        /// The underlying dictionary does not contain the key.
        @inlinable
        public static var none: BaseKey { BaseKey(number: -2) }

        /// The underlying dictionary stores the key as a string.
        @inlinable
        public static var string: BaseKey { BaseKey(number: -1) }
    }

    /// The number of keys up to which entries are searched linearly. An estimate, not measured.
    @inlinable
    static var indexedCount: Int { 24 }

    /// The entries, in the order in which their keys were first changed.
    public var entries: [Entry] = []
    /// A hash table: in each slot the index of an entry plus one, or zero if it is empty. The size is a power of two,
    /// at least twice the number of entries.
    @usableFromInline var index: [UInt32] = []

    @inlinable
    public init() {}

    /// Whether there are no entries. An entry need not be a change; see ``hasChange``.
    @inlinable
    public var isEmpty: Bool { entries.isEmpty }

    /// Whether the value of a key differs from the stored one.
    @inlinable
    public var hasChange: Bool { entries.contains { $0.isChange } }

    /// The number of keys that were added, less those that were removed.
    public var countDifference: Int {
        var difference = 0
        for place in entries.indices where entries[place].isRemoved != (entries[place].baseKey == .none) {
            difference += entries[place].isRemoved ? -1 : 1
        }
        return difference
    }

    /// Returns the keys: first those of the underlying dictionary in stored order, then the added ones.
    public func keys(over dictionary: DictionaryValue?, sharedKeys: SharedKeys) -> [String] {
        var keys: [String] = []
        if let dictionary {
            keys.reserveCapacity(dictionary.pairCount + entries.count)
            dictionary.forEach { key, _ in
                guard let text = key.text(sharedKeys) else { return }
                if let place = self.place(of: text), entries[place].isRemoved { return }
                keys.append(text)
            }
        }
        for entry in entries where entry.baseKey == .none && !entry.isRemoved { keys.append(entry.key) }
        return keys
    }

    // MARK: Finding

    /// Returns the index of the entry for `key`.
    @inlinable @inline(__always)
    public func place(of key: UnsafeRawBufferPointer, fingerprint: UInt32) -> Int? {
        guard index.isEmpty else { return indexedPlace(of: key, fingerprint: fingerprint) }
        for place in entries.indices where entries[place].fingerprint == fingerprint {
            if isEntry(place, key) { return place }
        }
        return nil
    }

    /// Returns the index of the entry for `key`.
    @inlinable
    public func place(of key: String) -> Int? {
        guard !entries.isEmpty else { return nil }
        return key.withUTF8Bytes { place(of: $0, fingerprint: Self.fingerprint($0)) }
    }

    /// Returns the index of the entry for a key of the underlying dictionary, whose shared keys are `keys`.
    @inlinable
    public func place(ofStored key: DictionaryKey, in keys: SharedKeys) -> Int? {
        switch key {
        case .shared(let number):
            if !index.isEmpty {
                return keys.withBytes(of: number) { indexedPlace(of: $0, fingerprint: Self.fingerprint($0)) } ?? nil
            }
            let baseKey = BaseKey(number: Int16(truncatingIfNeeded: number))
            return entries.firstIndex { $0.baseKey == baseKey }
        case .string(let bytes): return place(of: bytes, fingerprint: Self.fingerprint(bytes))
        }
    }

    /// Returns a hash of `key` that is distinct for nearly all keys.
    @inlinable @inline(__always)
    static func fingerprint(_ key: UnsafeRawBufferPointer) -> UInt32 {
        guard let start = key.baseAddress else { return 0 }
        let count = key.count
        var hash = KeyWords(start, count: min(count, 16)).hash(count: count)
        if count > 16 { hash ^= KeyWords(start + (count &- 16), count: 16).hash(count: 0) &* 31 }
        return UInt32(truncatingIfNeeded: hash)
    }

    @usableFromInline
    func indexedPlace(of key: UnsafeRawBufferPointer, fingerprint: UInt32) -> Int? {
        let mask = index.count - 1
        var slot = Int(fingerprint) & mask
        while index[slot] != 0 {
            let place = Int(index[slot]) - 1
            if entries[place].fingerprint == fingerprint, isEntry(place, key) { return place }
            slot = (slot + 1) & mask
        }
        return nil
    }

    /// Returns whether the entry is for `key`. Keys are compared by bytes: equality of `String` would treat different
    /// encodings of a character as equal.
    @inlinable
    func isEntry(_ place: Int, _ key: UnsafeRawBufferPointer) -> Bool {
        entries[place].key.withUTF8Bytes { compareBytes($0, key) == 0 }
    }

    // MARK: Changing

    /// Allocates memory for a number of entries, so that adding them does not allocate again.
    @inlinable
    public mutating func reserveCapacity(_ count: Int) { entries.reserveCapacity(count) }

    /// Records that a key was set or removed.
    ///
    /// - Parameters:
    ///   - isChange: Whether the value differs from the stored one.
    ///   - base: The underlying dictionary, whose shared keys are `sharedKeys`.
    /// - Returns: The index of the entry; a new one is the last. `nil` if the key was removed and is not in the underlying dictionary.
    @inlinable
    public mutating func change(_ key: String, isRemoved: Bool, isChange: Bool, base: Value?, sharedKeys: SharedKeys?) -> Int? {
        let (found, fingerprint) = key.withUTF8Bytes { bytes in
            let fingerprint = Self.fingerprint(bytes)
            return (place(of: bytes, fingerprint: fingerprint), fingerprint)
        }
        if let found {
            entries[found].isRemoved = isRemoved
            if isChange { entries[found].isChange = true }
            return found
        }
        let baseKey = Self.baseKey(key, base, sharedKeys)
        if isRemoved, baseKey == .none { return nil }
        append(Entry(key: key, baseKey: baseKey, isRemoved: isRemoved, isChange: isChange, fingerprint: fingerprint))
        return entries.count - 1
    }

    @inlinable
    static func baseKey(_ key: String, _ base: Value?, _ sharedKeys: SharedKeys?) -> BaseKey {
        guard let sharedKeys, base?.dictionary?.value(for: key, sharedKeys: sharedKeys) != nil else { return .none }
        return sharedKeys.number(of: key).map { BaseKey(number: Int16($0)) } ?? .string
    }

    @inlinable
    mutating func append(_ entry: consuming Entry) {
        // Reserving 8 entries gives most dictionaries a single allocation, instead of one for each of the first doublings.
        if entries.isEmpty { entries.reserveCapacity(8) }
        entries.append(entry)
        if !index.isEmpty || entries.count > Self.indexedCount { enterLast() }
    }

    /// Adds the last entry to the hash table, which is created or enlarged if necessary.
    @usableFromInline
    mutating func enterLast() {
        if entries.count * 2 <= index.count { return enter(entries.count - 1) }
        index = [UInt32](repeating: 0, count: (entries.count * 4).nextPowerOfTwo)
        for place in entries.indices { enter(place) }
    }

    private mutating func enter(_ place: Int) {
        let mask = index.count - 1
        var slot = Int(entries[place].fingerprint) & mask
        while index[slot] != 0 { slot = (slot + 1) & mask }
        index[slot] = UInt32(place + 1)
    }
}

extension Int {
    fileprivate var nextPowerOfTwo: Int { 1 << (Int.bitWidth - (self - 1).leadingZeroBitCount) }
}
