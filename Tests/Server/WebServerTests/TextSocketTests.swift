#if Replication
import SyncCore
import Synchronization
import TestSupport
import Testing

@testable import WebServer

@Suite("WebSockets of texts")
struct TextSocketTests {
    /// A channel whose queue is always full.
    private final class FullChannel: FrameChannel {
        private struct Receiver {
            var receive: @Sendable (FrameChannelEvent) -> Void = { _ in }
        }

        private let receiver = Mutex(Receiver())
        /// The sizes of the messages that were queued.
        let sent = Recorder<Int>()

        func open(_ handler: @escaping @Sendable (FrameChannelEvent) -> Void) { receiver.withLock { $0.receive = handler } }

        func send(_ frame: [UInt8]) -> Bool {
            sent.append(frame.count)
            return false
        }

        func report(_ event: FrameChannelEvent) { receiver.withLock { $0.receive }(event) }

        func setReading(_ isReading: Bool) {}
        func close(code: Int, reason: String) { cancel() }
        func cancel() { report(.closed(ChannelClosure(code: nil, isByPeer: false))) }
    }

    private let budget = BodyBudget(bytes: 100 << 10)
    private let large = [UInt8](repeating: 0x61, count: 80 << 10)

    @Test("large messages to clients that do not read share a limit of memory with each other, and small ones are sent")
    func memory() async throws {
        let (first, second) = (FullChannel(), FullChannel())
        let socket = TextSocket(first, budget)
        let sending = Task { [large] in try await socket.send(large) }
        _ = await first.sent.reaches { $0 == [80 << 10] }
        let other = TextSocket(second, budget)
        let error = await #expect(throws: WebError.self) { try await other.send(large) }
        #expect(error?.status == 503)
        let small = Task { try await other.send([0x61]) }
        _ = await second.sent.reaches { $0 == [1] }
        second.report(.writable)
        try await small.value
        first.report(.writable)
        try await sending.value
        let again = Task { [large] in try await other.send(large) }
        _ = await second.sent.reaches { $0 == [1, 80 << 10] }
        second.report(.writable)
        try await again.value
    }

    @Test("the memory of a message is free again when the client closes")
    func closing() async throws {
        let channel = FullChannel()
        let socket = TextSocket(channel, budget)
        let sending = Task { [large] in try await socket.send(large) }
        _ = await channel.sent.reaches { $0.count == 1 }
        channel.cancel()
        await #expect(throws: TextSocket.Closed.self) { try await sending.value }
        #expect(budget.used == 0)
    }
}
#endif
