package import Fleece
package import SQLiteEngine

/// A connection together with what is known and prepared on it.
///
/// Used by one thread at a time, like the connection. SQL functions find the shared keys here.
package final class ConnectionContext {
    package let connection: Connection
    /// Set when the file takes the connection into use.
    weak var file: DatabaseFile?
    /// The keys that the bodies visible on this connection may use.
    // Exclusivity of these is given by the connection's owner, as for the connection itself.
    @exclusivity(unchecked) package internal(set) var sharedKeys: SharedKeys
    @exclusivity(unchecked) private var statements: [CollectionStatements?] = []
    /// What the connection said of the file's content when the keys were last looked at.
    @exclusivity(unchecked) private var contentVersion: UInt32?
    private var encodedKeysSize: Int64 = -1

    /// Whether this is the writer's. It is used in transactions only, at whose start the keys were read.
    private let isWriter: Bool

    init(_ connection: Connection, isWriter: Bool = false) {
        self.connection = connection
        self.isWriter = isWriter
        sharedKeys = .empty
    }

    /// Makes a new connection ready for any schema that a file may have: SQLite refuses a file whose indexes call a function that is
    /// not known with as many arguments, whatever is asked of it (Storage format 5.3). So the functions are registered before
    /// anything has read the schema.
    ///
    /// Without a file yet: an index cannot be computed before ``file`` is set. When this fails the connection is closed.
    convenience init(preparing connection: Connection, _ options: DatabaseFile.Options) throws {
        self.init(connection, isWriter: connection.mode != .readOnly)
        connection.attachment = self
        do {
            try ConnectionSettings(options, connection.encryption).applyBeforeSchema(to: connection)
            try options.prepare(self)
        } catch {
            try? connection.close()
            throw error
        }
    }

    /// The blobs of the file; nil once it has gone.
    package var blobs: BlobStore? { file?.blobs }

    @inline(__always)
    func statements(of collection: CollectionStore) -> CollectionStatements {
        let ordinal = collection.ordinal
        if ordinal < statements.count, let found = statements[ordinal] { return found }
        return makeStatements(of: collection)
    }

    @inline(never)
    private func makeStatements(of collection: CollectionStore) -> CollectionStatements {
        while statements.count <= collection.ordinal { statements.append(nil) }
        let made = CollectionStatements(collection.tables)
        statements[collection.ordinal] = made
        return made
    }

    /// Runs `body`, whose statements all see the same state of the file. Many look-ups so cost half of what they do alone, each with
    /// a read lock of its own.
    func withOneView<Result>(_ body: () throws -> Result) throws -> Result {
        // A statement that stands at a row keeps the view until it is reset.
        let anchor = try connection.cachedStatement("SELECT 1 FROM kv_info LIMIT 1")
        defer { anchor.reset() }
        _ = try anchor.step()
        return try body()
    }

    /// Looks whether another connection has changed the file, and reads the shared keys again if they have grown.
    ///
    /// To be called inside a read transaction, that is after the first step of a statement: the content then stands still.
    /// Costs a few nanoseconds while nothing has changed.
    @inline(__always)
    package func refreshSharedKeys() throws {
        if isWriter { return }
        let version = connection.contentVersion
        if version == contentVersion { return }
        try reloadSharedKeys()
        contentVersion = version
    }

    @inline(never)
    func reloadSharedKeys() throws {
        let size = try connection.scalar("SELECT length(body) FROM kv_info WHERE key = 'SharedKeys'") ?? 0
        if size == encodedKeysSize { return }
        guard let file else { throw StoreError.notOpen(what: connection.path) }
        sharedKeys = try file.sharedKeys(ofSize: size) {
            guard let bytes = try InfoStore.bytes(InfoStore.sharedKeys, on: connection) else { return .empty }
            do throws(FleeceError) {
                return try bytes.withUnsafeBytes { bytes throws(FleeceError) in try SharedKeys(encoded: bytes) }
            } catch {
                throw StoreError.corrupt(path: file.bundle.directory, reason: "shared keys: \(error)")
            }
        }
        encodedKeysSize = size
    }

    /// Forgets the keys, of which a transaction that is rolled back may have added some.
    func forgetSharedKeys() {
        sharedKeys = .empty
        encodedKeysSize = -1
        contentVersion = nil
    }

    /// Makes keys that a transaction of this connection has committed known, here and to the file.
    func adopt(_ keys: SharedKeys, encodedSize: Int64) {
        sharedKeys = keys
        encodedKeysSize = encodedSize
        file?.publish(keys, encodedSize: encodedSize)
    }
}
