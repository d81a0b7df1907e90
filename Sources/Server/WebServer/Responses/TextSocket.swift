#if Replication
import SyncCore
import Synchronization

/// A WebSocket for a task: it waits while the peer does not read, and ends the task when the peer closes.
package final class TextSocket: Sendable {
    private struct State {
        /// The task that waits until the peer has read; only one task sends.
        var waiting: CheckedContinuation<Void, any Error>?
        var isFull = false
        var isClosed = false
    }

    /// The error of sending when the WebSocket is closed.
    package struct Closed: Error {}

    /// The size in bytes up to which messages are not counted: the number of connections limits them.
    private static let uncountedSize = 64 << 10

    private let channel: any FrameChannel
    /// The memory for messages that are being sent, and whose share counts.
    private let budget: BodyBudget
    private let owner: RequestOwner?
    private let state = Mutex(State())
    /// Compresses the messages; `nil` if they are not compressed.
    private let encoder = Mutex<GzipEncoder?>(nil)
    private let received: AsyncStream<[UInt8]>
    private let continuation: AsyncStream<[UInt8]>.Continuation

    /// Opens the WebSocket.
    init(_ channel: any FrameChannel, _ budget: BodyBudget, _ owner: RequestOwner? = nil) {
        self.channel = channel
        self.budget = budget
        self.owner = owner
        // Further messages are ignored, so that a peer cannot fill the memory with them.
        (received, continuation) = AsyncStream.makeStream(of: [UInt8].self, bufferingPolicy: .bufferingOldest(1))
        channel.open { [weak self] event in self?.handle(event) }
    }

    private func handle(_ event: FrameChannelEvent) {
        switch event {
        case .opened: break
        case .frame(let message): continuation.yield(message)
        case .writable: resume { $0.isFull = false }
        case .closed:
            continuation.finish()
            resume { $0.isClosed = true }
        }
    }

    private func resume(_ change: (inout State) -> Void) {
        let (waiting, isClosed) = state.withLock { state in
            change(&state)
            return (state.waiting.take(), state.isClosed)
        }
        if isClosed { waiting?.resume(throwing: Closed()) } else { waiting?.resume() }
    }

    /// Returns the first message of the peer; `nil` if the peer closes before.
    package func firstMessage() async -> [UInt8]? {
        var iterator = received.makeAsyncIterator()
        return await iterator.next()
    }

    /// From now on, messages are sent as binary ones that together are a stream of gzip. From each of them, together with those before, the peer
    /// can restore the whole message. Must be called before the first message is sent.
    ///
    /// - Throws: ``WebError`` 503 if there is not enough memory.
    package func beginCompressing() throws(WebError) {
        guard let new = GzipEncoder() else { throw WebError.tooManyLargeResponses }
        encoder.withLock { $0 = new }
    }

    /// Waits until the peer has closed.
    package func closed() async {
        for await _ in received {}
    }

    /// Sends a message, and waits while the queue of messages is full.
    ///
    /// - Throws: ``Closed`` if the WebSocket is closed; ``WebError`` 503 if the responses and messages of all clients together take too much
    ///   memory.
    package func send(_ message: [UInt8]) async throws {
        try Task.checkCancellation()
        let counted = message.count > Self.uncountedSize ? message.count : 0
        guard let memory = budget.reserve(counted, for: owner) else { throw WebError.tooManyLargeResponses }
        defer { withExtendedLifetime(memory) {} }
        let sent = encoder.withLock { $0 }?.part(message) ?? message
        // Set before sending, because the channel may be writable again at once.
        state.withLock { $0.isFull = true }
        if channel.send(sent) {
            state.withLock { $0.isFull = false }
            return
        }
        try await withCheckedThrowingContinuation { (waiting: CheckedContinuation<Void, any Error>) in
            let isClosed = state.withLock { state -> Bool? in
                if state.isClosed { return true }
                if !state.isFull { return false }
                state.waiting = waiting
                return nil
            }
            switch isClosed {
            case true?: waiting.resume(throwing: Closed())
            case false?: waiting.resume()
            case nil: break
            }
        }
    }

    /// Closes the WebSocket. Messages that were sent before arrive.
    package func close(code: Int, reason: String) { channel.close(code: code, reason: reason) }
}
#endif
