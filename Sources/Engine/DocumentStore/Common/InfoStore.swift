import Base
package import SQLiteEngine

/// Access to the rows of `kv_info`, which contains properties of the database (Storage format 2.6). Unknown rows are not changed.
package enum InfoStore {
    static let versioning = "versioning"
    static let publicUUID = "publicUUID"
    static let privateUUID = "privateUUID"
    static let previousPrivateUUID = "previousPrivateUUID"
    static let sharedKeys = "SharedKeys"
    static let remotes = "remotes"
    static let maximumTreeDepth = "maxRevTreeDepth"
    /// The highest row of the default collection's table that 4.1 has yet to examine for tombstones (Version vectors 3.11).
    static let misplacedTombstones = "maxRowidWithDeletedInDefault"
    static let restoration = "CouchbaseLiteSwift.restoration"
    /// Whether revisions get names for clients with revision trees (Version vectors 7.6).
    static let treeClients = "CouchbaseLiteSwift.treeClients"
    static let contentVersion = "CouchbaseLiteSwift.contentVersion"
    /// The numbers of the remote databases that serve revision trees only (Version vectors 11).
    static let remotesWithTrees = "CouchbaseLiteSwift.remotesWithTrees"

    /// Returns the key of the identity of a collection.
    static func identity(of collection: CollectionID) -> String { "identity" + collection.storeName }
    /// The last identity that was assigned to a collection.
    static let lastIdentity = "lastIdentity"

    /// The values of `versioning`: trees separate from bodies (3.x), and version vectors (4.0). Zero means that trees contain the bodies.
    static let treesApartFromBodies: UInt64 = 1
    static let versionVectors: UInt64 = 2

    /// Returns the bytes of a row, or `nil` if the row does not exist or its body is NULL.
    package static func bytes(_ key: String, on connection: Connection) throws -> [UInt8]? {
        let statement = try connection.cachedStatement("SELECT body FROM kv_info WHERE key = ?")
        defer { statement.reset() }
        try statement.bindText(key, at: 1)
        guard try statement.step(), !statement.isNull(at: 0) else { return nil }
        return [UInt8](statement.blob(at: 0))
    }

    /// Returns a number stored in eight bytes, big-endian. Any other value reads as 0. Returns `nil` if the row does not exist.
    static func integer(_ key: String, on connection: Connection) throws -> UInt64? {
        let statement = try connection.cachedStatement("SELECT body FROM kv_info WHERE key = ?")
        defer { statement.reset() }
        try statement.bindText(key, at: 1)
        guard try statement.step() else { return nil }
        return decode(statement.blob(at: 0))
    }

    /// Returns the number in eight bytes, big-endian; 0 for any other value.
    static func decode(_ bytes: UnsafeRawBufferPointer) -> UInt64 { bytes.count == 8 ? bytes.reduce(0) { $0 << 8 | UInt64($1) } : 0 }

    static func encode(_ number: UInt64) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }

    /// Writes a row.
    package static func set(_ key: String, to bytes: [UInt8], on connection: Connection) throws {
        let statement = try connection.cachedStatement("INSERT OR REPLACE INTO kv_info (key, body) VALUES (?, ?)")
        try statement.bindText(key, at: 1)
        try statement.bindBlob(bytes, at: 2)
        try statement.run()
    }

    /// Removes a row; does nothing if it does not exist.
    package static func remove(_ key: String, on connection: Connection) throws {
        let statement = try connection.cachedStatement("DELETE FROM kv_info WHERE key = ?")
        try statement.bindText(key, at: 1)
        try statement.run()
    }

    /// Returns the last sequences of all stores that have assigned any, by the names of the stores (Storage format 2.5).
    static func lastSequences(on connection: Connection) throws -> [ExactString: UInt64] {
        let statement = try connection.cachedStatement("SELECT name, lastSeq FROM kvmeta WHERE lastSeq > 0")
        defer { statement.reset() }
        var result: [ExactString: UInt64] = [:]
        while try statement.step() {
            result[ExactString(statement.text(at: 0))] = UInt64(clamping: statement.int64(at: 1))
        }
        return result
    }

    /// Returns sixteen random bytes in the form of a version 4 UUID (RFC 4122).
    static func makeUUID() -> [UInt8] {
        var bytes = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        return bytes
    }
}
