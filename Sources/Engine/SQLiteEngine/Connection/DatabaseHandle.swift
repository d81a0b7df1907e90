import Base
internal import CSQLiteSystem
internal import Synchronization

/// The open `sqlite3` object, shared by a connection and its statements, and the list of its live statements.
///
/// It allows statements to be released on any thread at any time, before or after the connection is closed: a released statement adds its
/// handle to a list, and the connection finalizes it at its next call.
///
/// `@unchecked Sendable`: `statements`, `abandoned` and `isClosed` are only accessed while `lock` is held.
package final class DatabaseHandle: @unchecked Sendable {
    /// Valid until ``close()`` has succeeded.
    let pointer: OpaquePointer

    /// Recursive, because finalizing and closing release the objects passed to SQL functions, and these may own statements.
    private let lock = RecursiveLock()
    private var isClosed = false
    private var statements: [OpaquePointer: Unmanaged<Statement>] = [:]
    private var abandoned: [OpaquePointer] = []
    private let hasAbandoned = Atomic(false)
    /// Kept here because SQLite before 3.41 cannot report its own flag, and clears it when no statement is running.
    private let interruption = Atomic(false)
    /// Whether SQLite may not have cleared its own flag yet: it does so only when no statement is running.
    private let isUncleared = Atomic(false)

    init(_ pointer: OpaquePointer) { self.pointer = pointer }

    /// Registers a new statement. It is not retained: the statement removes itself when it is deinitialized.
    func register(_ statement: Statement, _ handle: OpaquePointer) {
        lock.withLock { statements[handle] = Unmanaged.passUnretained(statement) }
    }

    /// Takes the handle of a statement that is being released. Thread-safe.
    func abandon(_ handle: OpaquePointer) {
        lock.withLock {
            // Closing has already finalized the handle.
            guard statements.removeValue(forKey: handle) != nil else { return }
            abandoned.append(handle)
            hasAbandoned.store(true, ordering: .relaxed)
        }
    }

    /// Finalizes a statement immediately. Only on the thread that uses the connection.
    func finalize(_ handle: OpaquePointer) {
        let isOpen = lock.withLock { statements.removeValue(forKey: handle) != nil }
        if isOpen { sqlite3_finalize(handle) }
    }

    /// Finalizes the handles passed to ``abandon(_:)``. Only on the thread that uses the connection. Costs one atomic load if there are
    /// none.
    func finalizeAbandoned() {
        guard hasAbandoned.load(ordering: .relaxed) else { return }
        let handles = lock.withLock {
            hasAbandoned.store(false, ordering: .relaxed)
            defer { abandoned.removeAll() }
            return abandoned
        }
        for handle in handles { sqlite3_finalize(handle) }
    }

    /// Interrupts the connection, from any thread: the running statement throws an error whose ``SQLiteError/isInterrupted`` is true.
    ///
    /// Long-running functions check ``isInterrupted``. It stays true until ``clearInterruption()``; statements that start while no other
    /// statement is running are not interrupted.
    package func interrupt() {
        lock.withLock {
            interruption.store(true, ordering: .relaxed)
            if !isClosed { sqlite3_interrupt(pointer) }
            // Afterwards: who takes it must be able to rely on SQLite's flag being set.
            isUncleared.store(true, ordering: .releasing)
        }
    }

    /// Whether ``interrupt()`` has been called since the last ``clearInterruption()``. Costs one atomic load. Thread-safe.
    package var isInterrupted: Bool { interruption.load(ordering: .relaxed) }

    /// Returns whether ``interrupt()`` has been called since the last call of this function.
    func resetUnclearedInterruption() -> Bool {
        isUncleared.load(ordering: .relaxed) && isUncleared.exchange(false, ordering: .acquiring)
    }

    /// Resets ``isInterrupted``.
    package func clearInterruption() { interruption.store(false, ordering: .relaxed) }

    /// Finalizes all statements, invalidates those still referenced, and closes the database.
    func close() -> Int32 {
        lock.withLock {
            guard !isClosed else { return SQLITE_OK }
            // A statement whose deinit waits for the lock in `abandon` is still valid memory here.
            for (_, statement) in statements { statement._withUnsafeGuaranteedRef { $0.invalidate() } }
            // Only these handles: full-text tables have statements of their own, which they finalize when the database is closed.
            for handle in Array(statements.keys) + abandoned { sqlite3_finalize(handle) }
            statements.removeAll()
            abandoned.removeAll()
            let result = sqlite3_close(pointer)
            isClosed = result == SQLITE_OK
            return result
        }
    }
}
