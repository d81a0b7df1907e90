package import BLIP

/// The capabilities that the receiver of revisions has reported in responses to `changes` or `proposeChanges` (Replication 3.6, 4.5).
package struct PeerAbilities: Sendable, Equatable {
    /// The maximum number of revisions in a history, including the revision that is sent.
    package var maximumHistory = 50
    /// Whether the peer finds inline blobs in bodies. Otherwise they must be listed in `_attachments`.
    package var findsBlobs = false
    /// Whether the peer accepts deltas.
    package var takesDeltas = false

    /// The highest value of ``maximumHistory``, whatever the peer reports. Revision trees are pruned to 50 revisions by default; gaps left by
    /// that are filled up to this number, so without it a peer could request a history of any length.
    package static let longestHistory = 1000

    package init() {}

    /// Adds the capabilities reported in a response. A capability stays set once it was reported.
    package mutating func learn(from properties: Properties) {
        if let maximum = properties.integer("maxHistory") { maximumHistory = min(max(1, maximum), Self.longestHistory) }
        if properties.boolean("blobs") { findsBlobs = true }
        if properties.boolean("deltas") { takesDeltas = true }
    }
}
