import Synchronization

/// A counting semaphore that never blocks: limits how much work of a kind runs at a time in the whole process.
final class WorkPermits: Sendable {
    private let free: Mutex<Int>

    init(count: Int) {
        free = Mutex(count)
    }

    /// Takes a permit, which has to be released; returns false when all are taken.
    func take() -> Bool {
        free.withLock { free in
            guard free > 0 else { return false }
            free -= 1
            return true
        }
    }

    func release() {
        free.withLock { $0 += 1 }
    }
}

/// A permit that is released when its last reference goes.
final class WorkPermit {
    private let permits: WorkPermits

    /// Nil when all permits are taken.
    init?(_ permits: WorkPermits) {
        guard permits.take() else { return nil }
        self.permits = permits
    }

    deinit {
        permits.release()
    }
}
