/// How many revisions may have been asked for and not have come. Shared by the pullers of a session.
///
/// A list of changes is not answered before there is room, which holds the peer back. The original has room for 200 revisions
/// (Replication 4.6); here it is for a number of bytes, as far as can be known, so that many small documents fill a slow line
/// as few large ones do.
final class PullWindow {
    /// There is room for so many revisions, whatever their size.
    static let minimumCount = 200
    /// There is never room for more: enough for 50,000 small documents a second when a round trip takes 100 ms.
    static let maximumCount = 5000
    /// Bytes of bodies.
    static let size = 4 << 20

    /// Revisions that were asked for and have not come.
    private(set) var awaitedCount = 0
    /// The size of bodies that have come lately.
    private var averageSize: Double?
    private var waiting: [() -> Void] = []

    /// How many lists wait for room.
    var waitingCount: Int { waiting.count }

    /// For so many revisions there is room.
    var limit: Int {
        guard let averageSize else { return Self.minimumCount }
        return min(max(Int(Double(Self.size) / max(averageSize, 1)), Self.minimumCount), Self.maximumCount)
    }

    private var hasRoom: Bool { awaitedCount < limit }

    /// Does `work`, which asks for revisions, when there is room: at once, or later in its turn.
    func whenRoom(_ work: @escaping () -> Void) {
        waiting.append(work)
        doWaiting()
    }

    /// Revisions were asked for.
    func asked(for count: Int) {
        awaitedCount += count
    }

    /// A revision has come; or will not, and has no size then.
    func arrived(size: Int?) {
        awaitedCount -= 1
        if let size {
            let average = averageSize ?? Double(size)
            averageSize = average + (Double(size) - average) / 32
        }
        doWaiting()
    }

    private func doWaiting() {
        while hasRoom, !waiting.isEmpty {
            let work = waiting.removeFirst()
            work()
        }
    }

    /// Forgets who waits: the connection has ended.
    func disconnected() {
        waiting.removeAll()
    }
}
