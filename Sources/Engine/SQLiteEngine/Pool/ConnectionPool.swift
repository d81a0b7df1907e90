import Base
import Foundation

/// An error of a connection pool.
package enum ConnectionPoolError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The pool has been closed.
    case closed
    /// The thread that closes the pool is inside ``ConnectionPool/withConnection(_:)`` and would wait for itself.
    case closedFromWithin

    package var description: String {
        switch self {
        case .closed: "the database connections have been closed"
        case .closedFromWithin: "the database connections cannot be closed by a thread that is using one"
        }
    }
}

/// A pool with a fixed maximum number of connections. They are opened when first needed, and each is used by one thread at a time.
///
/// A thread that calls ``withConnection(_:)`` inside of itself gets the same connection, so that it cannot wait for itself; that
/// connection's cached statements may then be in use (see ``Connection/cachedStatement(_:)``). Checking a connection out and in takes about
/// 40 ns without contention. The first free connection is always used, so that few are opened and their page caches are warm.
///
/// All reads inside of the outermost ``withConnection(_:)`` see one state of the file. A free connection keeps this snapshot, and the next user
/// goes on with it if nobody has changed the file. The owner of the pool has to end these snapshots: see ``endIdleSnapshots(unlessUsed:)``.
///
/// It is no `Monitor`, which locks twice and wakes all threads that wait: a connection that is returned wakes one.
///
/// `@unchecked Sendable`: all variables, and the connections of free slots, are only accessed while `lock` is held.
package final class ConnectionPool: @unchecked Sendable {
    private struct Slot {
        var connection: Connection?
        /// The number of the thread that uses the slot. 0 if the slot is free.
        var thread: UInt = 0
        var depth = 0
        /// Whether the slot was used since the last check for unused snapshots.
        var wasUsed = false
    }

    /// The maximum number of connections.
    package let capacity: Int

    private let lock = NSCondition()
    private let slots: UnsafeMutableBufferPointer<Slot>
    private let open: @Sendable () throws -> Connection
    @exclusivity(unchecked) private var isClosed = false
    /// Whether a thread waits until all connections are returned, or closes them.
    @exclusivity(unchecked) private var isEmptying = false
    @exclusivity(unchecked) private var waiting = 0
    private let keepsSnapshots: Bool
    private let onKeptSnapshot: @Sendable () -> Void
    /// Whether ``onKeptSnapshot`` was called, and snapshots may have been kept since.
    @exclusivity(unchecked) private var mayHaveKeptSnapshots = false

    /// Creates a pool without opening a connection.
    ///
    /// - Parameters:
    ///   - capacity: The maximum number of connections; at least 1.
    ///   - keepsSnapshots: Whether free connections keep their snapshots. Default: `false`.
    ///   - onKeptSnapshot: Called when a connection keeps its snapshot, for the first time since there were none.
    ///   - open: Opens and configures a connection. Called outside of the pool's lock, on the thread that needs the connection.
    package init(
        capacity: Int,
        keepsSnapshots: Bool = false,
        onKeptSnapshot: @escaping @Sendable () -> Void = {},
        open: @escaping @Sendable () throws -> Connection
    ) {
        self.capacity = max(1, capacity)
        self.keepsSnapshots = keepsSnapshots
        self.onKeptSnapshot = onKeptSnapshot
        self.open = open
        slots = .allocate(capacity: self.capacity)
        slots.initialize(repeating: Slot())
    }

    deinit {
        slots.deinitialize()
        slots.deallocate()
    }

    /// Runs `body` with a connection that only the calling thread uses. Blocks while all connections are in use.
    ///
    /// Statements must be reset or released before `body` returns. Otherwise they keep their snapshot of the file.
    ///
    /// - Throws: Errors of `body` and of opening; ``ConnectionPoolError/closed``.
    @inlinable
    package func withConnection<Result: ~Copyable>(_ body: (Connection) throws -> Result) throws -> Result {
        let (index, connection, isOutermost) = try checkOut()
        defer { checkIn(index, connection) }
        if isOutermost { try connection.beginSnapshot() }
        return try body(connection)
    }

    /// Runs `body` like ``withConnection(_:)``, but never waits. Returns `nil` if all connections are in use, or this thread uses one.
    package func withFreeConnection<Result>(_ body: (Connection) throws -> Result) throws -> Result? {
        guard let (index, connection, _) = try checkOut(waits: false) else { return nil }
        defer { checkIn(index, connection) }
        try connection.beginSnapshot()
        return try body(connection)
    }

    /// Ends the snapshots that free connections have kept. Takes about 20 ns if there are none.
    ///
    /// Must be called before something that readers prevent: emptying the log, or beginning it anew with the next transaction.
    ///
    /// - Parameter unlessUsed: Whether the snapshots of connections that were used since the last such call are kept.
    /// - Returns: Whether snapshots may be kept still.
    @discardableResult
    package func endIdleSnapshots(unlessUsed: Bool = false) -> Bool {
        lock.withLock {
            guard mayHaveKeptSnapshots else { return false }
            mayHaveKeptSnapshots = false
            for index in slots.indices {
                defer { slots[index].wasUsed = false }
                guard slots[index].thread == 0 else {
                    mayHaveKeptSnapshots = true
                    continue
                }
                guard let connection = slots[index].connection, connection.hasSnapshot else { continue }
                if unlessUsed, slots[index].wasUsed { mayHaveKeptSnapshots = true } else { connection.endSnapshot() }
            }
            return mayHaveKeptSnapshots
        }
    }

    /// Closes all connections. Blocks until they have been returned; new callers of ``withConnection(_:)`` get an error immediately.
    ///
    /// - Throws: ``ConnectionPoolError/closedFromWithin``, in which case nothing has been closed; the error of a connection, in which
    ///   case all of them have been closed.
    package func closeAll() throws {
        let thread = currentThreadNumber()
        let connections = try lock.withLock { () throws -> [Connection] in
            guard !slots.contains(where: { $0.thread == thread }) else { throw ConnectionPoolError.closedFromWithin }
            isClosed = true
            lock.broadcast()
            while slots.contains(where: { $0.thread != 0 }) { lock.wait() }
            return drainConnections()
        }
        try Self.close(connections)
    }

    /// Closes all connections, and runs `body` while none is open. Blocks until they have been returned. Other threads wait until `body`
    /// returns; then connections are opened again as needed. `body` must not use the pool.
    ///
    /// - Throws: ``ConnectionPoolError/closedFromWithin``, in which case nothing has been closed; errors of closing and of `body`.
    package func whileEmpty<Result>(_ body: () throws -> Result) throws -> Result {
        let thread = currentThreadNumber()
        let connections = try lock.withLock { () throws -> [Connection] in
            guard !slots.contains(where: { $0.thread == thread }) else { throw ConnectionPoolError.closedFromWithin }
            while isEmptying { lock.wait() }
            isEmptying = true
            while slots.contains(where: { $0.thread != 0 }) { lock.wait() }
            return drainConnections()
        }
        defer {
            lock.withLock {
                isEmptying = false
                lock.broadcast()
            }
        }
        try Self.close(connections)
        return try body()
    }

    /// Closes all of them, even if one throws.
    private static func close(_ connections: [Connection]) throws(SQLiteError) {
        var failure: SQLiteError?
        for connection in connections {
            do throws(SQLiteError) {
                try connection.close()
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }

    /// Removes the connections from all slots. The lock must be held.
    private func drainConnections() -> [Connection] {
        defer { for index in slots.indices { slots[index].connection = nil } }
        return slots.compactMap(\.connection)
    }

    /// The number of open connections.
    package var openCount: Int {
        lock.withLock { slots.count { $0.connection != nil } }
    }

    @usableFromInline
    func checkOut() throws -> (index: Int, connection: Connection, isOutermost: Bool) {
        // It waits, so there is always one.
        guard let checkedOut = try checkOut(waits: true) else { throw ConnectionPoolError.closed }
        return checkedOut
    }

    /// - Parameter waits: Whether to wait for a connection, and to use that of the thread again.
    /// - Returns: `nil` only if it does not wait.
    private func checkOut(waits: Bool) throws -> (index: Int, connection: Connection, isOutermost: Bool)? {
        let thread = currentThreadNumber()
        lock.lock()
        while true {
            var free: Int?
            for index in slots.indices {
                let slot = slots[index].thread
                if slot == thread, let connection = slots[index].connection {
                    guard waits else {
                        lock.unlock()
                        return nil
                    }
                    slots[index].depth &+= 1
                    lock.unlock()
                    return (index, connection, false)
                }
                if slot == 0, free == nil { free = index }
            }
            if isClosed {
                lock.unlock()
                throw ConnectionPoolError.closed
            }
            if let free, !isEmptying {
                slots[free].thread = thread
                slots[free].depth = 1
                let connection = slots[free].connection
                lock.unlock()
                return (free, try connection ?? openConnection(free), true)
            }
            guard waits else {
                lock.unlock()
                return nil
            }
            waiting &+= 1
            lock.wait()
            waiting &-= 1
        }
    }

    @usableFromInline
    func checkIn(_ index: Int, _ connection: Connection) {
        // Released statements, which may not have been reset, must not keep an old snapshot.
        connection.handle.finalizeAbandoned()
        let isFirstKept = lock.withLock {
            slots[index].depth &-= 1
            guard slots[index].depth == 0 else { return false }
            keepsSnapshots ? connection.endSnapshotIfTransient() : connection.endSnapshot()
            release(index)
            guard connection.hasSnapshot else { return false }
            slots[index].wasUsed = true
            defer { mayHaveKeptSnapshots = true }
            return !mayHaveKeptSnapshots
        }
        if isFirstKept { onKeptSnapshot() }
    }

    /// Opens the connection of a slot that the caller has checked out. On failure the slot is released.
    private func openConnection(_ index: Int) throws -> Connection {
        do {
            let connection = try open()
            lock.withLock { slots[index].connection = connection }
            return connection
        } catch {
            lock.withLock { release(index) }
            throw error
        }
    }

    /// Marks a slot as free and wakes one thread that waits for a slot, or all threads if the pool is being closed or emptied. The lock
    /// must be held.
    private func release(_ index: Int) {
        slots[index].thread = 0
        slots[index].depth = 0
        if isClosed || isEmptying { lock.broadcast() } else if waiting > 0 { lock.signal() }
    }
}
