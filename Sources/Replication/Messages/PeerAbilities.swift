package import BLIP

/// What the receiver of revisions has said of itself in answers to `changes` or `proposeChanges` (Replication 3.6, 4.5).
package struct PeerAbilities: Sendable, Equatable {
    /// How many revisions, the one that is sent among them, a history is to name at most.
    package var maximumHistory = 50
    /// Whether it finds blobs in bodies; otherwise it has to be told of them in `_attachments`.
    package var findsBlobs = false
    /// Whether it takes deltas.
    package var takesDeltas = false

    package init() {}

    /// Takes over what an answer says. What has been said once need not be said again.
    package mutating func learn(from properties: Properties) {
        if let maximum = properties.integer("maxHistory") { maximumHistory = Int(clamping: max(1, maximum)) }
        if properties.boolean("blobs") { findsBlobs = true }
        if properties.boolean("deltas") { takesDeltas = true }
    }
}
