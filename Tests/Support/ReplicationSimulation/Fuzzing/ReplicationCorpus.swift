import TestSupport

/// The kinds of corpus inputs for replication.
package enum ReplicationCorpus: String, CaseIterable, Sendable {
    /// BLIP frames: see ``FrameComposer/frames(from:)``.
    case frames
    /// Messages of a peer to a session: see ``WrittenMessage``.
    case messages
    /// Revision bodies.
    case bodies
    /// Deltas: the base document in the first line, then the delta.
    case deltas

    /// Processes an input, and returns the failures.
    package func findings(in bytes: [UInt8]) -> [String] {
        switch self {
        case .frames: BLIPFuzzing.examine(bytes).failures
        case .messages: MessageFuzzing.examine(bytes).failures
        case .bodies: BodyFuzzing.examine(body: bytes).failures
        case .deltas: BodyFuzzing.examine(delta: bytes).failures
        }
    }
}
