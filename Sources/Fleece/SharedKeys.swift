/// The list of dictionary keys that a database numbers (Storage format 1.8), as it was at one moment.
///
/// A key's number is its place in the list. The list only grows, so a later list reads everything an earlier one does.
package final class SharedKeys: @unchecked Sendable {
    // Unchecked because the table is not Sendable by itself: it is never changed after `init`.
    package let table: KeyTable

    /// No keys: for data that does not belong to documents.
    package static let empty = SharedKeys([])

    /// How many keys a list can hold.
    @inlinable
    package static var capacity: Int { 2048 }

    /// How many bytes a key may have to be numbered.
    @inlinable
    package static var maximumKeyLength: Int { 16 }

    package init(_ keys: [String]) {
        table = KeyTable(keys, capacity: keys.count)
    }

    /// The keys in the order of their numbers.
    package var keys: [String] { table.strings }

    /// How many keys there are.
    @inlinable
    package var count: Int { table.strings.count }

    /// The key with a number, or nil when the list is shorter.
    @inlinable
    package subscript(number: Int) -> String? {
        number >= 0 && number < table.strings.count ? table.strings[number] : nil
    }

    /// The number of a key, given as UTF-8.
    @inlinable
    package func number(of key: UnsafeRawBufferPointer) -> Int? {
        table.number(of: key)
    }

    /// The number of a key.
    package func number(of key: String) -> Int? {
        var key = key
        return key.withUTF8 { table.number(of: UnsafeRawBufferPointer($0)) }
    }

    /// Calls `body` with the UTF-8 of the key with a number; returns nil, without a call, when the list is shorter.
    @inline(__always)
    package func withBytes<Result>(of number: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result? {
        guard number >= 0, number < table.strings.count else { return nil }
        let entry = table.entries + number
        if entry.pointee.count >= 0 {
            // The entry's two words are the key's bytes. They stay where they are as long as this list lives.
            return withExtendedLifetime(self) {
                body(UnsafeRawBufferPointer(start: UnsafeRawPointer(entry), count: entry.pointee.count))
            }
        }
        var key = table.strings[number]
        return key.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    }

    /// Whether one key's text sorts before another's; unknown numbers come first.
    package func isOrdered(_ left: DictionaryKey, _ right: DictionaryKey) -> Bool {
        withText(of: left) { left in withText(of: right) { compareBytes(left, $0) < 0 } }
    }

    /// Calls `body` with the UTF-8 of a stored key; with nothing when its number is unknown.
    package func withText<Result>(of key: DictionaryKey, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        switch key {
        case .string(let bytes): body(bytes)
        case .shared(let number):
            withBytes(of: number, body) ?? body(UnsafeRawBufferPointer(start: nil, count: 0))
        }
    }

    /// Reads the stored form: a Fleece array of strings.
    ///
    /// - Throws: ``FleeceError`` when the data is damaged, holds anything but strings, or more than ``capacity`` of them.
    package convenience init(encoded bytes: UnsafeRawBufferPointer) throws(FleeceError) {
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

    /// The stored form: a Fleece array of strings.
    package func encoded() throws(FleeceError) -> [UInt8] {
        var encoder = Encoder()
        encoder.beginArray()
        for key in keys { encoder.write(key) }
        encoder.endArray()
        return try encoder.finishedBytes()
    }
}

/// A list of shared keys that can grow while documents are encoded. Confined to whoever holds the write lock.
package final class MutableSharedKeys {
    // Exclusivity is given by the write lock: an encoder is the only one to use the table while it runs.
    @exclusivity(unchecked) private var table: KeyTable
    private var published: SharedKeys

    package init(_ keys: SharedKeys) {
        table = KeyTable(keys.keys, capacity: max(256, keys.count * 2))
        published = keys
    }

    package var count: Int { table.strings.count }

    /// The list as it is now, for readers. The same object is returned until a key is added.
    package var snapshot: SharedKeys {
        if published.count != table.strings.count { published = SharedKeys(table.strings) }
        return published
    }

    /// The number of `key`, which is appended to the list if it is new, eligible, and the list has room; nil if it stays a string.
    package func number(of key: UnsafeRawBufferPointer) -> Int? {
        if let number = table.number(of: key) { return number }
        guard table.strings.count < SharedKeys.capacity, Self.isEligible(key) else { return nil }
        table.append(String(decoding: key, as: UTF8.self))
        return table.strings.count - 1
    }

    /// Whether a key may be numbered: 1 to 16 bytes of ASCII letters, digits, `_` and `-`.
    ///
    /// The empty string could be by the format's rule, but the original does not find an empty shared key again.
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
