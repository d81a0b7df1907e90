internal import CSQLiteSystem
internal import Synchronization

/// The open `sqlite3` object, shared by a connection and its statements, and the list of the statements alive on it.
///
/// It exists so that a statement may be released on any thread and at any time, before or after its connection is closed:
/// a released statement leaves its handle here, and the connection finalizes it at its next call.
///
/// `@unchecked Sendable`: `statements`, `abandoned` and `isClosed` are touched only under `lock`.
final class DatabaseHandle: @unchecked Sendable {
    /// Valid until ``close()`` has succeeded.
    let pointer: OpaquePointer

    /// Recursive, because finalizing and closing release the objects given to SQL functions, and those may own statements.
    private let lock = RecursiveLock()
    private var isClosed = false
    private var statements: [OpaquePointer: Unmanaged<Statement>] = [:]
    private var abandoned: [OpaquePointer] = []
    private let hasAbandoned = Atomic(false)
    /// SQLite tells nobody of its own mark before 3.41, and forgets it when no statement is under way.
    private let interruption = Atomic(false)

    init(_ pointer: OpaquePointer) {
        self.pointer = pointer
    }

    /// Enters a new statement. The reference is not counted: the statement takes itself out when it goes.
    func register(_ statement: Statement, _ handle: OpaquePointer) {
        lock.withLock { statements[handle] = Unmanaged.passUnretained(statement) }
    }

    /// Takes over the handle of a statement that is being released, on whatever thread that happens.
    func abandon(_ handle: OpaquePointer) {
        lock.withLock {
            // After a close the handle has been finalized already.
            guard statements.removeValue(forKey: handle) != nil else { return }
            abandoned.append(handle)
            hasAbandoned.store(true, ordering: .relaxed)
        }
    }

    /// Finalizes a statement now. Only on the thread that has the connection.
    func finalize(_ handle: OpaquePointer) {
        let isOpen = lock.withLock { statements.removeValue(forKey: handle) != nil }
        if isOpen { sqlite3_finalize(handle) }
    }

    /// Finalizes what ``abandon(_:)`` has left. Only on the thread that has the connection. Costs one load when there is nothing.
    func finalizeAbandoned() {
        guard hasAbandoned.load(ordering: .relaxed) else { return }
        let handles = lock.withLock {
            hasAbandoned.store(false, ordering: .relaxed)
            defer { abandoned.removeAll() }
            return abandoned
        }
        for handle in handles { sqlite3_finalize(handle) }
    }

    /// Stops the running statements of the connection. From any thread.
    func interrupt() {
        lock.withLock {
            interruption.store(true, ordering: .relaxed)
            if !isClosed { sqlite3_interrupt(pointer) }
        }
    }

    var isInterrupted: Bool { interruption.load(ordering: .relaxed) }

    func clearInterruption() {
        interruption.store(false, ordering: .relaxed)
    }

    /// Finalizes every statement, tells those still referenced that they are void, and closes the database.
    func close() -> Int32 {
        lock.withLock {
            guard !isClosed else { return SQLITE_OK }
            // A statement whose deinit waits for the lock in `abandon` is still valid memory here.
            for (_, statement) in statements { statement._withUnsafeGuaranteedRef { $0.invalidate() } }
            // Those alone: full-text tables have statements of their own, which they finalize when the database is closed.
            for handle in Array(statements.keys) + abandoned { sqlite3_finalize(handle) }
            statements.removeAll()
            abandoned.removeAll()
            let result = sqlite3_close(pointer)
            isClosed = result == SQLITE_OK
            return result
        }
    }
}
