package import Fleece
package import Foundation
package import SQLiteEngine

/// A connection together with its cached state and prepared statements.
///
/// Used by one thread at a time, like the connection. SQL functions look up the shared keys here.
package final class ConnectionContext {
    /// The connection. Only the thread that has this object may use it.
    package let connection: Connection
    /// Set when the file starts to use the connection.
    package internal(set) weak var file: DatabaseFile?

    /// What the values of SQL functions depend on, besides their arguments.
    package struct Evaluation {
        /// The shared keys of the bodies visible on this connection.
        package internal(set) var sharedKeys = SharedKeys.empty
        /// Whether an index is being created on this connection. Some functions then refuse what Couchbase Lite cannot index (Query 5.13).
        package var isCreatingIndex = false
        /// Whether a step of a query is running: functions then compute exact values, not the keys that Couchbase Lite stores in indexes (Query
        /// 5.13).
        package var isAnsweringQuery = false
        /// Whether a function has computed a key, in the open transaction, for which a query would compute another value.
        package var hasDifferingKeys = false
        /// Whether the function of full-text indexes returns no text, because the running statement inserts a document whose texts are indexed
        /// later; see ``TextDeferral``.
        package internal(set) var defersTexts = false
        /// The local time zone that SQL functions use. A transaction and the run of a query have the same one from the start to the end.
        package fileprivate(set) var localZone: TimeZone
    }

    /// What has been read on this connection, or compiled.
    private struct Caches {
        var statements: [CollectionStatements?] = []
        /// The connection's content version at the last check of the keys, and the number of the snapshot.
        var contentVersion: UInt32?
        var snapshotOfKeys: UInt64?
        var encodedKeysSize: Int64 = -1
        var schema: (version: Int64, snapshot: UInt64)?
        var tables: (schema: Schema, version: Int64)?
    }

    /// What SQL functions on this connection use besides their arguments.
    // Safe: the owner of the connection guarantees exclusive access to this property and the next, like to the connection itself, and each access
    // reads or assigns a value.
    @exclusivity(unchecked) package var evaluation: Evaluation
    @exclusivity(unchecked) private var caches = Caches()
    var outdatedIndexCache = OutdatedIndexCache()
    private let currentZone: @Sendable () -> TimeZone
    let storeCounter = PreparedStatement(SequenceCounter.insertion)
    private let readSchemaVersion = PreparedStatement("PRAGMA schema_version")

    /// The shared keys of the bodies visible on this connection.
    package var sharedKeys: SharedKeys { evaluation.sharedKeys }

    /// Whether this is the context of the writer, which is used only in transactions. A transaction reads the keys at its start.
    package let isWriter: Bool

    init(_ connection: Connection, isWriter: Bool = false, currentZone: @escaping @Sendable () -> TimeZone = { .current }) {
        self.connection = connection
        self.isWriter = isWriter
        self.currentZone = currentZone
        evaluation = Evaluation(localZone: currentZone())
    }

    /// Prepares a new connection for any schema of a file. SQLite rejects every statement on a file if an index calls an unknown function,
    /// or one with another number of arguments (Storage format 5.3). So the functions are registered before the schema is read.
    ///
    /// The context does not belong to a file yet: indexes cannot be evaluated before ``file`` is set. The caller closes the connection on failure.
    convenience init(preparing connection: Connection, _ options: DatabaseFile.Options) throws {
        self.init(connection, isWriter: connection.mode != .readOnly, currentZone: options.localZone)
        connection.attachment = self
        try ConnectionSettings(options, connection.encryption).applyBeforeSchema(to: connection)
        try options.prepare(self)
    }

    /// Makes SQL functions use the present local time zone.
    ///
    /// - Returns: Whether it is another one than before.
    @discardableResult
    func adoptLocalZone() -> Bool {
        let zone = currentZone()
        guard zone != evaluation.localZone else { return false }
        evaluation.localZone = zone
        return true
    }

    /// Makes SQL functions use the same local time zone as on another connection, which runs a part of the same query.
    package func adoptLocalZone(of other: TimeZone) { evaluation.localZone = other }

    /// The blobs of the file; `nil` if the file has been released.
    package var blobs: BlobStore? { file?.blobs }

    @inline(__always)
    func statements(of collection: CollectionStore) -> CollectionStatements {
        let ordinal = collection.ordinal
        // Those of a collection that has been deleted are replaced when another one gets its ordinal.
        if ordinal < caches.statements.count, let found = caches.statements[ordinal], found.collectionNumber == collection.number {
            return found
        }
        return makeStatements(of: collection)
    }

    @inline(never)
    private func makeStatements(of collection: CollectionStore) -> CollectionStatements {
        while caches.statements.count <= collection.ordinal { caches.statements.append(nil) }
        let made = CollectionStatements(collection)
        caches.statements[collection.ordinal] = made
        return made
    }

    /// Reads the shared keys again if another connection has changed the file and the keys have grown.
    ///
    /// Must be called inside a read transaction, that is after the first step of a statement, so that the content does not change. Takes a
    /// few nanoseconds if nothing has changed.
    @inline(__always)
    package func refreshSharedKeys() throws {
        if isWriter { return }
        if let snapshot = connection.snapshotNumber, snapshot == caches.snapshotOfKeys { return }
        try checkSharedKeys()
    }

    @inline(never)
    private func checkSharedKeys() throws {
        let version = connection.contentVersion
        if version != caches.contentVersion {
            try reloadSharedKeys()
            caches.contentVersion = version
        }
        caches.snapshotOfKeys = connection.snapshotNumber
    }

    /// The version of the schema, which changes with every change of tables and indexes.
    package var schemaVersion: Int64 {
        get throws {
            let snapshot = connection.snapshotNumber
            if let schema = caches.schema, schema.snapshot == snapshot { return schema.version }
            let statement = try readSchemaVersion.on(connection)
            defer { statement.reset() }
            let version = try statement.step() ? statement.int64(at: 0) : 0
            caches.schema = snapshot.map { (version, $0) }
            return version
        }
    }

    /// Returns the existing tables. They are read only if the schema has changed.
    func tableSchema() throws -> Schema {
        // After a transaction that was rolled back, another schema gets the version that its schema had.
        if isWriter { return try Schema(connection) }
        let version = try schemaVersion
        if let tables = caches.tables, tables.version == version { return tables.schema }
        let schema = try Schema(connection)
        caches.tables = (schema, version)
        return schema
    }

    @inline(never)
    func reloadSharedKeys() throws {
        let size = try connection.scalar("SELECT length(body) FROM kv_info WHERE key = 'SharedKeys'") ?? 0
        if size == caches.encodedKeysSize { return }
        guard let file else { throw StoreError.notOpen(what: connection.path) }
        evaluation.sharedKeys = try file.sharedKeys(ofSize: size) {
            guard let bytes = try InfoStore.bytes(InfoStore.sharedKeys, on: connection) else { return .empty }
            do throws(FleeceError) {
                return try bytes.withUnsafeBytes { bytes throws(FleeceError) in try SharedKeys(encoded: bytes) }
            } catch {
                throw StoreError.corrupt(path: file.bundle.directory, reason: "shared keys: \(error)")
            }
        }
        caches.encodedKeysSize = size
    }

    /// Discards the keys, because a rolled back transaction may have added some of them.
    func discardSharedKeys() {
        evaluation.sharedKeys = .empty
        caches.encodedKeysSize = -1
        caches.contentVersion = nil
        caches.snapshotOfKeys = nil
    }

    /// Adopts keys committed by a transaction of this connection, and publishes them to the file.
    func adopt(_ keys: SharedKeys, encodedSize: Int64) {
        evaluation.sharedKeys = keys
        caches.encodedKeysSize = encodedSize
        file?.publish(keys, encodedSize: encodedSize)
    }
}
