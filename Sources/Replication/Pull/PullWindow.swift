/// Limits the revisions that were requested and not received yet. Shared by the pullers of a session.
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

    /// The number of revisions that were requested and not received yet.
    private(set) var awaitedCount = 0
    /// The moving average of the size of received bodies, in bytes; `nil` before the first one.
    private var averageSize: Double?
    private var waiting = FIFO<Work>()

    /// Work that waits for room.
    private struct Work {
        let run: () -> Void
    }

    /// The maximum number of outstanding revisions.
    var limit: Int {
        guard let averageSize else { return Self.minimumCount }
        return min(max(Int(Double(Self.size) / max(averageSize, 1)), Self.minimumCount), Self.maximumCount)
    }

    private var hasRoom: Bool { awaitedCount < limit }

    /// Runs `work`, which requests revisions, when there is room: immediately, or later in order.
    func whenRoom(_ work: @escaping () -> Void) {
        waiting.append(Work(run: work))
        doWaiting()
    }

    /// Notes that revisions were requested.
    func asked(for count: Int) {
        awaitedCount += count
    }

    /// Notes that a revision was received, or will not be received; its size is `nil` then.
    func arrived(size: Int?) {
        awaitedCount -= 1
        if let size {
            let average = averageSize ?? Double(size)
            averageSize = average + (Double(size) - average) / 32
        }
        doWaiting()
    }

    private func doWaiting() {
        while hasRoom, let work = waiting.popFirst() { work.run() }
    }

    /// Discards the waiting work. Called when the connection has ended.
    func disconnected() {
        waiting = FIFO()
    }
}
