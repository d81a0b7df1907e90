/// State that threads use one at a time, and whose changes they can wait for: a `Mutex` with a condition.
///
/// `@unchecked Sendable`: `state` is private and only accessed while `lock` is held. What a closure returns may be used by any thread,
/// because all of the state is sendable.
package final class Monitor<State: Sendable>: @unchecked Sendable {
    private let lock = ConditionLock()
    private var state: State

    package init(_ state: State) {
        self.state = state
    }

    /// Runs `body` with the state. Not recursive: `body` must not use the monitor, except for ``wakeAll()``.
    package func withLock<Result, Failure: Error>(_ body: (inout State) throws(Failure) -> Result) throws(Failure) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&state)
    }

    /// Blocks until `mustWait` returns `false`, and then runs `body` before any other thread can change the state. `mustWait` is called
    /// again after each ``wakeAll()``.
    package func withLock<Result, Failure: Error>(
        waitingWhile mustWait: (State) -> Bool,
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock.lock()
        defer { lock.unlock() }
        while mustWait(state) { lock.wait() }
        return try body(&state)
    }

    /// Wakes the threads that wait for a change of the state.
    package func wakeAll() {
        lock.wakeAll()
    }
}
