import Fleece

/// The keys that were set or removed in a dictionary, with their values, in the order in which they were first touched.
///
/// A list, since most dictionaries have few keys: finding one compares words, not strings. Above ``indexedCount`` keys a
/// hash table stands beside it. Nothing is ever taken out, so places stay valid: a removed key keeps its entry.
struct ChangedKeys {
    struct Entry {
        let key: String
        /// Nil when the key was removed.
        var value: PropertyValue?
        /// The key in the dictionary below, if it is there.
        let baseKey: BaseKey
        /// Whether `value` differs from the one below; not so for a container that was only looked at.
        var isChange: Bool
        let fingerprint: UInt32
    }

    /// How the dictionary below stores a key: the number of a shared key, or one of these.
    struct BaseKey: Equatable {
        let number: Int16

        static let none = BaseKey(number: -2)
        static let string = BaseKey(number: -1)
    }

    /// Up to how many keys the list is searched. A guess, not a measurement.
    private static let indexedCount = 24

    private(set) var entries: [Entry] = []
    /// For each hash, the entry's place plus one, or zero. A power of two, at least twice the number of entries.
    private var index: [UInt32] = []

    var isEmpty: Bool { entries.isEmpty }

    mutating func reserveCapacity(_ count: Int) {
        entries.reserveCapacity(count)
    }

    /// The place of `key`.
    @inline(__always)
    func place(of key: UnsafeRawBufferPointer, fingerprint: UInt32) -> Int? {
        guard index.isEmpty else { return indexedPlace(of: key, fingerprint: fingerprint) }
        for place in entries.indices where entries[place].fingerprint == fingerprint {
            if isEntry(place, key) { return place }
        }
        return nil
    }

    /// The place of `key`.
    func place(of key: String) -> Int? {
        guard !entries.isEmpty else { return nil }
        var key = key
        return key.withUTF8 { bytes in
            let bytes = UnsafeRawBufferPointer(bytes)
            return place(of: bytes, fingerprint: Self.fingerprint(bytes))
        }
    }

    subscript(place: Int) -> Entry { entries[place] }

    mutating func set(_ value: PropertyValue?, at place: Int, isChange: Bool) {
        entries[place].value = value
        if isChange { entries[place].isChange = true }
    }

    /// Adds an entry for a key that has none.
    mutating func append(_ entry: Entry) {
        // One block of memory for nearly all dictionaries, rather than one for each of the first doublings.
        if entries.isEmpty { entries.reserveCapacity(8) }
        entries.append(entry)
        if !index.isEmpty, entries.count * 2 <= index.count {
            enter(entries.count - 1)
        } else if entries.count > Self.indexedCount {
            index = [UInt32](repeating: 0, count: (entries.count * 4).nextPowerOfTwo)
            for place in entries.indices { enter(place) }
        }
    }

    /// A number that tells nearly all keys apart.
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

    /// Keys are equal when their bytes are; equality of strings would take different spellings of a character as one.
    private func isEntry(_ place: Int, _ key: UnsafeRawBufferPointer) -> Bool {
        var entryKey = entries[place].key
        return entryKey.withUTF8 { compareBytes(UnsafeRawBufferPointer($0), key) == 0 }
    }
}

extension Int {
    fileprivate var nextPowerOfTwo: Int { 1 << (Int.bitWidth - (self - 1).leadingZeroBitCount) }
}
