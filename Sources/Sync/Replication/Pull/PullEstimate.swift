/// Estimates the number of documents that a peer has yet to announce, so that progress can be shown early.
///
/// A pull covers the sequences from its start to the last sequence of the peer. The share of wanted documents among the remaining sequences
/// is assumed to be the same as so far; at first, all are assumed to be wanted.
struct PullEstimate {
    /// The property of `subChanges` that requests the last sequence of the passive side (`true`), and of the response that contains it. An
    /// extension of this library (Replication 3.5): the property is only sent on request, and Sync Gateway ignores it. The last sequence of
    /// a Sync Gateway comes from ``ChannelHandshake/lastSequence``.
    static let property = "lastSequence"

    /// The last sequence of the peer; `nil` if it is unknown.
    var last: UInt64?
    private let start: UInt64
    private var position: UInt64
    private var wantedCount = 0

    /// - Parameter since: The sequence after which the pull starts. A sequence that is not a number counts as 0, because its position is
    ///   unknown.
    init(since: RemoteSequence? = nil) {
        start = since?.number ?? 0
        position = start
    }

    /// The estimated number of documents that have yet to be announced, at most one per sequence. The estimate is rather too high than too
    /// low.
    var remaining: UInt64 {
        guard let last, last > position else { return 0 }
        let ahead = Double(last - position)
        let seen = Double(position - start)
        let share = seen > 0 ? min(Double(wantedCount) / seen, 1) : 1
        // A limit for invalid values of a peer. No database has more documents.
        return UInt64(min((ahead * share).rounded(.up), 1e15))
    }

    mutating func note(_ rows: [ChangeRow], wantedCount count: Int) {
        wantedCount += count
        for row in rows.reversed() {
            guard let number = row.sequence.number else { continue }
            position = max(position, number)
            return
        }
    }

    /// Notes that the peer has announced all its changes.
    mutating func end() { last = nil }
}
