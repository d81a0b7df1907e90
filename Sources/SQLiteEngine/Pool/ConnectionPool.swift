/// Why a pool gave no connection.
package enum ConnectionPoolError: Error, Equatable, Sendable {
    /// The pool has been closed.
    case closed
    /// The thread that wants to close the pool is inside ``ConnectionPool/withConnection(_:)`` and would wait for itself.
    case closedFromWithin
}

extension ConnectionPoolError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .closed: "the database connections have been closed"
        case .closedFromWithin: "the database connections cannot be closed by a thread that is using one"
        }
    }
}

/// A fixed number of connections, opened when first needed, each used by one thread at a time.
///
/// A thread that is inside ``withConnection(_:)`` and calls it again gets the same connection, so that it cannot wait for itself;
/// it must then expect that connection's cached statements to be in use (see ``Connection/cachedStatement(_:)``).
/// Handing a connection out and back costs about 30 ns when nobody else wants it. The connection first in line is always
/// the one used most, so that few are opened and their page caches are warm.
///
/// `@unchecked Sendable`: `slots`, `isClosed`, `isEmptying` and `waiting` are touched only under `lock`.
package final class ConnectionPool: @unchecked Sendable {
    private struct Slot {
        var connection: Connection?
        /// The number of the thread that uses the slot; 0 when it is free.
        var thread: UInt = 0
        /// How many calls of that thread are inside each other.
        var depth = 0
    }

    /// How many connections there can be.
    package let capacity: Int

    private let lock = ConditionLock()
    private let slots: UnsafeMutableBufferPointer<Slot>
    private let open: @Sendable () throws -> Connection
    @exclusivity(unchecked) private var isClosed = false
    /// Whether somebody waits for all connections to be handed back, or has them closed.
    @exclusivity(unchecked) private var isEmptying = false
    @exclusivity(unchecked) private var waiting = 0

    /// A pool that opens nothing yet.
    ///
    /// - Parameters:
    ///   - capacity: How many connections there can be; at least 1.
    ///   - open: Opens a connection and sets it up. Called outside the pool's lock, by the thread that needs the connection.
    package init(capacity: Int, open: @escaping @Sendable () throws -> Connection) {
        self.capacity = max(1, capacity)
        self.open = open
        slots = .allocate(capacity: self.capacity)
        slots.initialize(repeating: Slot())
    }

    deinit {
        slots.deinitialize()
        slots.deallocate()
    }

    /// Runs `body` with a connection that is the calling thread's alone meanwhile. Waits while all are in use.
    ///
    /// Statements must be reset (or released) by the end, or they keep their view of the database alive.
    ///
    /// - Throws: what `body` or opening throws; ``ConnectionPoolError/closed``.
    @inlinable
    package func withConnection<Result: ~Copyable>(_ body: (Connection) throws -> Result) throws -> Result {
        let (index, connection) = try checkOut()
        defer { checkIn(index, connection) }
        return try body(connection)
    }

    /// Closes all connections once they have been handed back; until then new users are refused already.
    ///
    /// - Throws: ``ConnectionPoolError/closedFromWithin``, and then nothing has been closed.
    package func closeAll() throws {
        let thread = currentThreadNumber()
        let connections = try lock.withLock { () throws -> [Connection] in
            guard !slots.contains(where: { $0.thread == thread }) else { throw ConnectionPoolError.closedFromWithin }
            isClosed = true
            lock.wakeAll()
            while slots.contains(where: { $0.thread != 0 }) { lock.wait() }
            return takeConnections()
        }
        for connection in connections { try connection.close() }
    }

    /// Closes all connections once they have been handed back, and runs `body` while there are none. Others wait meanwhile;
    /// afterwards connections are opened again as they are needed. `body` must not use the pool.
    ///
    /// - Throws: ``ConnectionPoolError/closedFromWithin``, and then nothing has been closed; what `body` throws.
    package func whileEmpty<Result>(_ body: () throws -> Result) throws -> Result {
        let thread = currentThreadNumber()
        let connections = try lock.withLock { () throws -> [Connection] in
            guard !slots.contains(where: { $0.thread == thread }) else { throw ConnectionPoolError.closedFromWithin }
            while isEmptying { lock.wait() }
            isEmptying = true
            while slots.contains(where: { $0.thread != 0 }) { lock.wait() }
            return takeConnections()
        }
        defer {
            lock.withLock {
                isEmptying = false
                lock.wakeAll()
            }
        }
        for connection in connections { try connection.close() }
        return try body()
    }

    /// Takes the connections out of all slots. Under the lock.
    private func takeConnections() -> [Connection] {
        defer { for index in slots.indices { slots[index].connection = nil } }
        return slots.compactMap(\.connection)
    }

    /// How many connections are open.
    package var openCount: Int {
        lock.withLock { slots.count { $0.connection != nil } }
    }

    @usableFromInline
    func checkOut() throws -> (Int, Connection) {
        let thread = currentThreadNumber()
        lock.lock()
        while true {
            var free: Int?
            for index in slots.indices {
                let slot = slots[index].thread
                if slot == thread, let connection = slots[index].connection {
                    slots[index].depth &+= 1
                    lock.unlock()
                    return (index, connection)
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
                if let connection { return (free, connection) }
                return (free, try openConnection(free))
            }
            waiting &+= 1
            lock.wait()
            waiting &-= 1
        }
    }

    @usableFromInline
    func checkIn(_ index: Int, _ connection: Connection) {
        // Statements that were released, perhaps in the middle of their rows, must not keep an old snapshot.
        connection.handle.finalizeAbandoned()
        lock.withLock {
            slots[index].depth &-= 1
            guard slots[index].depth == 0 else { return }
            release(index)
        }
    }

    /// Opens the connection of a slot that is already the caller's. When that fails the slot is free again.
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

    /// Makes a slot free and tells one thread that waits for one, or all when they wait for the end. Under the lock.
    private func release(_ index: Int) {
        slots[index].thread = 0
        slots[index].depth = 0
        if isClosed || isEmptying { lock.wakeAll() } else if waiting > 0 { lock.wakeOne() }
    }
}
