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
///
/// When the rule of the collection changes, which takes a restart of the hub, a new generation of the index begins: the channels of all
/// documents are determined again, and a document has left those in which it is not anymore. Clients that were served in another generation
/// start from the beginning.
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
        /// The channels that the document left with its last change, or since then because the rule has changed.
        var left: [String]
        /// The generation of the index; `nil` in the first one.
        var generation: UInt64?
    }

    /// How far the index is complete.
    struct Progress: Sendable {
        /// The changes up to this sequence are in the index.
        var sequence: UInt64
        /// Whether these are all changes, so that they may be served.
        var isComplete = false
        /// The number of changes of the rule since the index was created.
        let generation: UInt64
    }

    /// The rule with which the index was made.
    private struct Mapping: Codable {
        let rule: String
        let generation: UInt64
    }

    /// The maximum number of remembered documents that were changed after they had left a channel. The oldest are forgotten.
    static let maximumMoved = 2000
    /// The number of changes that are added in one transaction.
    private static let batchSize = 1000

    private let own: DatabaseFile
    private let key: String
    /// Where the channels of documents come from.
    let rule: ChannelRule
    /// How far the index is complete; `nil` if this was not read yet. Locked while the index is updated, which reads the database: must not be
    /// locked by who uses a connection of that database.
    private let progress = Mutex<Progress?>(nil)
    /// The remembered documents, by sequence. Has a lock of its own, because it is read while a connection is in use.
    private let moved = Mutex<[Moved]>([])

    /// - Parameters:
    ///   - own: The hub's own database.
    ///   - database: The database of the collection.
    init(in own: DatabaseFile, _ id: CollectionID, of database: HubDatabase) throws {
        self.own = own
        rule = database.rule(of: id)
        // A database that replaces another one has another ID.
        key = try database.file.ensuredPrivateUUID().map { String(format: "%02x", $0) }.joined() + "/" + id.fullName
    }

    /// Adds the changes of the collection that are not in the index yet: some of them if they are many, because callers wait for each other, and
    /// so would all requests. Returns how far the index is complete.
    func update(_ collection: ReplicaCollection) throws -> Progress {
        try progress.withLock { progress in
            var indexed = try progress ?? readStored()
            progress = indexed
            let last = try collection.lastSequence()
            // The database was replaced by an older state of itself.
            if last < indexed.sequence {
                indexed.sequence = 0
                moved.withLock { $0 = [] }
            }
            if indexed.sequence < last {
                let changes = try collection.withOneSnapshot { () -> [(LocalChange, [String])] in
                    try collection.changes(after: indexed.sequence, limit: Self.batchSize, remote: nil).map { change in
                        let record = try collection.store.document(change.documentID, includingDeleted: true)
                        return (change, record.map { rule.channels(of: $0.body, $0.sharedKeys) } ?? [])
                    }
                }
                indexed.sequence = changes.last?.0.sequence ?? last
                let remembered = try own.transaction { try add(changes, upTo: indexed, in: $0) }
                moved.withLock { $0 = remembered }
            }
            indexed.isComplete = indexed.sequence >= last
            progress = indexed
            return indexed
        }
    }

    /// Reads what is stored for the collection as a whole. Begins a generation if the rule has changed.
    private func readStored() throws -> Progress {
        let stored = try read([Moved].self, movedKey) ?? []
        moved.withLock { $0 = stored }
        let sequence = try read(UInt64.self, key)
        let mapping = try read(Mapping.self, mappingKey) ?? Mapping(rule: ChannelRule.standard.fingerprint, generation: 0)
        guard !mapping.rule.isExactly(rule.fingerprint) else { return Progress(sequence: sequence ?? 0, generation: mapping.generation) }
        // Nothing was served from an index that does not exist yet.
        let new = Mapping(rule: rule.fingerprint, generation: sequence == nil ? mapping.generation : mapping.generation &+ 1)
        try own.transaction { writer in
            try write(new, mappingKey, in: writer)
            try write(UInt64(0), key, in: writer)
        }
        return Progress(sequence: 0, generation: new.generation)
    }

    /// Adds changes, and returns the documents to be remembered. They are stored only if there are new ones.
    private func add(_ changes: [(LocalChange, [String])], upTo end: Progress, in writer: Writer) throws -> [Moved] {
        var new: [Moved] = []
        for (change, channels) in changes {
            let entryKey = entryKey(change.documentID)
            let before = try read(Entry.self, entryKey)
            // A change that is added again, because the database was replaced by an older state, left the same channels.
            let isKnown = before?.sequence == change.sequence
            if isKnown, before?.generation ?? 0 == end.generation { continue }
            // A document that has only been examined again, because the rule has changed, has also left what it left with its last change.
            let earlier = (before?.channels ?? []) + (isKnown ? before?.left ?? [] : [])
            let left = Set(exactly: earlier).subtracting(Set(exactly: channels)).sorted().map(\.string)
            if let before, !isKnown, !before.left.isEmpty {
                new.append(Moved(sequence: before.sequence, documentID: change.documentID, left: before.left))
            }
            let generation = end.generation == 0 ? nil : end.generation
            let entry = Entry(sequence: change.sequence, channels: channels, left: left, generation: generation)
            try write(entry, entryKey, in: writer)
        }
        try write(end.sequence, key, in: writer)
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

    private var mappingKey: String { "mapping/" + key }

    private func entryKey(_ documentID: String) -> String { key + "/" + documentID }

    private func read<Stored: Decodable>(_ type: Stored.Type, _ key: String) throws -> Stored? {
        try own.read { try RawStore.channels.document(key, on: $0) }.map { try JSONDecoder().decode(type, from: Data($0.body)) }
    }

    private func write(_ stored: some Encodable, _ key: String, in writer: Writer) throws {
        try RawStore.channels.set(key, to: .init(body: Array(JSONEncoder().encode(stored))), in: writer)
    }
}

/// The indexes of channels of all collections, created when they are first needed.
final class ChannelIndexes: Sendable {
    private struct State {
        var indexes: [ExactString: ChannelIndex] = [:]
    }

    private let own: DatabaseFile
    private let state = Mutex(State())

    /// - Parameter own: The hub's own database.
    init(in own: DatabaseFile) { self.own = own }

    func index(of id: CollectionID, in database: HubDatabase) throws -> ChannelIndex {
        // A slash cannot be part of the name of a database.
        try state.withLock { state in
            let name = ExactString(database.name + "/" + id.fullName)
            if let known = state.indexes[name] { return known }
            let made = try ChannelIndex(in: own, id, of: database)
            state.indexes[name] = made
            return made
        }
    }
}
#endif
