/// Complete requests that wait for earlier ones, because their order matters: a long request is sent in several frames, and a short one
/// that was sent later can be complete before it.
struct RequestOrder {
    /// In the order of their numbers.
    private var waiting: [IncomingRequest] = []
    /// The incomplete request for which the first of them waits; `nil` if it is not known.
    private(set) var blocker: UInt64?

    var isEmpty: Bool { waiting.isEmpty }

    mutating func add(_ request: IncomingRequest) {
        let index = waiting.lastIndex { $0.number < request.number }.map { $0 + 1 } ?? 0
        waiting.insert(request, at: index)
    }

    /// Removes and returns the requests before the first one that is incomplete; all of them if `incomplete` is `nil`.
    mutating func takeReady(before incomplete: UInt64?) -> [IncomingRequest] {
        let count = incomplete.map { number in waiting.firstIndex { $0.number > number } ?? waiting.count } ?? waiting.count
        defer { waiting.removeFirst(count) }
        blocker = count < waiting.count ? incomplete : nil
        return Array(waiting.prefix(count))
    }
}
