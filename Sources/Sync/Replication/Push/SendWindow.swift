/// Limits the revisions that are sent and not acknowledged yet. Shared by all pushers of a session.
///
/// Stock software stops at 2 MiB of unacknowledged bodies and at lists of 1,000 documents, so its speed depends on the round-trip time.
/// Here both limits grow with the product of round-trip time and throughput. So a slow connection is fully used, and a slow peer is not
/// overloaded: it never has much more queued than it processes in a tenth of a second.
final class SendWindow {
    /// This number of revisions is always allowed (Replication 4.13), unless they exceed ``alwaysAllowedBytes``.
    static let minimumCount = 10
    static let alwaysAllowedBytes = 2 << 20
    /// The minimum and the maximum of the adaptive limit, in bytes.
    static let initialLimit = 128 << 10
    static let maximumLimit = 8 << 20
    /// The maximum number of lists of changes in flight. The revisions they announce need a few megabytes at most.
    static let mostLists = 40
    /// The cost of a message in addition to its body, in bytes: for its properties, its response and the processing at the peer.
    static let messageCost = 256
    /// The time allowed for processing queued revisions at the peer, in addition to the round-trip time.
    static let slack = Duration.milliseconds(50)

    /// The number of unacknowledged revisions, and the bytes of their bodies plus ``messageCost`` for each.
    private(set) var count = 0
    private(set) var cost = 0
    private(set) var limit = SendWindow.initialLimit

    /// The shortest recent time between a request and its response; `nil` before the first response.
    var roundTrip: Duration? { shortest.value.map { .nanoseconds($0) } }

    /// The bytes acknowledged so far.
    private var answeredCost = 0
    private var shortest = RecentExtreme<Int64>(span: .seconds(30), isBetter: <)
    /// The highest recent throughput, in acknowledged bytes per second.
    private var throughput = RecentExtreme<Double>(span: .seconds(2), isBetter: >)

    struct Ticket {
        fileprivate let cost: Int
        fileprivate let time: Duration
        fileprivate let answeredCost: Int
    }

    var hasRoom: Bool { cost < limit || (count < Self.minimumCount && cost < Self.alwaysAllowedBytes) }

    /// The maximum number of lists of changes in flight before the end of the feed: five (Replication 4.13), plus one for every 4 ms of
    /// round-trip time, up to ``mostLists``.
    ///
    /// A list takes longer than the shortest round trip, because it is queued together with revisions. With fewer lists the peer would have
    /// requested everything before more is announced: 200 documents per 4 ms are 50,000 per second.
    var maximumLists: Int { min(5 + Int((roundTrip ?? .zero) / .milliseconds(4)), Self.mostLists) }

    /// The maximum number of wanted revisions that are queued. At this number the feed is not read further.
    var maximumQueue: Int { 600 + (maximumLists - 5) * 200 }

    /// Notes that a revision with a body of `size` bytes is sent. Returns a ticket to pass to ``answered(_:at:)``.
    func send(size: Int, at time: Duration) -> Ticket {
        let ticket = Ticket(cost: size + Self.messageCost, time: time, answeredCost: answeredCost)
        count += 1
        cost += ticket.cost
        return ticket
    }

    /// Notes that a revision was acknowledged, and adapts the limit.
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

    /// Notes the round-trip time of a request that the peer processes in negligible time.
    func note(roundTrip: Duration, at time: Duration) { shortest.add(roundTrip.nanoseconds, at: time) }
}

/// The best value of the recent past, approximately: of the current time span and the previous one.
private struct RecentExtreme<Number> {
    let span: Duration
    let isBetter: (Number, Number) -> Bool
    private var end: Duration = .zero
    private var current: Number?
    private var previous: Number?

    init(span: Duration, isBetter: @escaping (Number, Number) -> Bool) { (self.span, self.isBetter) = (span, isBetter) }

    var value: Number? {
        guard let current, let previous else { return current ?? previous }
        return isBetter(current, previous) ? current : previous
    }

    mutating func add(_ number: Number, at time: Duration) {
        if time >= end {
            // After a pause, both spans are outdated.
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
