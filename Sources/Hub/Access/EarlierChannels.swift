#if Replication
import ExactStrings

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
#endif
