internal import CLibrary

/// A mutex with a condition variable. An uncontended lock and unlock takes about 10 ns.
///
/// `Mutex` cannot replace it, because it has no condition to wait for. See ``Monitor`` for the lock together with the state it guards.
///
/// `@unchecked Sendable`: the two pthread objects are thread-safe, and the pointers never change.
package struct ConditionLock: ~Copyable, @unchecked Sendable {
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

    /// Blocks until the lock is free, and acquires it. Not recursive: a thread that holds the lock must not call this.
    package func lock() {
        pthread_mutex_lock(mutex)
    }

    /// Acquires the lock if it is free. Returns whether it was.
    package func tryLock() -> Bool {
        pthread_mutex_trylock(mutex) == 0
    }

    /// Releases the lock.
    package func unlock() {
        pthread_mutex_unlock(mutex)
    }

    /// Releases the lock, sleeps until woken, and acquires the lock again. May wake spuriously: check the condition in a loop.
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

    /// Runs `body` while holding the lock.
    @inlinable
    package func withLock<Result: ~Copyable, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        lock()
        defer { unlock() }
        return try body()
    }
}
