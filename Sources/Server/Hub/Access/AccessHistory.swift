#if Replication
import DocumentStore
import Base

/// The channels that a user has had, in epochs: a new epoch begins when the channels change, before the hub serves anything with the new
/// ones.
///
/// Clients store the number of the epoch in the sequences of their checkpoints, so the hub knows what a client may have received.
struct AccessHistory: Codable, Equatable, Sendable {
    struct Epoch: Codable, Equatable, Sendable {
        let number: UInt64
        /// The moment of its beginning (``AccessClock``); `nil` if it is not known.
        let clock: UInt64?
        /// The channels that the user had at any time of the epoch, and those that the user had all the time. They differ only in the oldest
        /// epoch, which may stand for several.
        var any: [String]
        var all: [String]
    }

    /// The maximum number of epochs. The oldest ones are merged.
    static let maximumCount = 50

    /// The epochs, oldest first. The last one is the current one.
    private(set) var epochs: [Epoch]

    init(_ channels: Set<ExactString>) { epochs = [Self.epoch(0, channels, at: 0)] }

    /// The number of the current epoch.
    var current: UInt64 { epochs.last?.number ?? 0 }

    /// Returns whether these are the channels of the current epoch.
    func isCurrent(_ channels: Set<ExactString>) -> Bool { epochs.last.map { Set(exactly: $0.any) == channels } ?? false }

    /// Begins an epoch at a moment of the ``AccessClock``.
    mutating func begin(_ channels: Set<ExactString>, at clock: UInt64) {
        epochs.append(Self.epoch(current &+ 1, channels, at: clock))
        guard epochs.count > Self.maximumCount else { return }
        let oldest = epochs.removeFirst()
        epochs[0].any = Set(exactly: epochs[0].any + oldest.any).map(\.string).sorted { ExactString($0) < ExactString($1) }
        epochs[0].all.removeAll { name in !oldest.all.contains { $0.isExactly(name) } }
    }

    /// Forgets all channels, because the user is removed. The numbers go on, so that clients of a user with the same name are served as if they had
    /// received nothing.
    mutating func forget(at clock: UInt64) { epochs = [Self.epoch(current &+ 1, [], at: clock)] }

    /// Returns the channels that the user had at any time since an epoch.
    func earlier(since number: UInt64) -> EarlierChannels {
        let part = self.part(since: number)
        var ends: [ExactString: UInt64] = [:]
        for index in part.indices {
            let end = index + 1 < part.endIndex ? part[index + 1].clock ?? .max : .max
            for name in part[index].any { ends[ExactString(name)] = end }
        }
        return EarlierChannels(ends: ends)
    }

    /// Returns the channels that the user had all the time since an epoch.
    func all(since number: UInt64) -> Set<ExactString> {
        let part = self.part(since: number)
        guard let first = part.first else { return [] }
        return part.dropFirst().reduce(Set(exactly: first.all)) { $0.intersection(Set(exactly: $1.all)) }
    }

    /// The epochs since a number; with the oldest one if it may contain that number.
    private func part(since number: UInt64) -> ArraySlice<Epoch> {
        let start = epochs.lastIndex { $0.number <= number } ?? 0
        return epochs[start...]
    }

    private static func epoch(_ number: UInt64, _ channels: Set<ExactString>, at clock: UInt64) -> Epoch {
        let names = channels.map(\.string).sorted { ExactString($0) < ExactString($1) }
        return Epoch(number: number, clock: clock, any: names, all: names)
    }
}

/// What a user may do now, with the history of the user's channels.
struct FeedRights: Sendable {
    let access: HubAccess
    let history: AccessHistory
}

/// A channel of a document.
struct EnteredChannel: Equatable, Sendable {
    let name: String
    /// A moment (``AccessClock``) before the document came into the channel.
    let time: UInt64
}

/// The channels that a user has had, each with the moment at which the user lost it: the user is not told about documents that came into the
/// channel later, as soon as the indexes of channels are up to date after the loss.
struct EarlierChannels: Equatable, Sendable {
    /// The moments (``AccessClock``); the highest number for channels that the user still has.
    let ends: [ExactString: UInt64]

    private var endOfAll: UInt64 { ends[ExactString(HubAccess.all)] ?? 0 }

    /// Returns whether the user could have read a document that is in these channels, at whatever moment it came into them.
    func mayInclude(_ channels: [String]) -> Bool {
        endOfAll > 0 || channels.contains { ends[ExactString($0)] != nil }
    }

    /// Returns those channels of a document in which the user could read it.
    func shared(_ channels: [EnteredChannel]) -> [String] {
        channels.filter { $0.time < max(ends[ExactString($0.name)] ?? 0, endOfAll) }.map(\.name)
    }

    /// Returns the channels in which the user could read a document that is in these channels now. The channel `*` stands for those that are not
    /// known, and contains documents without channels.
    func shared(_ document: ChannelIndex.Presence) -> [String] {
        let named = shared(document.channels)
        return named.isEmpty && document.firstTime < endOfAll ? [HubAccess.all] : named
    }
}

/// Counts the changes of the channels of users, in the hub's own database. So it orders these changes and what the indexes of channels learn about
/// documents.
enum AccessClock {
    private static let key = "clock"

    /// Returns the number of changes so far.
    static func now(in own: DatabaseFile) throws -> UInt64 {
        try own.read { try RawStore.channels.document(key, on: $0) }.flatMap { UInt64(String(decoding: $0.body, as: UTF8.self)) } ?? 0
    }

    /// Counts a change, and returns its number.
    static func advance(in own: DatabaseFile, _ writer: Writer) throws -> UInt64 {
        let next = try now(in: own) &+ 1
        try RawStore.channels.set(key, to: .init(body: Array("\(next)".utf8)), in: writer)
        return next
    }
}
#endif
