import Foundation
import Synchronization
import TestSupport
import Testing

@testable import DatabaseRuntime

@Suite("Work queues")
struct WorkQueueTests {
    @MainActor
    @Test("a work queue of width 1 performs its work in order, also when it has many items")
    func order() async throws {
        let queue = WorkQueue("test", width: 1)
        let mayBegin = DispatchSemaphore(value: 0)
        let done = Recorder<Int>()
        var tasks: [Task<Void, any Error>] = []
        for number in 0..<300 {
            // On this actor, so that the task is queued before the next one is created.
            await withCheckedContinuation { continuation in
                let task = Task { @MainActor in
                    continuation.resume()
                    try await queue.run {
                        if number == 0 { mayBegin.wait() }
                        done.append(number)
                    }
                }
                tasks.append(task)
            }
        }
        mayBegin.signal()
        for task in tasks { try await task.value }
        #expect(done.all == Array(0..<300))
    }

    @MainActor
    @Test("cancelled work retains nothing while it is queued")
    func cancelledWork() async throws {
        final class Content: Sendable {}
        let queue = WorkQueue("test", width: 1)
        let mayEnd = DispatchSemaphore(value: 0)
        var first: Task<Void, any Error>?
        await withCheckedContinuation { continuation in
            first = Task {
                try await queue.run {
                    continuation.resume()
                    mayEnd.wait()
                }
            }
        }
        weak var content: Content?
        var second: Task<Void, any Error>?
        // On this actor, so that the work is queued before it is cancelled.
        await withCheckedContinuation { continuation in
            let new = Content()
            content = new
            second = Task { @MainActor in
                continuation.resume()
                try await queue.run { withExtendedLifetime(new) {} }
            }
        }
        second?.cancel()
        await #expect(throws: CancellationError.self) { try await second?.value }
        second = nil
        // The task itself releases what it has captured a moment after its end; the suite has a time limit.
        while content != nil { await Task.yield() }
        mayEnd.signal()
        try await first?.value
    }

    @Test("a work queue performs no more work concurrently than its width")
    func width() async throws {
        let queue = WorkQueue("test", width: 3)
        let gauge = Gauge()
        try await withThrowingTaskGroup { group in
            for _ in 0..<200 {
                group.addTask {
                    try await queue.run {
                        gauge.enter()
                        gauge.leave()
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect((1...3).contains(gauge.most))
    }

    @Test("a work queue releases finished work")
    func release() async throws {
        final class Witness: Sendable {}
        let queue = WorkQueue("test", width: 1)
        weak var watched: Witness?
        do {
            let witness = Witness()
            watched = witness
            try await queue.run { withExtendedLifetime(witness) {} }
        }
        try await queue.run {}
        #expect(watched == nil)
    }
}

/// Counts the concurrent calls.
private final class Gauge: Sendable {
    private let state = Mutex((inside: 0, most: 0))

    var most: Int { state.withLock { $0.most } }

    func enter() {
        state.withLock { state in
            state.inside += 1
            state.most = max(state.most, state.inside)
        }
    }

    func leave() {
        state.withLock { $0.inside -= 1 }
    }
}
