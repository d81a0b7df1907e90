import Base
import SQLiteEngine
import Synchronization
import Testing

@Suite("Recursive locks")
struct RecursiveLockTests {
    /// What another thread observes: whether it seems to hold the lock, and whether it can take it.
    private func seenFromAnotherThread(_ lock: RecursiveLock) -> [Bool] {
        let seen = Seen()
        waitingForThread {
            let isHeld = lock.isLockedByCurrentThread
            let isTaken = lock.tryLock()
            if isTaken { lock.unlock() }
            seen.values.withLock { $0 = [isHeld, isTaken] }
        }
        return seen.values.withLock { $0 }
    }

    @Test("a recursive lock can be locked again by its holder, and stays locked for others until the last unlock")
    func recursion() {
        let lock = RecursiveLock()
        #expect(!lock.isLockedByCurrentThread)
        lock.withLock {
            lock.lock()
            #expect(lock.tryLock())
            lock.unlock()
            lock.unlock()
            #expect(lock.isLockedByCurrentThread)
            #expect(seenFromAnotherThread(lock) == [false, false])
        }
        #expect(!lock.isLockedByCurrentThread)
        #expect(seenFromAnotherThread(lock) == [false, true])
    }

    @Test("a recursive lock prevents lost updates by concurrent threads")
    func exclusion() async throws {
        let guarded = Guarded()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask { try await onThread { for _ in 0..<5_000 { guarded.increment() } } }
            }
            try await group.waitForAll()
        }
        #expect(guarded.value == 20_000)
    }
}

private final class Seen: Sendable {
    let values = Mutex<[Bool]>([])
}

/// `@unchecked Sendable`: `value` is changed under `lock`, which is what the test tests, and read after the threads have ended.
private final class Guarded: @unchecked Sendable {
    private let lock = RecursiveLock()
    private(set) var value = 0

    func increment() {
        lock.withLock { lock.withLock { value += 1 } }
    }
}
