import Dispatch
import Synchronization
import TestTraits
import Testing

@testable import DocumentStore

/// Long work on indexes, for which no transaction waits (Vector search EN-26).
@Suite("Index work", .ownThreads)
struct IndexWorkTests {
    private struct Failure: Error {}

    /// What has happened, in order.
    private final class Events: Sendable {
        private let state = Mutex<[String]>([])

        func add(_ event: String) { state.withLock { $0.append(event) } }

        var all: [String] { state.withLock { $0 } }
    }

    @Test("the files of a process do not run more pieces at once than the limit permits, and pieces above it begin when others end")
    func limit() {
        let limit = IndexWorkLimit(count: 1)
        let files = (0..<3).map { _ in IndexWork() }
        let (begun, end, events) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), Events())
        files[0].schedule("first", limit: limit) {
            begun.signal()
            end.wait()
            events.add("the first ended")
        }
        begun.wait()
        for (number, file) in files.enumerated().dropFirst() {
            file.schedule("another", limit: limit) { events.add("\(number) with \(limit.runningCount)") }
        }
        // Work without a limit does not wait for the others.
        let free = DispatchSemaphore(value: 0)
        files[1].schedule("without limit") { free.signal() }
        free.wait()
        #expect(events.all == [] && limit.runningCount == 1)
        end.signal()
        // A piece is added to its queue by the one before it.
        for file in files { file.queue.sync {} }
        #expect(events.all == ["the first ended", "1 with 1", "2 with 1"])
        #expect(limit.runningCount == 0)
    }

    @Test("pieces that wait are forgotten with their files, however many files are opened and closed meanwhile")
    func closedWhileWaiting() {
        let limit = IndexWorkLimit(count: 1)
        let (running, begun, end, events) = (IndexWork(), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), Events())
        running.schedule("first", limit: limit) {
            begun.signal()
            end.wait()
        }
        begun.wait()
        for number in 0..<100 {
            let file = IndexWork()
            file.schedule("training", limit: limit) { events.add("closed") }
            // Some are released without that.
            if number % 2 == 0 { file.stop() }
            #expect(limit.waitingCount == 1)
        }
        let last = IndexWork()
        last.schedule("training", limit: limit) { events.add("open") }
        end.signal()
        for file in [running, last] { file.queue.sync {} }
        #expect(events.all == ["open"] && limit.waitingCount == 0)
    }

    @Test("pieces of a closed file end, do not begin, and leave nothing of the limit in use")
    func stopped() {
        let limit = IndexWorkLimit(count: 1)
        let (file, other) = (IndexWork(), IndexWork())
        let (begun, events) = (DispatchSemaphore(value: 0), Events())
        file.schedule("training", limit: limit) { [unowned file] in
            begun.signal()
            // As training does between its steps.
            while !file.isStopped {}
            throw CancellationError()
        }
        begun.wait()
        file.schedule("training", limit: limit) { events.add("again") }
        other.schedule("waiting", limit: limit) { events.add("waiting") }
        other.stop()
        file.stop()
        file.queue.sync {}
        other.queue.sync {}
        #expect(events.all == [])
        #expect(limit.runningCount == 0)
        #expect(!file.isScheduled("training") && !other.isScheduled("waiting"))
        // Work is possible again after a file could not be closed.
        file.resume()
        file.schedule("training", limit: limit) { events.add("resumed") }
        file.queue.sync {}
        #expect(events.all == ["resumed"] && limit.runningCount == 0)
    }

    @Test("a piece that has failed is not begun again by itself, but by whoever schedules it after the delay")
    func failed() {
        let (file, limit, events) = (IndexWork(), IndexWorkLimit(count: 1), Events())
        file.schedule("training", limit: limit) {
            events.add("failed")
            throw Failure()
        }
        file.queue.sync {}
        #expect(file.isScheduled("training"))
        file.schedule("training", limit: limit) { events.add("too early") }
        file.queue.sync {}
        #expect(events.all == ["failed"] && limit.runningCount == 0)
        let second = IndexWork()
        IndexWork.$retryDelay.withValue(0) {
            second.schedule("training", limit: limit) { throw Failure() }
        }
        // The name is removed on the queue after that.
        second.queue.sync {}
        while second.isScheduled("training") { second.queue.sync {} }
        second.schedule("training", limit: limit) { events.add("second") }
        second.queue.sync {}
        #expect(events.all == ["failed", "second"])
    }

    @Test("cancelled work can be scheduled again at once")
    func cancelled() {
        let (file, events) = (IndexWork(), Events())
        file.schedule("training") { throw CancellationError() }
        file.queue.sync {}
        #expect(!file.isScheduled("training"))
        file.schedule("training") { events.add("again") }
        file.queue.sync {}
        #expect(events.all == ["again"])
    }
}
