#if Replication
import Dispatch
import SyncCore
import Synchronization
import Testing

@testable import SyncRuntime

@Suite("Inboxes of channels")
struct ChannelInboxTests {
    /// A channel that notes whether it is read. Pausing takes so long that another thread has the time to handle all frames.
    private final class SlowlyPausingChannel: FrameChannel {
        private let changes = Mutex<[Bool]>([])
        private let whilePausing: @Sendable () -> Void

        init(whilePausing: @escaping @Sendable () -> Void) { self.whilePausing = whilePausing }

        var readingChanges: [Bool] { changes.withLock { $0 } }

        func setReading(_ isReading: Bool) {
            if !isReading { whilePausing() }
            changes.withLock { $0.append(isReading) }
        }

        func open(_ handler: @escaping @Sendable (FrameChannelEvent) -> Void) {}
        func send(_ frame: [UInt8]) -> Bool { true }
        func close(code: Int, reason: String) {}
        func cancel() {}
    }

    @Test("reading goes on when all frames are handled, also if that happens while another thread still pauses it")
    func resumed() {
        let (pausing, handled, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let channel = SlowlyPausingChannel {
            pausing.signal()
            // The other thread may have to wait for this one.
            _ = handled.wait(timeout: .now() + .milliseconds(200))
        }
        let queue = DispatchQueue(label: "frames")
        let inbox = ChannelInbox(channel, queue: queue, memory: nil)
        DispatchQueue.global().async {
            pausing.wait()
            inbox.didHandle(ChannelInbox.limits.high + 1)
            handled.signal()
            ended.signal()
        }
        inbox.receive(.frame([UInt8](repeating: 0, count: ChannelInbox.limits.high + 1))) {}
        ended.wait()
        #expect(channel.readingChanges == [false, true])
    }

    @Test("reading is paused above the limits of frames and of requests that wait, and resumed below both")
    func limits() {
        let channel = SlowlyPausingChannel {}
        let inbox = ChannelInbox(channel, queue: DispatchQueue(label: "frames"), memory: nil)
        inbox.receive(.frame([UInt8](repeating: 0, count: ChannelInbox.limits.high))) {}
        #expect(channel.readingChanges == [])
        inbox.receive(.frame([0])) {}
        #expect(channel.readingChanges == [false])
        inbox.noteWaiting(ChannelInbox.limitsOfWaiting.high + 1)
        inbox.didHandle(ChannelInbox.limits.high + 1)
        #expect(channel.readingChanges == [false])
        inbox.noteWaiting(ChannelInbox.limitsOfWaiting.low)
        #expect(channel.readingChanges == [false, true])
    }
}
#endif
