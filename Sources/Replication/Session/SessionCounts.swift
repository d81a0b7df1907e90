/// How many documents a session has replicated, by what has become of them.
package struct SessionCounts: Sendable, Equatable {
    /// The other side has them from here, deletions included.
    package var pushed: UInt64 = 0
    /// They are here from the other side.
    package var pulled: UInt64 = 0
    /// They are here no more: the other side has deleted them, or they may not be seen any longer.
    package var removed: UInt64 = 0
    /// They were not replicated, and will not be until they change.
    package var refused: UInt64 = 0

    package init() {}

    /// How many went through without an error.
    package var replicated: UInt64 { pushed + pulled + removed }

    /// Counts a document that has come from the other side.
    mutating func addPulled(isRemoved: Bool) {
        if isRemoved { removed += 1 } else { pulled += 1 }
    }
}

extension SessionCounts: CustomStringConvertible {
    package var description: String { "\(pushed) pushed, \(pulled) pulled, \(removed) removed, \(refused) refused" }
}
