import Base
package import DocumentStore

/// The interface of replication to a database. All calls are synchronous and must be made on the executor of the session.
///
/// Errors are those of the layers below; `SyncError.init(_:)` converts them.
package final class ReplicaDatabase: Sendable {
    /// The open file, which another object closes.
    package let file: DatabaseFile
    /// Called before and after each commit made by replication.
    private let commitHook: CommitHook?

    /// A point in time relative to a commit made by replication.
    package enum CommitPhase: Sendable {
        /// Immediately before the commit. An error rolls the transaction back.
        case before
        /// Immediately after the commit. An error is thrown to the caller although everything is stored.
        case after
    }

    /// A hook for tests. An error that it throws ends the caller's work at this point, as if the process had been killed.
    package typealias CommitHook = @Sendable (CommitPhase) throws -> Void

    /// Creates the interface to an open file.
    ///
    /// - Parameter commitHook: Called before and after each commit; `nil`, the default, for no hook.
    package init(_ file: DatabaseFile, commitHook: CommitHook? = nil) { (self.file, self.commitHook) = (file, commitHook) }

    var blobs: BlobStore { file.blobs }

    func transaction<Result>(_ body: (Writer) throws -> Result) throws -> Result {
        guard let commitHook else { return try file.transaction(body) }
        let result = try file.transaction { writer in
            let result = try body(writer)
            try commitHook(.before)
            return result
        }
        try commitHook(.after)
        return result
    }

    /// Returns how revisions are written in messages.
    ///
    /// - Throws: `corrupt` if the database has version vectors and no ID.
    func naming() throws -> RevisionNaming { RevisionNaming(own: try file.versionSource()) }

    /// Returns how the revisions are shown to clients with revision trees, and prepares the database for them.
    ///
    /// - Throws: An error if the database cannot be written.
    package func viewForTrees() throws -> RevisionView {
        // The database has trees itself if it has no ID in versions.
        try file.serveTreeClients().map { .trees($0) } ?? .stored
    }

    /// Returns the collection with this name; `nil` if it does not exist.
    ///
    /// - Parameter view: How its revisions are shown to the peer.
    package func collection(_ id: CollectionID, as view: RevisionView = .stored) throws -> ReplicaCollection? {
        try collection(id, shownAs: { view })
    }

    /// Returns the collection with this name; `nil` if it does not exist.
    ///
    /// - Parameter view: Returns how its revisions are shown to the peer. Called each time when some are read.
    package func collection(_ id: CollectionID, shownAs view: @escaping @Sendable () throws -> RevisionView) throws -> ReplicaCollection? {
        try file.collection(id).map { ReplicaCollection($0, of: self, as: view) }
    }
}

extension ReplicaDatabase {
    /// The key under which the cookies are stored in the `info` store (Replication 4.13).
    private static let cookiesKey = "org.couchbase.cookies"

    /// Returns the local checkpoint with this ID, as JSON; `nil` if it does not exist.
    package func checkpoint(_ id: String) throws -> [UInt8]? {
        try file.read { try RawStore.checkpoints.document(id, on: $0) }?.body
    }

    /// Stores a local checkpoint; `nil` removes it.
    package func setCheckpoint(_ id: String, _ json: [UInt8]?) throws {
        try transaction { try RawStore.checkpoints.set(id, to: json.map { .init(body: $0) }, in: $0) }
    }

    /// Returns the checkpoint that a peer has stored in this database, and the token required for changing it; `nil` if it does not exist.
    ///
    /// - Parameter owner: The identity of the collection to which it must belong: one of another collection of the same name is ignored. 0, the
    ///   default, for a collection without one.
    package func peerCheckpoint(_ id: String, owner: UInt64 = 0) throws -> (token: String, body: [UInt8])? {
        guard let found = try file.read({ try RawStore.peerCheckpoints.document(id, on: $0) }), found.owner == owner else { return nil }
        return (String(decoding: found.version, as: UTF8.self), found.body)
    }

    /// Stores a checkpoint of a peer (Replication 3.4).
    ///
    /// - Parameters:
    ///   - id: The ID chosen by the peer.
    ///   - token: The token of the stored checkpoint; empty if the peer assumes there is none.
    ///   - body: The bytes to store, unchanged.
    ///   - owner: As for ``peerCheckpoint(_:owner:)``.
    ///   - maximumSize: The maximum size of a checkpoint in bytes. A longer stored checkpoint, written by an earlier version, is ignored.
    ///   - maximumTotal: The maximum number of checkpoints that are retained, and of their bytes. The least recently stored ones are
    ///     dropped first.
    ///   - prefix: What the IDs begin with to which `maximumTotal` applies: those of one client or user. It ends with an ASCII character;
    ///     empty, the default, for all.
    ///   - dropsOldest: Whether others are dropped to stay below `maximumTotal`. Otherwise nothing is stored.
    /// - Returns: The new token; `nil` if the stored checkpoint has another token. Nothing was changed then.
    /// - Throws: ``PeerCheckpointsFull`` if `maximumTotal` would be exceeded and `dropsOldest` is false; the errors of the database.
    package func setPeerCheckpoint(
        _ id: String,
        expecting token: String,
        body: [UInt8],
        owner: UInt64 = 0,
        maximumSize: Int = .max,
        maximumTotal: (count: Int, size: Int) = (.max, .max),
        of prefix: String = "",
        dropsOldest: Bool = true
    ) throws -> String? {
        try transaction { writer in
            let found = try file.read { try RawStore.peerCheckpoints.document(id, on: $0) }
            let stored = found.flatMap { $0.body.count <= maximumSize && $0.owner == owner ? $0 : nil }
            let current = stored.map { String(decoding: $0.version, as: UTF8.self) } ?? ""
            guard token.isExactly(current) else { return nil }
            let generation = current.prefix { $0 != "-" }
            let next = "\((UInt64(generation) ?? 0) &+ 1)-cc"
            let document = RawStore.Document(version: Array(next.utf8), body: body, owner: owner)
            try RawStore.peerCheckpoints.set(id, to: document, in: writer)
            if dropsOldest {
                try RawStore.peerCheckpoints.trim(toCount: maximumTotal.count, size: maximumTotal.size, keysFrom: prefix, in: writer)
            } else {
                let usage = try RawStore.peerCheckpoints.usage(keysFrom: prefix, in: writer)
                // The transaction is rolled back.
                guard usage.count <= maximumTotal.count, usage.size <= maximumTotal.size else { throw PeerCheckpointsFull() }
            }
            return next
        }
    }

    /// Returns the cookies set by servers, in the form in which they were stored; `nil` if there are none.
    package func cookies() throws -> [UInt8]? { try file.read { try RawStore.info.document(Self.cookiesKey, on: $0) }?.body }

    /// Stores the cookies; `nil` removes them.
    package func setCookies(_ bytes: [UInt8]?) throws {
        try transaction { try RawStore.info.set(Self.cookiesKey, to: bytes.map { .init(body: $0) }, in: $0) }
    }
}

/// A document of a peer was not stored, because the peer has stored as much as it may.
package struct PeerCheckpointsFull: Error {}
