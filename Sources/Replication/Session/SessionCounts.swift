/// The number of documents that a session has processed, by outcome.
package struct SessionCounts: Sendable, Equatable {
    /// Documents pushed to the other side, including deletions.
    package var pushed: UInt64 = 0
    /// Documents pulled from the other side.
    package var pulled: UInt64 = 0
    /// Documents removed locally, because the other side deleted them or the user lost access to them.
    package var removed: UInt64 = 0
    /// Documents that were not replicated, and will not be until they change.
    package var refused: UInt64 = 0

    package init() {}

    /// The number of documents replicated without an error.
    package var replicated: UInt64 { pushed + pulled + removed }

    /// Counts a document that was pulled.
    mutating func addPulled(isRemoved: Bool) {
        if isRemoved { removed += 1 } else { pulled += 1 }
    }
}

extension SessionCounts: CustomStringConvertible {
    package var description: String { "\(pushed) pushed, \(pulled) pulled, \(removed) removed, \(refused) refused" }
}
