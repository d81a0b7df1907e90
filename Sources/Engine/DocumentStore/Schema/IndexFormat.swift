package import SQLiteEngine

/// The version of the algorithm with which this library computes the keys of indexes, as a number in the file.
///
/// Library versions before 2 computed some keys differently from Couchbase Lite, which therefore reported the file as damaged (Storage
/// format 5.7–5.11). The number identifies the indexes that may be affected. It is stored in `kv_info`, where other programs do not change
/// unknown rows (Storage format 2.6). It is missing as long as there are no indexes.
package enum IndexFormat {
    static let current: UInt64 = 2

    private static let key = "CouchbaseLiteSwift.indexFormat"

    /// Returns whether the file has indexes that an earlier version of this library may have written. Takes one lookup by key if the number
    /// is stored.
    static func isOutdated(on connection: Connection) throws -> Bool { try !isNoted(on: connection) && hasIndexes(on: connection) }

    /// Records that all indexes have the format of this version.
    static func note(on connection: Connection) throws { try InfoStore.set(key, to: InfoStore.encode(current), on: connection) }

    /// Records the format before the first index is created.
    package static func noteBeforeFirstIndex(on connection: Connection) throws {
        if try !isNoted(on: connection), try !hasIndexes(on: connection) { try note(on: connection) }
    }

    private static func isNoted(on connection: Connection) throws -> Bool { try InfoStore.integer(key, on: connection) ?? 0 >= current }

    /// Returns whether there are indexes, except those that the store itself creates (Storage format 2.4).
    private static func hasIndexes(on connection: Connection) throws -> Bool {
        let schema = try connection.scalar(
            """
            SELECT 1 FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL
            AND name NOT GLOB 'kv_*_seqs' AND name NOT GLOB 'kv_*_conflicts' AND name NOT GLOB 'kv_*_blobs'
            AND name NOT GLOB 'kv_*_expiration' OR type = 'table' AND name GLOB 'kv_*::*' LIMIT 1
            """
        )
        return schema != nil
    }
}
