/// A key of at most sixteen bytes as two machine words, which can be compared and hashed quickly.
@frozen
public struct KeyWords: Equatable {
    /// The first eight bytes of the key, filled up with zeros.
    public let low: UInt64
    /// The bytes of the key after the first eight, filled up with zeros.
    public let high: UInt64

    /// Loads `count` bytes, at most sixteen, without reading beyond them.
    @inlinable
    public init(_ bytes: UnsafeRawPointer, count: Int) {
        if count >= 8 {
            low = bytes.loadUnaligned(as: UInt64.self)
            high =
                count == 8
                ? 0
                : bytes.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
                    &>> UInt64(truncatingIfNeeded: (16 &- count) &* 8)
        } else if count >= 4 {
            let head = UInt64(bytes.loadUnaligned(as: UInt32.self))
            let tail = UInt64(bytes.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self))
            low = head | tail &<< UInt64(truncatingIfNeeded: (count &- 4) &* 8)
            high = 0
        } else {
            var word: UInt64 = 0
            for index in 0..<count {
                let byte = UInt64(bytes.load(fromByteOffset: index, as: UInt8.self))
                word |= byte &<< UInt64(truncatingIfNeeded: index &* 8)
            }
            low = word
            high = 0
        }
    }

    /// Returns a hash. The length of the key must be given, because keys that differ only in zeros at the end have equal words.
    @inlinable
    public func hash(count: Int) -> Int {
        var mixed = (low ^ (high &* 0x9E37_79B9_7F4A_7C15)) &+ UInt64(truncatingIfNeeded: count)
        mixed = (mixed ^ (mixed &>> 32)) &* 0xD6E8_FEB8_6659_FD93
        return Int(truncatingIfNeeded: mixed ^ (mixed &>> 32))
    }
}

/// An append-only list of short strings with a hash index. Keys longer than sixteen bytes are not in the index and are searched linearly.
/// Only damaged tables contain them.
public struct KeyTable: ~Copyable {
    /// A key, in the form in which it is compared.
    @frozen
    public struct Entry {
        /// The bytes of the key.
        public let words: KeyWords
        /// The length of the key in bytes; −1 for a key that is not in the index.
        public let count: Int

        @inlinable
        public init(words: KeyWords, count: Int) {
            self.words = words
            self.count = count
        }
    }

    /// The keys in the order of their numbers. The table owns the memory, which has room for ``capacity`` keys.
    public var entries: UnsafeMutablePointer<Entry>
    /// Maps hashes to the entry's index plus one, or zero if the place is free. Its size is a power of two, at least twice the capacity.
    public var index: UnsafeMutablePointer<UInt16>
    /// The number of keys for which memory is allocated. It grows when it is reached.
    public var capacity: Int
    /// The texts of the keys in the order of their numbers.
    public private(set) var strings: [String]

    init(_ strings: [String], capacity: Int) {
        self.capacity = max(capacity, strings.count, 16)
        entries = .allocate(capacity: self.capacity)
        index = .allocate(capacity: Self.indexSize(self.capacity))
        index.initialize(repeating: 0, count: Self.indexSize(self.capacity))
        self.strings = []
        self.strings.reserveCapacity(self.capacity)
        for string in strings { append(string) }
    }

    deinit {
        entries.deallocate()
        index.deallocate()
    }

    /// Returns the size of the index of a table with this capacity.
    @inlinable
    public static func indexSize(_ capacity: Int) -> Int {
        1 &<< (Int.bitWidth &- (capacity &* 2 &- 1).leadingZeroBitCount)
    }

    /// The size of ``index`` minus one: with it, the lowest bits of a hash are the position where the search begins.
    @inlinable
    public var mask: Int { Self.indexSize(capacity) &- 1 }

    /// Returns the number of a key in UTF-8; `nil` if the table does not contain it.
    @inlinable
    public func number(of key: UnsafeRawBufferPointer) -> Int? {
        guard let bytes = key.baseAddress, key.count > 0, key.count <= SharedKeys.maximumKeyLength else { return slowNumber(of: key) }
        let words = KeyWords(bytes, count: key.count)
        let mask = mask
        var position = words.hash(count: key.count) & mask
        while true {
            let candidate = Int(index[position])
            if candidate == 0 { return nil }
            let entry = entries[candidate &- 1]
            if entry.words == words, entry.count == key.count { return candidate &- 1 }
            position = (position &+ 1) & mask
        }
    }

    /// Returns the number of a key that is not in the index; `nil` if the table does not contain it.
    ///
    /// - Complexity: O(*n*).
    public func slowNumber(of key: UnsafeRawBufferPointer) -> Int? {
        strings.firstIndex { $0.utf8.count == key.count && $0.utf8.elementsEqual(key) }
    }

    /// Appends `string`, which gets the next number. If it is in the list already, lookups still return the first number.
    mutating func append(_ string: String) {
        if strings.count == capacity { grow() }
        var string = string
        let entry = string.withUTF8 { bytes in
            let raw = UnsafeRawBufferPointer(bytes)
            guard let start = raw.baseAddress, raw.count <= SharedKeys.maximumKeyLength else {
                return Entry(words: KeyWords(UnsafeRawPointer(index), count: 0), count: -1)
            }
            return Entry(words: KeyWords(start, count: raw.count), count: raw.count)
        }
        entries[strings.count] = entry
        strings.append(string)
        if entry.count > 0 { insert(entry, number: strings.count) }
    }

    private mutating func insert(_ entry: Entry, number: Int) {
        var position = entry.words.hash(count: entry.count) & mask
        while index[position] != 0 {
            let other = entries[Int(index[position]) - 1]
            if other.words == entry.words, other.count == entry.count { return }
            position = (position + 1) & mask
        }
        index[position] = UInt16(number)
    }

    private mutating func grow() {
        capacity *= 2
        entries.enlarge(to: capacity, keeping: strings.count)
        index.deallocate()
        index = .allocate(capacity: Self.indexSize(capacity))
        index.initialize(repeating: 0, count: Self.indexSize(capacity))
        for number in 0..<strings.count where entries[number].count > 0 { insert(entries[number], number: number + 1) }
    }
}
