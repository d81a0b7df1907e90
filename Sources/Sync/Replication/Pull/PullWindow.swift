/// Limits the revisions that were requested and not received yet, and notes how far the peer has got. Shared by the pullers of a session.
///
/// A list of changes is not answered until there is room, which slows the peer down. Stock software has a limit of 200 revisions
/// (Replication 4.6). This limit is a number of bytes, as far as it is known, so that many small documents use a slow connection as well as
/// a few large ones.
final class PullWindow {
    /// The limit is never lower than this number of revisions, whatever their size.
    static let minimumCount = 200
    /// The limit is never higher than this number of revisions. It allows 50,000 small documents per second at a round-trip time of 100 ms.
    static let maximumCount = 5000
    /// The size of the window in bytes of bodies.
    static let size = 4 << 20

    /// The lists of which revisions are awaited or being processed.
    var lists = RequestedLists()
    /// The moving average of the size of received bodies, in bytes; `nil` before the first one.
    private var averageSize: Double?
    private var waiting = FIFO<Work>()

    private struct Work {
        let run: () -> Void
    }

    /// The maximum number of outstanding revisions.
    var limit: Int {
        guard let averageSize else { return Self.minimumCount }
        return min(max(Int(Double(Self.size) / max(averageSize, 1)), Self.minimumCount), Self.maximumCount)
    }

    private var hasRoom: Bool { lists.awaitedCount < limit }

    /// Runs `work`, which requests revisions, when there is room: immediately, or later in order.
    func whenRoom(_ work: @escaping () -> Void) {
        waiting.append(Work(run: work))
        doWaiting()
    }

    /// Notes that a revision was received and is being processed.
    func arrived(size: Int, of list: Int, at time: Duration) {
        lists.arrive(list, at: time)
        let average = averageSize ?? Double(size)
        averageSize = average + (Double(size) - average) / 32
        doWaiting()
    }

    /// Notes that a revision will not be received.
    func gaveUp(_ list: Int, at time: Duration) {
        lists.endWait(list, at: time)
        doWaiting()
    }

    private func doWaiting() {
        while hasRoom, let work = waiting.popFirst() { work.run() }
    }

    func disconnected() { waiting = FIFO() }
}
