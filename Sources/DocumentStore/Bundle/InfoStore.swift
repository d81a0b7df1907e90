import ExactStrings
import SQLiteEngine

/// The rows of `kv_info`: what a database knows about itself (Storage format 2.6). Rows that are not known here are left alone.
package enum InfoStore {
    static let versioning = "versioning"
    static let publicUUID = "publicUUID"
    static let privateUUID = "privateUUID"
    static let previousPrivateUUID = "previousPrivateUUID"
    static let sharedKeys = "SharedKeys"
    static let remotes = "remotes"
    static let maximumTreeDepth = "maxRevTreeDepth"

    /// Values of `versioning`: trees are apart from bodies (3.x), version vectors (4.0). Zero means that trees hold the bodies.
    static let treesApartFromBodies: UInt64 = 1
    static let versionVectors: UInt64 = 2

    /// The bytes of a row, or nil when there is no such row or its body is NULL.
    static func bytes(_ key: String, on connection: Connection) throws -> [UInt8]? {
        let statement = try connection.cachedStatement("SELECT body FROM kv_info WHERE key = ?")
        defer { statement.reset() }
        try statement.bindText(key, at: 1)
        guard try statement.step(), !statement.isNull(at: 0) else { return nil }
        return [UInt8](statement.blob(at: 0))
    }

    /// A number: eight bytes, big-endian; anything else reads as 0. Nil when there is no such row.
    static func integer(_ key: String, on connection: Connection) throws -> UInt64? {
        let statement = try connection.cachedStatement("SELECT body FROM kv_info WHERE key = ?")
        defer { statement.reset() }
        try statement.bindText(key, at: 1)
        guard try statement.step() else { return nil }
        let bytes = statement.blob(at: 0)
        guard bytes.count == 8 else { return 0 }
        return bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    static func encode(_ number: UInt64) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }

    static func set(_ key: String, to bytes: [UInt8], on connection: Connection) throws {
        let statement = try connection.cachedStatement("INSERT OR REPLACE INTO kv_info (key, body) VALUES (?, ?)")
        try statement.bindText(key, at: 1)
        try statement.bindBlob(bytes, at: 2)
        try statement.run()
    }

    /// The last sequence of each store that has given any, by its name (Storage format 2.5).
    static func lastSequences(on connection: Connection) throws -> [ExactString: UInt64] {
        let statement = try connection.cachedStatement("SELECT name, lastSeq FROM kvmeta WHERE lastSeq > 0")
        defer { statement.reset() }
        var result: [ExactString: UInt64] = [:]
        while try statement.step() {
            result[ExactString(statement.text(at: 0))] = UInt64(clamping: statement.int64(at: 1))
        }
        return result
    }

    /// Sixteen random bytes marked as a version 4 UUID (RFC 4122).
    static func makeUUID() -> [UInt8] {
        var bytes = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        return bytes
    }
}
