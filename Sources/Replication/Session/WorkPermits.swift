import Synchronization

/// A counting semaphore that never blocks. It limits how many operations of one kind run at the same time in the process.
final class WorkPermits: Sendable {
    private let free: Mutex<Int>

    init(count: Int) { free = Mutex(count) }

    /// Takes a permit, which the caller must release. Returns `false` if none is free.
    func take() -> Bool {
        free.withLock { free in
            guard free > 0 else { return false }
            free -= 1
            return true
        }
    }

    func release() { free.withLock { $0 += 1 } }
}

/// A permit that is released when this object is deinitialized.
final class WorkPermit {
    private let permits: WorkPermits

    /// Returns `nil` if no permit is free.
    init?(_ permits: WorkPermits) {
        guard permits.take() else { return nil }
        self.permits = permits
    }

    deinit { permits.release() }
}
