import Base
import Crypto
import Foundation

/// How far the history of a database was read: the last sequence in each collection.
///
/// Its text is base 64 (URL alphabet, no padding) of: the number 1, 16 bytes that identify the database, for each collection its store name with
/// its length before it, its identity and the sequence, all as varints, and 4 bytes of the SHA-256 hash of all this.
package struct HistoryPosition: Hashable, Sendable {
    /// How far a collection was read.
    struct Entry: Hashable, Sendable {
        let collection: CollectionID
        /// See ``CollectionStore/identity()``.
        let identity: UInt64
        let sequence: UInt64
    }

    /// Identifies the content of the database; see ``DatabaseFile/historyIdentity()``.
    let database: [UInt8]
    let entries: [Entry]

    private static let version: UInt8 = 1
    static let identitySize = 16
    private static let checksumSize = 4
    /// The most bytes of a text. A database with thousands of collections needs less.
    private static let longestText = 4 << 20

    init(database: [UInt8], entries: [Entry]) { (self.database, self.entries) = (database, entries) }

    /// Reads a text that ``text`` has returned; `nil` if it is another one.
    package init?(text: String) {
        guard text.utf8.count <= Self.longestText else { return nil }
        let standard = text.replacing("-", with: "+").replacing("_", with: "/")
        guard let data = Data(base64Encoded: standard + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)) else { return nil }
        let bytes = [UInt8](data)
        let end = bytes.count - Self.checksumSize
        guard end >= 1 + Self.identitySize, bytes[0] == Self.version, bytes[end...].elementsEqual(Self.checksum(bytes[..<end])),
            Self.text(of: bytes).isExactly(text)
        else { return nil }
        database = Array(bytes[1...Self.identitySize])
        var position = 1 + Self.identitySize
        func number() -> UInt64? {
            bytes.withUnsafeBytes { bytes in
                guard position < end, let start = bytes.baseAddress,
                    let (value, size) = Varint.read64(start + position, available: end - position)
                else { return nil }
                position += size
                return value
            }
        }
        var entries: [Entry] = []
        while position < end {
            guard let length = number().flatMap({ Int(exactly: $0) }), length <= end - position else { return nil }
            let name = String(decoding: bytes[position..<(position + length)], as: UTF8.self)
            position += length
            guard let collection = CollectionID(storeName: name), let identity = number(), let sequence = number() else { return nil }
            entries.append(Entry(collection: collection, identity: identity, sequence: sequence))
        }
        self.entries = entries
    }

    /// The position as a text of letters, digits, `-` and `_`.
    package var text: String {
        var bytes = [Self.version] + database
        for entry in entries {
            let name = Array(entry.collection.storeName.utf8)
            bytes += Self.varint(UInt64(name.count)) + name + Self.varint(entry.identity) + Self.varint(entry.sequence)
        }
        return Self.sealed(bytes)
    }

    /// Returns the text of bytes with their checksum.
    static func sealed(_ bytes: [UInt8]) -> String { text(of: bytes + checksum(bytes[...])) }

    static func text(of bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    private static func checksum(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        Array(SHA256.hash(data: Array(bytes))).prefix(checksumSize)
    }

    private static func varint(_ number: UInt64) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Varint.maximumSize) { buffer, count in
            if let start = buffer.baseAddress { count = Varint.write(number, to: start) }
        }
    }
}
