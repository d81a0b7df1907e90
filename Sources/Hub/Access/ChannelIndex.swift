#if Replication
import DocumentStore
import ExactStrings
import Foundation
import Replication
import Synchronization

/// Remembers the channels of the documents of a collection, in the hub's own database, so that clients learn which documents have left
/// their channels.
///
/// It follows the changes of the collection: it is brought up to date before any of them is served. So it knows the channels of each
/// revision that was ever served. It has an entry for each document, and a list of the documents that were changed again after they had left
/// a channel, at most ``maximumMoved``.
final class ChannelIndex: Sendable {
    /// A document that has left channels, and was changed again later.
    struct Moved: Codable, Equatable, Sendable {
        let sequence: UInt64
        let documentID: String
        let left: [String]
    }

    private struct Entry: Codable {
        var sequence: UInt64
        var channels: [String]
        /// The channels that the document left with its last change.
        var left: [String]
    }

    /// The maximum number of remembered documents that were changed after they had left a channel. The oldest are forgotten.
    static let maximumMoved = 2000
    /// The number of changes that are added in one transaction.
    private static let batchSize = 1000

    private let own: DatabaseFile
    private let key: String
    /// The changes up to this sequence are in the index; `nil` if it was not read yet. Locked while the index is updated, which reads the
    /// database: must not be locked by who uses a connection of that database.
    private let sequence = Mutex<UInt64?>(nil)
    /// The remembered documents, by sequence. Has a lock of its own, because it is read while a connection is in use.
    private let moved = Mutex<[Moved]>([])

    /// - Parameters:
    ///   - own: The hub's own database.
    ///   - database: The database of the collection.
    init(in own: DatabaseFile, _ id: CollectionID, of database: DatabaseFile) throws {
        self.own = own
        // A database that replaces another one has another ID.
        key = try database.ensuredPrivateUUID().map { String(format: "%02x", $0) }.joined() + "/" + id.fullName
    }

    /// Adds the changes of the collection that are not in the index yet. Returns the last sequence in the index.
    func update(_ collection: ReplicaCollection) throws -> UInt64 {
        try sequence.withLock { sequence in
            var indexed = try sequence ?? readStored()
            let last = try collection.lastSequence()
            // The database was replaced by an older state of itself.
            if last < indexed {
                indexed = 0
                moved.withLock { $0 = [] }
            }
            while indexed < last {
                let changes = try collection.withOneSnapshot { () -> [(LocalChange, [String])] in
                    try collection.changes(after: indexed, limit: Self.batchSize, remote: nil).map { change in
                        let record = try collection.store.document(change.documentID, includingDeleted: true)
                        return (change, record.map { HubAccess.channels(of: $0.body, $0.sharedKeys) } ?? [])
                    }
                }
                indexed = changes.last?.0.sequence ?? last
                let remembered = try own.transaction { try add(changes, upTo: indexed, in: $0) }
                moved.withLock { $0 = remembered }
                // What is stored must be known here, too, if a later batch fails.
                sequence = indexed
            }
            sequence = indexed
            return indexed
        }
    }

    /// Reads what is stored for the collection as a whole, and returns the sequence.
    private func readStored() throws -> UInt64 {
        let stored = try read([Moved].self, movedKey) ?? []
        moved.withLock { $0 = stored }
        return try read(UInt64.self, key) ?? 0
    }

    /// Adds changes, and returns the documents to be remembered. They are stored only if there are new ones.
    private func add(_ changes: [(LocalChange, [String])], upTo sequence: UInt64, in writer: Writer) throws -> [Moved] {
        var new: [Moved] = []
        for (change, channels) in changes {
            let entryKey = entryKey(change.documentID)
            let before = try read(Entry.self, entryKey)
            // A change that is added again, because the database was replaced by an older state, left the same channels.
            if before?.sequence == change.sequence { continue }
            let left = before?.channels.filter { name in !channels.contains { $0.isExactly(name) } } ?? []
            if let before, !before.left.isEmpty {
                new.append(Moved(sequence: before.sequence, documentID: change.documentID, left: before.left))
            }
            try write(Entry(sequence: change.sequence, channels: channels, left: left), entryKey, in: writer)
        }
        try write(sequence, key, in: writer)
        let known = moved.withLock { $0 }
        guard !new.isEmpty else { return known }
        let all = Array((known + new).sorted { $0.sequence < $1.sequence }.suffix(Self.maximumMoved))
        try write(all, movedKey, in: writer)
        return all
    }

    /// Returns the channels that a document left with its last change.
    func left(by documentID: String) throws -> [String] { try read(Entry.self, entryKey(documentID))?.left ?? [] }

    /// Returns the documents that left channels after a sequence, up to another one, and were changed again later.
    func moved(after sequence: UInt64, upTo end: UInt64) -> [Moved] {
        moved.withLock { moved in
            guard let last = moved.last, last.sequence > sequence else { return [] }
            return moved.filter { $0.sequence > sequence && $0.sequence <= end }
        }
    }

    // MARK: Storage

    private var movedKey: String { "moved/" + key }

    private func entryKey(_ documentID: String) -> String { key + "/" + documentID }

    private func read<Stored: Decodable>(_ type: Stored.Type, _ key: String) throws -> Stored? {
        try own.read { try RawStore.channels.document(key, on: $0) }.map { try JSONDecoder().decode(type, from: Data($0.body)) }
    }

    private func write(_ stored: some Encodable, _ key: String, in writer: Writer) throws {
        try RawStore.channels.set(key, to: .init(body: Array(JSONEncoder().encode(stored))), in: writer)
    }
}
#endif
