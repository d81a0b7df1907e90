/// About how many documents a peer has yet to announce, so that a progress can be shown long before all is known.
///
/// A pull begins behind one sequence and ends at another, the peer's last one. How many of the sequences in between are wanted is taken
/// to be as it was until now; at first, all of them.
struct PullEstimate {
    /// The property of `subChanges` with which the passive side's last sequence is asked for (`true`), and of the reply that tells it: an
    /// extension of this library's own (Replication 3.5). Whoever does not ask is not told, and Sync Gateway passes it over; what it has,
    /// ``ChannelHandshake/lastSequence``, comes from elsewhere.
    static let property = "lastSequence"

    /// The peer's last sequence; nil when it is not known.
    var last: UInt64?
    private let start: UInt64
    private var position: UInt64
    private var wantedCount = 0

    /// - Parameter since: Where the pull begins. One that is no number counts as the beginning, and nothing can be known.
    init(since: RemoteSequence? = nil) {
        start = since?.number ?? 0
        position = start
    }

    /// Documents that have yet to be announced. Estimated generously: at most as many as there are sequences.
    var remaining: UInt64 {
        guard let last, last > position else { return 0 }
        let ahead = Double(last - position)
        let seen = Double(position - start)
        let share = seen > 0 ? min(Double(wantedCount) / seen, 1) : 1
        // A peer can say what it likes; more documents than this no database holds.
        return UInt64(min((ahead * share).rounded(.up), 1e15))
    }

    /// Notes rows that the peer has announced.
    mutating func note(_ rows: [ChangeRow], wantedCount count: Int) {
        wantedCount += count
        for row in rows.reversed() {
            guard let number = row.sequence.number else { continue }
            position = max(position, number)
            return
        }
    }

    /// Notes that the peer has announced everything.
    mutating func end() {
        last = nil
    }
}
