#if Replication
import NIOCore
import NIOHTTP1

/// A request whose response is not complete, with the time in which its body must arrive.
final class Exchange {
    let head: NIOHTTP1.HTTPRequestHead
    let body: WebBody
    var task: Task<Void, Never>?
    var isStreaming = false
    private let start = NIODeadline.now()
    /// Since when the body is not read; `nil` while it is read.
    private var pauseStart: NIODeadline?
    /// The time for which the body was not read before.
    private var pausedTime = TimeAmount.zero

    init(_ head: NIOHTTP1.HTTPRequestHead, _ body: WebBody) {
        self.head = head
        self.body = body
    }

    /// Whether the body is not read, because the handler has not taken what was received.
    var isPaused: Bool { pauseStart != nil }

    func pause() { pauseStart = pauseStart ?? .now() }

    func resume() {
        if let start = pauseStart { pausedTime = pausedTime + (.now() - start) }
        pauseStart = nil
    }

    /// Returns when the body must be complete. The time does not run while the body is not read.
    func deadline(_ options: WebServerOptions) -> NIODeadline {
        let extra = Double(body.receivedCount) / Double(max(options.minimumBodyRate, 1))
        return start + (options.bodyTimeout + extra).timeAmount + pausedTime
    }

    /// Whether another request may follow on the connection.
    var allowsAnother: Bool {
        head.isKeepAlive && head.version.minor > 0 && body.isFinished && !body.hasFailed && !head.headers.contains(name: "Upgrade")
    }
}

extension Double {
    /// The number of seconds as a time amount of the event loop.
    var timeAmount: TimeAmount { .nanoseconds(Int64(Swift.max(0, Swift.min(self, 1e9)) * 1e9)) }
}
#endif
