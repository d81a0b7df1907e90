#if Replication
import DocumentStore
import Base
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
        /// The moments (``AccessClock``) at which the document had come into ``left``; `nil` if all are 0.
        let times: [UInt64]?
    }

    /// When a document came into channels.
    struct Presence: Equatable, Sendable {
        let channels: [EnteredChannel]
        /// The channels that the document left with its last change.
        let left: [EnteredChannel]
        /// A moment (``AccessClock``) before the document was stored first.
        let firstTime: UInt64
    }

    private struct Entry: Codable {
        var sequence: UInt64
        var channels: [String]
        /// The channels that the document left with its last change, or since then because the rule has changed.
        var left: [String]
        /// The generation of the index; `nil` in the first one.
        var generation: UInt64?
        /// The moments (``AccessClock``) at which the document came into ``channels`` and ``left``; `nil` if all are 0, or not known.
        var times: [UInt64]?
        var leftTimes: [UInt64]?
        /// A moment before the document was stored first; `nil` if it is 0, or not known.
        var firstTime: UInt64?

        /// Returns the moment at which the document came into a channel that it has or had; `nil` if there is no such channel.
        func time(of channel: String, includingLeft: Bool) -> UInt64? {
            if let index = channels.firstIndex(where: { $0.isExactly(channel) }) { return ChannelIndex.time(times, index) }
            guard includingLeft, let index = left.firstIndex(where: { $0.isExactly(channel) }) else { return nil }
            return ChannelIndex.time(leftTimes, index)
        }
    }

    private static func time(_ times: [UInt64]?, _ index: Int) -> UInt64 {
        guard let times, times.indices.contains(index) else { return 0 }
        return times[index]
    }

    /// Returns channels with their moments.
    static func entered(_ names: [String], _ times: [UInt64]?) -> [EnteredChannel] {
        names.enumerated().map { index, name in EnteredChannel(name: name, time: time(times, index)) }
    }

    /// How far the index is complete.
    struct Progress: Sendable {
        /// The changes up to this sequence are in the index.
        var sequence: UInt64
        /// Whether these are all changes, so that they may be served.
        var isComplete = false
        /// The number of changes of the rule since the index was created.
        let generation: UInt64
        /// A moment (``AccessClock``) at which the index was complete. What it learns later was stored since then.
        var clock: UInt64
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
    /// Held while ``progress`` is. Who adds all changes, some at a time, leaves it to each other request in between.
    private let turns = FairLock()
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
        try turns.withLock { try progress.withLock { try update(collection, &$0) } }
    }

    private func update(_ collection: ReplicaCollection, _ progress: inout Progress?) throws -> Progress {
        // Read before the last sequence, so that all that was stored before this moment will be in the index.
        let now = try AccessClock.now(in: own)
        var indexed = try progress ?? readStored()
        progress = indexed
        let last = try collection.lastSequence()
        // The database was replaced by an older state of itself.
        if last < indexed.sequence {
            (indexed.sequence, indexed.clock) = (0, 0)
            // Stored at once, because the documents of the older state may be added in several steps.
            try own.transaction { writer in
                try write(UInt64(0), key, in: writer)
                try write(UInt64(0), clockKey, in: writer)
                try write([Moved](), movedKey, in: writer)
            }
            moved.withLock { $0 = [] }
        }
        if indexed.sequence < last {
            typealias Read = (found: ReplicaCollection.ReadableChanges, changes: [(LocalChange, [String])])
            let (found, changes) = try collection.withOneSnapshot { () -> Read in
                let found = try collection.readableChanges(after: indexed.sequence, limit: Self.batchSize)
                let changes = try found.changes.map { change in
                    let record = try collection.store.document(change.documentID, includingDeleted: true)
                    return (change, record.map { rule.channels(of: $0.body, $0.sharedKeys) } ?? [])
                }
                return (found, changes)
            }
            for id in found.damaged { EngineLog.log(.error, .database, "\"\(id)\" is damaged and cannot be sent to clients") }
            let before = indexed.clock
            indexed.sequence = found.last ?? last
            if indexed.sequence >= last { indexed.clock = now }
            let remembered = try own.transaction { [indexed] in try add(changes, storedSince: before, upTo: indexed, in: $0) }
            moved.withLock { $0 = remembered }
        }
        indexed.isComplete = indexed.sequence >= last
        if indexed.isComplete { indexed.clock = now }
        progress = indexed
        return indexed
    }

    /// Reads what is stored for the collection as a whole. Begins a generation if the rule has changed.
    private func readStored() throws -> Progress {
        let stored = try read([Moved].self, movedKey) ?? []
        moved.withLock { $0 = stored }
        let sequence = try read(UInt64.self, key)
        let clock = try read(UInt64.self, clockKey) ?? 0
        let mapping = try read(Mapping.self, mappingKey) ?? Mapping(rule: ChannelRule.standard.fingerprint, generation: 0)
        guard !mapping.rule.isExactly(rule.fingerprint) else {
            return Progress(sequence: sequence ?? 0, generation: mapping.generation, clock: clock)
        }
        // Nothing was served from an index that does not exist yet.
        let new = Mapping(rule: rule.fingerprint, generation: sequence == nil ? mapping.generation : mapping.generation &+ 1)
        try own.transaction { writer in
            try write(new, mappingKey, in: writer)
            try write(UInt64(0), key, in: writer)
        }
        return Progress(sequence: 0, generation: new.generation, clock: clock)
    }

    /// Adds changes, and returns the documents to be remembered. They are stored only if there are new ones.
    ///
    /// - Parameter time: A moment before the changes were made.
    private func add(
        _ changes: [(LocalChange, [String])],
        storedSince time: UInt64,
        upTo end: Progress,
        in writer: Writer
    ) throws -> [Moved] {
        var new: [Moved] = []
        for (change, channels) in changes {
            let entryKey = self.entryKey(change.documentID)
            let before = try read(Entry.self, entryKey)
            // A change that is added again, because the database was replaced by an older state, left the same channels.
            let isKnown = before?.sequence == change.sequence
            if isKnown, before?.generation ?? 0 == end.generation { continue }
            // A document that has only been examined again, because the rule has changed, has also left what it left with its last change.
            let earlier = (before?.channels ?? []) + (isKnown ? before?.left ?? [] : [])
            let left = Set(exactly: earlier).subtracting(Set(exactly: channels)).sorted().map(\.string)
            if let before, !isKnown, !before.left.isEmpty {
                new.append(Moved(sequence: before.sequence, documentID: change.documentID, left: before.left, times: before.leftTimes))
            }
            let first = before.map { $0.firstTime ?? 0 } ?? time
            let entry = Entry(
                sequence: change.sequence,
                channels: channels,
                left: left,
                generation: end.generation == 0 ? nil : end.generation,
                times: Self.stored(channels.map { before?.time(of: $0, includingLeft: isKnown) ?? time }),
                leftTimes: Self.stored(left.map { before?.time(of: $0, includingLeft: isKnown) ?? time }),
                firstTime: first == 0 ? nil : first
            )
            try write(entry, entryKey, in: writer)
        }
        try write(end.sequence, key, in: writer)
        if end.clock != time { try write(end.clock, clockKey, in: writer) }
        let known = moved.withLock { $0 }
        guard !new.isEmpty else { return known }
        let all = Array((known + new).sorted { $0.sequence < $1.sequence }.suffix(Self.maximumMoved))
        try write(all, movedKey, in: writer)
        return all
    }

    /// Most documents need no space for moments, because the channels of few users change.
    private static func stored(_ times: [UInt64]) -> [UInt64]? { times.allSatisfy { $0 == 0 } ? nil : times }

    /// Returns when a document came into its channels.
    func presence(of documentID: String, in channels: [String]) throws -> Presence {
        guard let entry = try read(Entry.self, entryKey(documentID)) else {
            return Presence(channels: Self.entered(channels, nil), left: [], firstTime: 0)
        }
        // The document may have been changed since it was read. It comes again then.
        let current = channels.map { EnteredChannel(name: $0, time: entry.time(of: $0, includingLeft: false) ?? .max) }
        return Presence(channels: current, left: Self.entered(entry.left, entry.leftTimes), firstTime: entry.firstTime ?? 0)
    }

    /// Returns the documents that left channels after a sequence, up to another one, and were changed again later.
    func moved(after sequence: UInt64, upTo end: UInt64) -> [Moved] {
        moved.withLock { moved in
            guard let last = moved.last, last.sequence > sequence else { return [] }
            return moved.filter { $0.sequence > sequence && $0.sequence <= end }
        }
    }

    // MARK: Storage

    private var movedKey: String { "moved/" + key }

    private var clockKey: String { "clock/" + key }

    private var mappingKey: String { "mapping/" + key }

    private func entryKey(_ documentID: String) -> String { key + "/" + documentID }

    private func read<Stored: Decodable>(_ type: Stored.Type, _ key: String) throws -> Stored? {
        try own.read { try RawStore.channels.document(key, on: $0) }.map { try JSONDecoder().decode(type, from: Data($0.body)) }
    }

    private func write(_ stored: some Encodable, _ key: String, in writer: Writer) throws {
        try RawStore.channels.set(key, to: .init(body: Array(JSONEncoder().encode(stored))), in: writer)
    }
}
#endif
