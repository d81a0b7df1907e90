/// Limits how many changes the pushers of a session examine in one turn, so that other events, such as the end of the session, are handled
/// in between.
struct ReadingBudget {
    /// The cost of a turn: the number of changes that are examined without a filter.
    private static let total = ChangeCursor.sliceSize
    /// The cost of a change for which a filter of the app is called. The filter needs the body, and may be slow.
    private static let costOfFilter = 5

    private var remaining: Int
    /// Whether a pusher has more to read than the budget allows.
    private(set) var isExceeded = false

    /// - Parameter isEmpty: Whether nothing may be read in this turn.
    init(isEmpty: Bool) { remaining = isEmpty ? 0 : Self.total }

    /// Returns whether a pusher may read its next changes. They may exceed the budget by one list.
    mutating func mayRead() -> Bool {
        if remaining <= 0 { isExceeded = true }
        return remaining > 0
    }

    mutating func spend(_ count: Int, isFiltered: Bool) { remaining -= isFiltered ? count * Self.costOfFilter : count }
}
