/// How many revisions may be on their way to the peer, unanswered.
///
/// The original sends while 2 MiB await their answers, and has lists of changes for 1,000 documents in flight; what comes of that
/// depends on the round trip. Here both grow with the product of round trip and throughput, so that a slow line is filled, and
/// a slow peer is not buried: it never has much more before it than it works off in a tenth of a second.
///
/// Shared by all that send revisions in a session.
final class SendWindow {
    /// So many revisions may always be on their way (Replication 4.13), unless they exceed ``alwaysAllowedBytes``.
    static let minimumCount = 10
    static let alwaysAllowedBytes = 2 << 20
    /// The bounds of the adapting limit, in bytes.
    static let initialLimit = 128 << 10
    static let maximumLimit = 8 << 20
    /// Lists of changes, however long the round trip: what they name takes a few megabytes at most.
    static let mostLists = 40
    /// What a message costs besides its body: its properties, its answer, and the peer's work.
    static let messageCost = 256
    /// How long the work that a peer has before it may take, besides the round trip.
    static let slack = Duration.milliseconds(50)

    /// Revisions on their way, and the bytes of their bodies and ``messageCost`` for each.
    private(set) var count = 0
    private(set) var cost = 0
    private(set) var limit = SendWindow.initialLimit

    /// The shortest time between a question and its answer that was seen lately.
    var roundTrip: Duration? { shortest.value.map { .nanoseconds($0) } }

    /// Bytes that have been answered so far.
    private var answeredCost = 0
    private var shortest = RecentExtreme<Int64>(span: .seconds(30), isBetter: <)
    /// Bytes answered per second.
    private var throughput = RecentExtreme<Double>(span: .seconds(2), isBetter: >)

    /// Remembers when a revision was sent.
    struct Ticket {
        fileprivate let cost: Int
        fileprivate let time: Duration
        fileprivate let answeredCost: Int
    }

    /// Whether one more may be sent.
    var hasRoom: Bool {
        cost < limit || (count < Self.minimumCount && cost < Self.alwaysAllowedBytes)
    }

    /// How many lists of changes may await their answers while there is more to be read: five, as Replication 4.13 says, and one more
    /// for every 4 ms of round trip, up to ``mostLists``.
    ///
    /// A list and its answer take longer than the shortest round trip, since they stand in line with revisions. With less the peer would
    /// have asked for all there is before more is announced: 200 documents every 4 ms are 50,000 a second.
    var maximumLists: Int {
        min(5 + Int((roundTrip ?? .zero) / .milliseconds(4)), Self.mostLists)
    }

    /// How many revisions may be known to be wanted and wait, before no more changes are read.
    var maximumQueue: Int {
        600 + (maximumLists - 5) * 200
    }

    /// A revision is sent.
    ///
    /// - Parameter size: The bytes of its body.
    func send(size: Int, at time: Duration) -> Ticket {
        let ticket = Ticket(cost: size + Self.messageCost, time: time, answeredCost: answeredCost)
        count += 1
        cost += ticket.cost
        return ticket
    }

    /// A revision has been answered.
    func answered(_ ticket: Ticket, at time: Duration) {
        count -= 1
        cost -= ticket.cost
        answeredCost += ticket.cost
        let elapsed = max(time - ticket.time, .milliseconds(1))
        note(roundTrip: elapsed, at: time)
        throughput.add(Double(answeredCost - ticket.answeredCost) / elapsed.seconds, at: time)
        let seconds = ((roundTrip ?? .zero) + Self.slack).seconds
        let wanted = (throughput.value ?? 0) * 2 * seconds
        limit = Int(max(Double(Self.initialLimit), min(wanted, Double(Self.maximumLimit))))
    }

    /// A question has been answered that takes the peer no time to speak of.
    func note(roundTrip: Duration, at time: Duration) {
        shortest.add(roundTrip.nanoseconds, at: time)
    }
}

/// The best of the values of a span of time that has just gone by, roughly: of the current span and the one before.
private struct RecentExtreme<Number> {
    let span: Duration
    let isBetter: (Number, Number) -> Bool
    private var end: Duration = .zero
    private var current: Number?
    private var previous: Number?

    init(span: Duration, isBetter: @escaping (Number, Number) -> Bool) {
        self.span = span
        self.isBetter = isBetter
    }

    var value: Number? {
        guard let current, let previous else { return current ?? previous }
        return isBetter(current, previous) ? current : previous
    }

    mutating func add(_ number: Number, at time: Duration) {
        if time >= end {
            // After a pause, both spans are long over.
            previous = time < end + span ? current : nil
            current = nil
            end = time + span
        }
        if let best = current, !isBetter(number, best) { return }
        current = number
    }
}

extension Duration {
    fileprivate var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }

    fileprivate var seconds: Double { Double(nanoseconds) / 1e9 }
}
