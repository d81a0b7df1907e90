import BLIP

/// A queue of requests that are not handled until the peer has read more of the responses to earlier ones.
///
/// Frames are still received while requests wait, because without the peer's acknowledgements and responses nothing could be sent either.
/// The memory limit of the connection bounds the size of the queue.
struct WaitingRequests {
    /// The initial delay between two checks for room in the connection, and the maximum. The delay doubles after each check without
    /// progress.
    private static let interval = (first: Duration.milliseconds(10), longest: Duration.milliseconds(640))
    /// The session fails if no frame could be sent for this time.
    static let timeout = Duration.seconds(60)
    /// The size charged for a request in addition to its body, in bytes.
    private static let costOfRequest = 512

    private var requests = FIFO<IncomingRequest>()
    private(set) var byteCount = 0
    /// The time without a sent frame, as seen by the checks, and the delay until the next check.
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

    mutating func noteFrame() {
        silence = .zero
        interval = Self.interval.first
    }

    /// Notes that a check found no room in the connection.
    mutating func noteSilence() {
        silence += interval
        interval = min(interval * 2, Self.interval.longest)
    }

    /// Whether no frame was sent for so long that the connection has to be closed.
    var isStalled: Bool { silence >= Self.timeout }
}

/// A first-in, first-out queue. Appending and removing take amortized constant time.
package struct FIFO<Element> {
    private var elements: [Element?] = []
    private var head = 0

    package init() {}

    var count: Int { elements.count - head }
    /// Whether there are no elements.
    package var isEmpty: Bool { count == 0 }
    /// The element that is removed next.
    package var first: Element? { head < elements.count ? elements[head] : nil }

    /// Adds an element at the end.
    package mutating func append(_ element: Element) { elements.append(element) }

    /// Adds an element at the front.
    ///
    /// - Complexity: O(1) if an element was removed before and its place is still free, otherwise O(*n*).
    mutating func prepend(_ element: Element) {
        if head > 0 {
            head -= 1
            elements[head] = element
        } else {
            elements.insert(element, at: 0)
        }
    }

    /// Removes and returns the first element; `nil` if there is none. Amortized constant time.
    package mutating func popFirst() -> Element? {
        guard head < elements.count else { return nil }
        let element = elements[head]
        elements[head] = nil
        head += 1
        if head >= 256, head * 2 >= elements.count {
            elements.removeFirst(head)
            head = 0
        }
        return element
    }
}
