/// A snapshot of the list of dictionary keys to which a database has assigned numbers (Storage format 1.8).
///
/// A key's number is its index in the list. The list only grows, so a later list can read all data written with an earlier one.
public final class SharedKeys: @unchecked Sendable {
    // `@unchecked Sendable` because the table is not sendable. This is safe because it is never changed after `init`.
    /// The list, with an index for lookups.
    public let table: KeyTable

    /// An empty list, for data that does not belong to documents.
    public static let empty = SharedKeys([])

    /// The maximum number of keys in a list.
    @inlinable
    public static var capacity: Int { 2048 }

    /// The maximum length of a shared key, in bytes.
    @inlinable
    public static var maximumKeyLength: Int { 16 }

    /// Creates a list. The number of a key is its index in `keys`.
    public init(_ keys: [String]) { table = KeyTable(keys, capacity: keys.count) }

    /// The keys in the order of their numbers.
    public var keys: [String] { table.strings }

    /// The number of keys in the list. All numbers below it are valid.
    @inlinable
    public var count: Int { table.strings.count }

    /// The key with a number. `nil` if the number is not in the list.
    @inlinable
    public subscript(number: Int) -> String? {
        number >= 0 && number < table.strings.count ? table.strings[number] : nil
    }

    /// Returns the number of a key, given as UTF-8, or `nil` if the list does not contain it.
    @inlinable
    public func number(of key: UnsafeRawBufferPointer) -> Int? { table.number(of: key) }

    /// Returns the number of a key, or `nil` if the list does not contain it.
    public func number(of key: String) -> Int? { key.withUTF8Bytes { table.number(of: $0) } }

    /// Calls `body` with the UTF-8 of the key with a number. Returns `nil` without calling `body` if the number is not in the list.
    @inline(__always)
    public func withBytes<Result>(of number: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result? {
        guard number >= 0, number < table.strings.count else { return nil }
        let entry = table.entries + number
        if entry.pointee.count >= 0 {
            // The entry's two words contain the key's bytes. They are not moved as long as this list exists.
            return withExtendedLifetime(self) {
                body(UnsafeRawBufferPointer(start: UnsafeRawPointer(entry), count: entry.pointee.count))
            }
        }
        return table.strings[number].withUTF8Bytes(body)
    }

    /// Returns whether one key's text sorts before another's. Unknown numbers sort first.
    public func isOrdered(_ left: DictionaryKey, _ right: DictionaryKey) -> Bool {
        withText(of: left) { left in withText(of: right) { compareBytes(left, $0) < 0 } }
    }

    /// Calls `body` with the UTF-8 of a stored key, or with an empty buffer if its number is unknown.
    public func withText<Result>(of key: DictionaryKey, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        switch key {
        case .string(let bytes): body(bytes)
        case .shared(let number):
            withBytes(of: number, body) ?? body(UnsafeRawBufferPointer(start: nil, count: 0))
        }
    }

    /// Decodes the stored form: a Fleece array of strings.
    ///
    /// - Throws: ``FleeceError``, if the data is damaged, contains values other than strings, or more than ``capacity`` strings.
    public convenience init(encoded bytes: UnsafeRawBufferPointer) throws(FleeceError) {
        try Validator.validate(bytes)
        guard let array = Value(root: bytes)?.array, array.count <= Self.capacity else { throw FleeceError(.badRoot, at: bytes.count) }
        var keys: [String] = []
        keys.reserveCapacity(array.count)
        for index in 0..<array.count {
            guard let item = array[index], let text = item.stringBytes else {
                throw FleeceError(.badKey, at: array[index]?.position ?? bytes.count)
            }
            guard let key = String(validating: text, as: UTF8.self) else { throw FleeceError(.badUTF8, at: item.position) }
            keys.append(key)
        }
        self.init(keys)
    }

    /// Returns the stored form: a Fleece array of strings.
    public func encoded() throws(FleeceError) -> [UInt8] {
        var encoder = Encoder()
        encoder.beginArray()
        for key in keys { encoder.write(key) }
        encoder.endArray()
        return try encoder.finishedBytes()
    }
}

/// A list of shared keys that can grow while documents are encoded. Only used by the thread that holds the write lock.
public final class MutableSharedKeys {
    // The write lock ensures exclusive access: while an encoder runs, only it uses the table.
    @exclusivity(unchecked) private var table: KeyTable
    private var published: SharedKeys

    /// Creates a list that begins with the keys of another one.
    public init(_ keys: SharedKeys) {
        table = KeyTable(keys.keys, capacity: max(256, keys.count * 2))
        published = keys
    }

    /// The number of keys, with those that were added.
    public var count: Int { table.strings.count }

    /// The current list, for readers. The same object is returned until a key is added.
    public var snapshot: SharedKeys {
        if published.count != table.strings.count { published = SharedKeys(table.strings) }
        return published
    }

    /// Returns the number of `key`. A new key is appended to the list if it is eligible and the list is not full. Returns `nil` if the key
    /// must be stored as a string.
    public func number(of key: UnsafeRawBufferPointer) -> Int? {
        if let number = table.number(of: key) { return number }
        guard table.strings.count < SharedKeys.capacity, Self.isEligible(key) else { return nil }
        table.append(String(decoding: key, as: UTF8.self))
        return table.strings.count - 1
    }

    /// Returns whether a key may be shared: 1 to 16 bytes of ASCII letters, digits, `_` and `-`.
    ///
    /// The format's rule would allow the empty string, but Couchbase Lite cannot look up an empty shared key.
    static func isEligible(_ key: UnsafeRawBufferPointer) -> Bool {
        guard key.count >= 1, key.count <= SharedKeys.maximumKeyLength else { return false }
        return key.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
    }
}
