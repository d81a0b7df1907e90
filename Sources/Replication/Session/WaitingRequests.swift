import BLIP

/// Requests of a peer that are not handled before it has taken more of the answers to earlier ones.
///
/// Frames are read on meanwhile, for without acknowledgements and answers of the peer's nothing would go out either; how much may wait is
/// limited by the memory of the connection.
struct WaitingRequests {
    /// How long it takes at first until somebody looks whether there is room; twice as long after each look in vain, up to the longest.
    private static let interval = (first: Duration.milliseconds(10), longest: Duration.milliseconds(640))
    /// The peer is given up when not a single frame has gone out for so long.
    static let patience = Duration.seconds(60)
    /// What a request counts besides its body, in bytes.
    private static let costOfRequest = 512

    private var requests = FIFO<IncomingRequest>()
    private(set) var byteCount = 0
    /// How long nothing has gone out, as far as was looked, and when to look again.
    private var silence = Duration.zero
    private(set) var interval = WaitingRequests.interval.first

    var isEmpty: Bool { requests.isEmpty }
    var count: Int { requests.count }

    mutating func append(_ request: IncomingRequest) {
        requests.append(request)
        byteCount += request.body.count + Self.costOfRequest
    }

    mutating func popFirst() -> IncomingRequest? {
        guard let request = requests.popFirst() else { return nil }
        byteCount -= request.body.count + Self.costOfRequest
        return request
    }

    /// A frame goes out.
    mutating func noteFrame() {
        silence = .zero
        interval = Self.interval.first
    }

    /// It was looked in vain after that interval.
    mutating func noteSilence() {
        silence += interval
        interval = min(interval * 2, Self.interval.longest)
    }

    /// Whether nothing has gone out for so long that nothing will.
    var isStalled: Bool { silence >= Self.patience }
}
