import Fleece

/// The keys of a dictionary that were set or removed, with their values, in the order in which they were first changed.
///
/// Most dictionaries have few keys, so entries are searched linearly: that compares integers, not strings. Above ``indexedCount`` keys a
/// hash table is added. Entries are never removed, so their indices stay valid: a removed key keeps its entry.
struct ChangedKeys {
    struct Entry {
        let key: String
        /// The new value; `nil` if the key was removed.
        var value: PropertyValue?
        /// How the underlying dictionary stores the key, or `none` if it does not contain it.
        let baseKey: BaseKey
        /// Whether `value` differs from the stored one. `false` for a nested container that was only read.
        var isChange: Bool
        let fingerprint: UInt32
    }

    /// How the underlying dictionary stores a key: the number of a shared key, or one of these constants.
    struct BaseKey: Equatable {
        let number: Int16

        static var none: BaseKey { BaseKey(number: -2) }
        static var string: BaseKey { BaseKey(number: -1) }
    }

    /// The number of keys up to which entries are searched linearly. An estimate, not measured.
    private static var indexedCount: Int { 24 }

    private(set) var entries: [Entry] = []
    /// A hash table: in each slot the index of an entry plus one, or zero if it is empty. The size is a power of two,
    /// at least twice the number of entries.
    private var index: [UInt32] = []

    var isEmpty: Bool { entries.isEmpty }

    mutating func reserveCapacity(_ count: Int) { entries.reserveCapacity(count) }

    /// Returns the index of the entry for `key`.
    @inline(__always)
    func place(of key: UnsafeRawBufferPointer, fingerprint: UInt32) -> Int? {
        guard index.isEmpty else { return indexedPlace(of: key, fingerprint: fingerprint) }
        for place in entries.indices where entries[place].fingerprint == fingerprint {
            if isEntry(place, key) { return place }
        }
        return nil
    }

    /// Returns the index of the entry for `key`.
    func place(of key: String) -> Int? {
        guard !entries.isEmpty else { return nil }
        var key = key
        return key.withUTF8 { bytes in
            let bytes = UnsafeRawBufferPointer(bytes)
            return place(of: bytes, fingerprint: Self.fingerprint(bytes))
        }
    }

    /// Returns the index of the entry for a key that the underlying dictionary stores as the number of a shared key.
    func place(ofShared number: Int, in keys: SharedKeys) -> Int? {
        if !index.isEmpty {
            return keys.withBytes(of: number) { indexedPlace(of: $0, fingerprint: Self.fingerprint($0)) } ?? nil
        }
        let baseKey = BaseKey(number: Int16(truncatingIfNeeded: number))
        return entries.firstIndex { $0.baseKey == baseKey }
    }

    subscript(place: Int) -> Entry { entries[place] }

    mutating func set(_ value: PropertyValue?, at place: Int, isChange: Bool) {
        entries[place].value = value
        if isChange { entries[place].isChange = true }
    }

    /// Adds an entry for a key that has none.
    mutating func append(_ entry: Entry) {
        // Reserving 8 entries gives most dictionaries a single allocation, instead of one for each of the first doublings.
        if entries.isEmpty { entries.reserveCapacity(8) }
        entries.append(entry)
        if !index.isEmpty, entries.count * 2 <= index.count {
            enter(entries.count - 1)
        } else if entries.count > Self.indexedCount {
            index = [UInt32](repeating: 0, count: (entries.count * 4).nextPowerOfTwo)
            for place in entries.indices { enter(place) }
        }
    }

    /// Returns a hash of `key` that is distinct for nearly all keys.
    @inline(__always)
    static func fingerprint(_ key: UnsafeRawBufferPointer) -> UInt32 {
        guard let start = key.baseAddress else { return 0 }
        let count = key.count
        var hash = KeyWords(start, count: min(count, 16)).hash(count: count)
        if count > 16 { hash ^= KeyWords(start + (count &- 16), count: 16).hash(count: 0) &* 31 }
        return UInt32(truncatingIfNeeded: hash)
    }

    private func indexedPlace(of key: UnsafeRawBufferPointer, fingerprint: UInt32) -> Int? {
        let mask = index.count - 1
        var slot = Int(fingerprint) & mask
        while index[slot] != 0 {
            let place = Int(index[slot]) - 1
            if entries[place].fingerprint == fingerprint, isEntry(place, key) { return place }
            slot = (slot + 1) & mask
        }
        return nil
    }

    private mutating func enter(_ place: Int) {
        let mask = index.count - 1
        var slot = Int(entries[place].fingerprint) & mask
        while index[slot] != 0 { slot = (slot + 1) & mask }
        index[slot] = UInt32(place + 1)
    }

    /// Returns whether the entry is for `key`. Keys are compared by bytes: equality of `String` would treat different
    /// encodings of a character as equal.
    private func isEntry(_ place: Int, _ key: UnsafeRawBufferPointer) -> Bool {
        var entryKey = entries[place].key
        return entryKey.withUTF8 { compareBytes(UnsafeRawBufferPointer($0), key) == 0 }
    }
}

extension Int {
    fileprivate var nextPowerOfTwo: Int { 1 << (Int.bitWidth - (self - 1).leadingZeroBitCount) }
}
