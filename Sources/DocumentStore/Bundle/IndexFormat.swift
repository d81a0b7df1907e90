package import SQLiteEngine

/// How this library computes the keys of indexes, as a number in the file.
///
/// Versions of it before 1 computed some keys otherwise than the original, whose programs then took the file for damaged (Storage
/// format 5.7–5.11). The number tells which indexes may be theirs. It stands in `kv_info`, where other programs leave rows alone that
/// they do not know (Storage format 2.6); it is not there as long as there are no indexes.
package enum IndexFormat {
    static let current: UInt64 = 1

    private static let key = "CouchbaseLiteSwift.indexFormat"

    /// Whether the file has indexes that an earlier version of this library may have written. Costs one look-up by key when it has
    /// none of those.
    static func isOutdated(on connection: Connection) throws -> Bool {
        try !isNoted(on: connection) && hasIndexes(on: connection)
    }

    /// Notes that all indexes are as this version makes them.
    static func note(on connection: Connection) throws {
        try InfoStore.set(key, to: InfoStore.encode(current), on: connection)
    }

    /// Notes the same when an index is going to be made that is the only one.
    package static func noteBeforeFirstIndex(on connection: Connection) throws {
        if try !isNoted(on: connection), try !hasIndexes(on: connection) { try note(on: connection) }
    }

    private static func isNoted(on connection: Connection) throws -> Bool {
        try InfoStore.integer(key, on: connection) ?? 0 >= current
    }

    /// Apart from those that the store makes for itself (Storage format 2.4).
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
