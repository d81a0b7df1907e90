#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// A mutex with a condition to wait on. About 10 ns for an uncontended lock and unlock.
///
/// `@unchecked Sendable`: the two pthread objects are made to be used from any thread, and the pointers never change.
package final class ConditionLock: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    package init() {
        mutex.initialize(to: pthread_mutex_t())
        condition.initialize(to: pthread_cond_t())
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(condition, nil)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Waits until the lock is free and takes it. Not recursive: a thread that holds it must not call this.
    package func lock() {
        pthread_mutex_lock(mutex)
    }

    /// Gives the lock back.
    package func unlock() {
        pthread_mutex_unlock(mutex)
    }

    /// Gives the lock back, sleeps until woken, and takes the lock again. May wake without reason: check the condition in a loop.
    package func wait() {
        pthread_cond_wait(condition, mutex)
    }

    /// Wakes one waiting thread.
    package func wakeOne() {
        pthread_cond_signal(condition)
    }

    /// Wakes all waiting threads.
    package func wakeAll() {
        pthread_cond_broadcast(condition)
    }

    /// Runs `body` under the lock.
    @inlinable
    package func withLock<Result: ~Copyable, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        lock()
        defer { unlock() }
        return try body()
    }
}
