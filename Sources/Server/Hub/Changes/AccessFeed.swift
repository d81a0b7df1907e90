#if Replication
import DocumentStore
import Base
import Replication

/// The changes that a user is told about: documents that the user may read, and documents that the user may not read anymore.
///
/// When the channels of the user have changed since a client was served, the documents that it has examined are examined again first: those
/// in gained channels are announced, and those in lost channels are revoked.
struct AccessFeed {
    /// What a client wants to know.
    struct Options: Sendable {
        var channels: [String]?
        var documentIDs: Set<ExactString>?
        /// Whether tombstones are omitted until the end has been reached once.
        var isActiveOnly = false
        /// Whether documents are announced that the client may not read anymore.
        var hasRevocations = true
    }

    struct Item {
        let announced: AnnouncedChange
        /// The channels through which the user could read a document before; empty for documents that the user may read.
        let lostChannels: [String]
        /// The position of a client that has received this change.
        let position: FeedPosition
    }

    struct Page {
        var items: [Item] = []
        var examinedCount = 0
        var isEnd = false
    }

    private let collection: ReplicaCollection
    private let index: ChannelIndex
    /// Returns the user's current rights.
    private let rights: @Sendable () throws -> FeedRights
    private let options: Options
    /// The position of a client that has received all items.
    private(set) var position: FeedPosition
    /// The last sequence when the documents had been examined again. What changes later is served in the current epoch only.
    private var target: UInt64?
    private var hasReachedEnd = false
    /// The number of changes that ``next()`` returns.
    private let batchSize: Int

    /// The number of changes to read at once, for a number of changes to return. The user may be able to read few of them.
    private static func readCount(_ limit: Int) -> Int { min(max(limit, 100), 1000) }

    init(
        _ collection: ReplicaCollection,
        _ index: ChannelIndex,
        since position: FeedPosition,
        _ options: Options,
        batchSize: Int = 200,
        rights: @escaping @Sendable () throws -> FeedRights
    ) throws {
        self.collection = collection
        self.index = index
        self.options = options
        self.batchSize = batchSize
        self.rights = rights
        // A client whose sequence is higher than the last one has synced with another state of this database. It starts from the beginning.
        self.position = try position.sequence <= collection.lastSequence() ? position : FeedPosition()
    }

    /// Reads the next changes.
    ///
    /// - Parameter limit: The maximum number of changes to return.
    mutating func next(_ limit: Int) throws -> Page {
        let rights = try self.rights()
        let progress = try index.update(collection)
        guard progress.isComplete else { return Page(examinedCount: Self.readCount(.max)) }
        enter(rights.history.current, progress.generation)
        let end = progress.sequence
        return try collection.withOneSnapshot {
            try position.examined == nil ? changes(limit, upTo: end, rights) : examineAgain(limit, upTo: end, rights)
        }
    }

    /// Begins to examine the documents again if the channels of the user have changed. Starts from the beginning if those of the documents come
    /// from elsewhere since the client was served: then the index knows which channels the documents have left by that.
    private mutating func enter(_ epoch: UInt64, _ generation: UInt64) {
        if position.generation != generation {
            position = FeedPosition(generation: generation)
            target = nil
        }
        guard position.epoch != epoch else { return }
        // A number that is too high was assigned by another hub. Starting from the beginning is always correct.
        if position.epoch > epoch { position = FeedPosition(generation: generation) }
        let from = min(position.from, position.epoch)
        position = FeedPosition(
            epoch: epoch,
            sequence: position.sequence,
            from: from,
            examined: position.sequence > 0 ? 0 : nil,
            generation: generation
        )
        target = nil
    }

    // MARK: Changes

    private mutating func changes(_ limit: Int, upTo end: UInt64, _ rights: FeedRights) throws -> Page {
        if position.from != position.epoch, target == nil { target = end }
        let start = position.sequence
        let readCount = Self.readCount(limit)
        let found = try collection.readableChanges(after: start, limit: readCount)
        let changes = found.changes.prefix { $0.sequence <= end }
        let isComplete = found.count < readCount || found.last.map { $0 > end } ?? true
        let last = isComplete ? end : found.last ?? end
        let earlier = rights.history.earlier(since: position.from)
        var page = Page()
        var moved = index.moved(after: start, upTo: last)[...]
        for change in changes {
            while let next = moved.first, next.sequence < change.sequence {
                guard page.items.count < limit else { return page }
                moved.removeFirst()
                advance(to: next.sequence)
                if let item = try self.item(next, earlier, rights) { page.items.append(item) }
            }
            guard page.items.count < limit else { return page }
            advance(to: change.sequence)
            page.examinedCount += 1
            if let item = try self.item(change, earlier, rights) { page.items.append(item) }
        }
        for next in moved {
            guard page.items.count < limit else { return page }
            advance(to: next.sequence)
            if let item = try self.item(next, earlier, rights) { page.items.append(item) }
        }
        advance(to: last)
        page.isEnd = isComplete
        if isComplete { hasReachedEnd = true }
        return page
    }

    private mutating func advance(to sequence: UInt64) {
        position.sequence = max(position.sequence, sequence)
        guard let target, sequence >= target else { return }
        position.from = position.epoch
        self.target = nil
    }

    private func item(_ change: LocalChange, _ earlier: EarlierChannels, _ rights: FeedRights) throws -> Item? {
        // A document that has changed since comes again.
        guard isWanted(change), let channels = try self.channels(of: change) else { return nil }
        if rights.access.mayRead(channels) {
            guard passesFilter(channels), !(change.isDeleted && skipsTombstones) else { return nil }
            return item(change)
        }
        let presence = try index.presence(of: change.documentID, in: channels)
        let revoked = earlier.shared(presence)
        if !revoked.isEmpty { return item(change, .revoked, revoked) }
        let removed = earlier.shared(presence.left)
        return removed.isEmpty ? nil : item(change, .removed, removed)
    }

    private func item(_ moved: ChannelIndex.Moved, _ earlier: EarlierChannels, _ rights: FeedRights) throws -> Item? {
        let removed = earlier.shared(ChannelIndex.entered(moved.left, moved.times))
        guard !removed.isEmpty, let change = try readableChange(of: moved.documentID), isWanted(change),
            let channels = try self.channels(of: change), !rights.access.mayRead(channels)
        else { return nil }
        return item(change, .removed, removed)
    }

    /// Returns the current revision of a document; `nil` if the document does not exist or is damaged.
    private func readableChange(of documentID: String) throws -> LocalChange? {
        do {
            return try collection.change(of: documentID, remote: nil)
        } catch StoreError.corruptDocument {
            return nil
        }
    }

    // MARK: Examining again

    private mutating func examineAgain(_ limit: Int, upTo end: UInt64, _ rights: FeedRights) throws -> Page {
        var page = Page()
        let (earlier, always) = (rights.history.earlier(since: position.from), rights.history.all(since: position.from))
        let found = try collection.readableChanges(after: position.examined ?? 0, limit: Self.readCount(limit))
        for change in found.changes {
            guard change.sequence <= position.sequence else { break }
            guard page.items.count < limit else { return page }
            position.examined = change.sequence
            page.examinedCount += 1
            // A tombstone is nothing that the user could lose, and nothing that the user has gained.
            guard !change.isDeleted, isWanted(change), let channels = try self.channels(of: change) else { continue }
            if rights.access.mayRead(channels) {
                guard Self.common(channels, always).isEmpty, passesFilter(channels) else { continue }
                page.items.append(item(change))
            } else if earlier.mayInclude(channels) {
                // The index is not read for other documents, which may be most of them.
                let revoked = earlier.shared(try index.presence(of: change.documentID, in: channels))
                if !revoked.isEmpty, let item = self.item(change, .revoked, revoked) { page.items.append(item) }
            }
        }
        if let last = found.last, last <= position.sequence {
            // The last ones may be damaged.
            position.examined = last
        } else if page.examinedCount == 0 {
            position.examined = nil
            target = end
            if position.sequence >= end { advance(to: position.sequence) }
        }
        return page
    }

    // MARK: Details

    private var skipsTombstones: Bool { options.isActiveOnly && !hasReachedEnd && options.documentIDs == nil }

    private func isWanted(_ change: LocalChange) -> Bool {
        !change.isExpired && options.documentIDs?.contains(change.documentID) ?? true
    }

    /// Returns the channels of the current revision; `nil` if it is not the one of the change.
    private func channels(of change: LocalChange) throws -> [String]? {
        guard let record = try collection.store.document(change.documentID, includingDeleted: true), record.sequence == change.sequence
        else { return nil }
        return index.rule.channels(of: record.body, record.sharedKeys)
    }

    private func passesFilter(_ channels: [String]) -> Bool {
        guard let wanted = options.channels, !wanted.contains(where: { $0.isExactly(HubAccess.all) }) else { return true }
        return channels.contains { channel in wanted.contains { $0.isExactly(channel) } }
    }

    private func item(_ change: LocalChange) -> Item {
        Item(announced: AnnouncedChange(change, sequence: position.json), lostChannels: [], position: position)
    }

    private func item(_ change: LocalChange, _ loss: AnnouncedChange.Loss, _ channels: [String]) -> Item? {
        guard options.hasRevocations, !(options.isActiveOnly && !hasReachedEnd) else { return nil }
        return Item(
            announced: AnnouncedChange(change, sequence: position.json, loss: loss),
            lostChannels: channels,
            position: position
        )
    }

    /// Returns those of the channels of a document that a set contains. A document without channels is in the channel `*` only.
    private static func common(_ channels: [String], _ set: Set<ExactString>) -> [String] {
        if set.contains(HubAccess.all) { return channels.isEmpty ? [HubAccess.all] : channels }
        return channels.filter { set.contains($0) }
    }
}

extension AccessFeed: PassiveFeed {
    mutating func next() throws -> PassiveSlice {
        let page = try next(batchSize)
        return PassiveSlice(changes: page.items.map(\.announced), examinedCount: page.examinedCount, isEnd: page.isEnd)
    }
}
#endif
