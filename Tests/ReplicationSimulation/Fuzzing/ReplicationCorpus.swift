import TestSupport

/// The kinds of inputs in the corpus that concern replication.
package enum ReplicationCorpus: String, CaseIterable, Sendable {
    /// Frames of BLIP: see ``FrameComposer/frames(from:)``.
    case frames
    /// What a peer says to a session: see ``WrittenMessage``.
    case messages
    /// Bodies of revisions.
    case bodies
    /// The document that a delta is for in the first line, then the delta.
    case deltas

    /// Reads an input, and says what should not have happened.
    package func findings(in bytes: [UInt8]) -> [String] {
        switch self {
        case .frames: BLIPFuzzing.examine(bytes).failures
        case .messages: MessageFuzzing.examine(bytes).failures
        case .bodies: BodyFuzzing.examine(body: bytes).failures
        case .deltas: BodyFuzzing.examine(delta: bytes).failures
        }
    }
}
