/// The lists of changes of which revisions were requested and are not processed yet, for all pullers of a session.
///
/// A peer sends revisions about in the order in which they were requested. If nothing of the oldest list arrives anymore although the peer
/// sends other messages, it has passed over the rest of this list.
struct RequestedLists {
    private var awaitedCounts: [Int: Int] = [:]
    private var processedCounts: [Int: Int] = [:]
    private var newest = 0

    /// The number of revisions that were requested and not received yet.
    private(set) var awaitedCount = 0
    /// The number of the oldest list of which revisions are awaited, if there are any.
    private(set) var oldest = 0
    /// The time since which nothing of the oldest list has arrived.
    var progressTime = Duration.zero

    mutating func add(_ count: Int, at time: Duration) -> Int {
        newest += 1
        if awaitedCount == 0 { progressTime = time }
        beginWait(count, of: newest)
        return newest
    }

    /// Notes that a revision has arrived, and is being processed.
    mutating func arrive(_ list: Int, at time: Duration) {
        Self.add(1, to: &processedCounts[list])
        endWait(list, at: time)
    }

    /// Notes that a revision that was being processed is awaited again.
    mutating func awaitAgain(_ list: Int, at time: Duration) {
        end(list)
        beginWait(1, of: list)
        if list == oldest { progressTime = time }
    }

    mutating func end(_ list: Int) { Self.add(-1, to: &processedCounts[list]) }

    /// Notes that a revision is not awaited anymore although it has not arrived.
    mutating func endWait(_ list: Int, at time: Duration) {
        if list == oldest { progressTime = time }
        awaitedCount -= 1
        Self.add(-1, to: &awaitedCounts[list])
        while oldest < newest, awaitedCounts[oldest] == nil { oldest += 1 }
    }

    /// Whether revisions of the oldest list or of earlier ones are being processed. The peer may wait for the responses to them before it
    /// sends more.
    var isProcessingOldest: Bool { processedCounts.keys.contains { $0 <= oldest } }

    private mutating func beginWait(_ count: Int, of list: Int) {
        guard count > 0 else { return }
        oldest = awaitedCount == 0 ? list : min(oldest, list)
        awaitedCount += count
        Self.add(count, to: &awaitedCounts[list])
    }

    private static func add(_ change: Int, to count: inout Int?) {
        let sum = (count ?? 0) + change
        count = sum > 0 ? sum : nil
    }
}
