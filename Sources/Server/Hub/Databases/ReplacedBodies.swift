#if Replication
import DocumentStore
import Base
import Fleece
import Replication
import Synchronization

/// The bodies of revisions that clients have replaced a short time ago. A client that has seen a revision in a feed may request it although another
/// client has changed the document meanwhile; without the body, its replication could not go on.
///
/// They are in memory, for a limited time and up to a limited size for all databases together: the oldest are dropped first. Thread-safe.
final class ReplacedBodies: Sendable {
    /// The time for which a body is kept, in milliseconds.
    static let time = 300_000
    /// The maximum size of all bodies together, in bytes.
    static let maximumSize = 32 << 20
    /// A larger body is not kept, because it would displace those of many other documents.
    static let maximumBody = maximumSize / 4
    /// The size that an entry takes in addition to its body, in bytes.
    private static let costOfEntry = 512

    fileprivate struct Key: Hashable {
        let database: ExactString
        let collection: ExactString
        let documentID: ExactString
        let revision: RevisionID
    }

    fileprivate struct Entry {
        let isDeleted: Bool
        let body: FleeceData
        let keys: SharedKeys
        let size: Int
        /// When the revision was replaced, in milliseconds of ``clock``.
        let start: Int64
    }

    fileprivate struct State {
        var entries: [Key: Entry] = [:]
        var inOrder = FIFO<Key>()
        var size = 0
        var sweep: ScheduledCall?
    }

    private let state = Mutex(State())
    private let clock: any SteadyClock

    init(clock: any SteadyClock = SystemSteadyClock()) { self.clock = clock }

    deinit { state.withLock { $0.sweep }?.cancel() }

    /// The size of all bodies, in bytes.
    var size: Int { state.withLock(\.size) }

    /// Keeps the body of a revision that was replaced.
    func keep(_ revision: FilteredRevision, of collection: CollectionID, in database: String) {
        let size = revision.body.bytes.count + revision.documentID.utf8.count + Self.costOfEntry
        guard size <= Self.maximumBody else { return }
        let key = Self.key(revision.revision, of: revision.documentID, collection, database)
        let entry = Entry(
            isDeleted: revision.isDeleted,
            body: revision.body,
            keys: revision.sharedKeys,
            size: size,
            start: clock.now
        )
        state.withLock { state in
            state.drop(before: entry.start - Int64(Self.time))
            guard state.entries[key] == nil else { return }
            state.entries[key] = entry
            state.inOrder.append(key)
            state.size += size
            while state.size > Self.maximumSize, state.dropOldest() {}
            if state.sweep == nil { state.sweep = sweepLater() }
        }
    }

    /// Returns the body of a revision; `nil` if it is not kept anymore.
    func body(
        of revision: RevisionID,
        _ documentID: String,
        _ collection: CollectionID,
        in database: String
    ) -> (body: FleeceData, keys: SharedKeys, isDeleted: Bool)? {
        let key = Self.key(revision, of: documentID, collection, database)
        let now = clock.now
        return state.withLock { state in
            guard let entry = state.entries[key], entry.start > now - Int64(Self.time) else { return nil }
            return (entry.body, entry.keys, entry.isDeleted)
        }
    }

    /// Drops the bodies whose time is over, also if nothing is replaced anymore.
    private func sweepLater() -> ScheduledCall {
        HubTimer.call(afterMilliseconds: Self.time, clock: clock) { [weak self] in
            guard let self else { return }
            let now = clock.now
            state.withLock { state in
                state.drop(before: now - Int64(Self.time))
                state.sweep = state.entries.isEmpty ? nil : self.sweepLater()
            }
        }
    }

    private static func key(_ revision: RevisionID, of documentID: String, _ collection: CollectionID, _ database: String) -> Key {
        Key(
            database: ExactString(database),
            collection: ExactString(collection.fullName),
            documentID: ExactString(documentID),
            revision: revision
        )
    }
}

extension ReplacedBodies.State {
    /// Drops the oldest body. Returns `false` if there is none.
    fileprivate mutating func dropOldest() -> Bool {
        guard let key = inOrder.popFirst(), let entry = entries.removeValue(forKey: key) else { return false }
        size -= entry.size
        return true
    }

    fileprivate mutating func drop(before time: Int64) {
        while let key = inOrder.first, let entry = entries[key], entry.start <= time, dropOldest() {}
    }
}

extension Keyspace {
    /// Returns a revision that was replaced a short time ago; `nil` if its body is not kept anymore, or the document does not have the revision.
    func replacedRevision(_ id: RevisionID, of documentID: String) throws -> StoredRevision? {
        guard let kept = database.replaced.body(of: id, documentID, self.id, in: database.name),
            try history(of: documentID, from: id) != nil
        else { return nil }
        return StoredRevision(
            documentID: documentID,
            revision: id,
            isDeleted: kept.isDeleted,
            body: kept.body,
            keys: kept.keys,
            rule: rule
        )
    }
}
#endif
