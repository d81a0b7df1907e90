import SQLiteEngine
import Synchronization
import TestSupport
import Testing

@Suite("Connection pools")
struct ConnectionPoolTests {
    private struct Stop: Error {}

    let directory: TemporaryDirectory
    let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path("pool.db")
        let connection = try Connection(path: path, mode: .create)
        _ = try connection.scalarText("PRAGMA journal_mode=WAL")
        try connection.execute("CREATE TABLE t (x); INSERT INTO t VALUES (1), (2), (3)")
    }

    private func pool(_ capacity: Int) -> ConnectionPool {
        ConnectionPool(capacity: capacity) { [path] in try Connection(path: path, mode: .readOnly) }
    }

    @Test("a pool opens connections on demand and reuses them")
    func laziness() throws {
        let pool = pool(4)
        #expect(pool.openCount == 0)
        let first = try pool.withConnection { $0 }
        let second = try pool.withConnection { $0 }
        #expect(first === second)
        #expect(pool.openCount == 1)
    }

    @Test("nested uses of a pool on one thread share the same connection, even in a pool of one")
    func nesting() throws {
        let pool = pool(1)
        try pool.withConnection { outer in
            try pool.withConnection { inner in
                #expect(inner === outer)
                let count = try inner.scalar("SELECT count(*) FROM t")
                #expect(count == 3)
            }
            #expect(try pool.withConnection { $0 } === outer)
        }
    }

    @Test("errors of the body or of opening a connection are thrown, and leave the pool usable")
    func errors() throws {
        let pool = pool(1)
        #expect(throws: Stop.self) { try pool.withConnection { _ in throw Stop() } }
        #expect(try pool.withConnection { try $0.scalar("SELECT 5") } == 5)

        let path = directory.path("later.db")
        let shy = ConnectionPool(capacity: 1) {
            return try Connection(path: path, mode: .readOnly)
        }
        #expect(throws: SQLiteError.self) { try shy.withConnection { _ in } }
        #expect(shy.openCount == 0)
        try Connection(path: path, mode: .create).execute("CREATE TABLE t (x)")
        #expect(try shy.withConnection { try $0.scalar("SELECT 5") } == 5)
    }

    @Test("eight threads share a pool of three connections, each used by one thread at a time")
    func threads() async throws {
        let pool = pool(3)
        let users = Users()
        let total = try await withThrowingTaskGroup(of: Int64.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    try await onThread {
                        var sum: Int64 = 0
                        for _ in 0..<300 {
                            sum += try pool.withConnection { connection in
                                #expect(users.enter(connection) == 1)
                                defer { users.leave(connection) }
                                return try connection.scalar("SELECT sum(x) FROM t") ?? 0
                            }
                        }
                        return sum
                    }
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(total == 8 * 300 * 6)
        #expect((1...3).contains(pool.openCount))
        try pool.closeAll()
        #expect(pool.openCount == 0)
    }

    @Test("a closed pool closes its connections and returns no further ones")
    func closing() throws {
        let pool = pool(2)
        let connection = try pool.withConnection { $0 }
        try pool.closeAll()
        try pool.closeAll()
        #expect(connection.isClosed)
        #expect(throws: ConnectionPoolError.closed) { try pool.withConnection { _ in } }
    }

    @Test("a pool cannot be closed by a thread that is using one of its connections")
    func closingFromWithin() throws {
        let pool = pool(2)
        try pool.withConnection { connection in
            #expect(throws: ConnectionPoolError.closedFromWithin) { try pool.closeAll() }
            let one = try connection.scalar("SELECT 1")
            #expect(one == 1)
        }
        #expect(try pool.withConnection { try $0.scalar("SELECT 1") } == 1)
        try pool.closeAll()
    }

    @Test("closing a pool waits for its users, and threads waiting for a connection get the error closed")
    func closingWaits() async throws {
        let pool = pool(1)
        let isInside = Signal()
        let mayLeave = Signal()
        async let user: Bool = onThread {
            try pool.withConnection { connection in
                isInside.raise()
                mayLeave.wait()
                return try connection.scalar("SELECT 1") == 1
            }
        }
        // On a separate thread, because other tests share the test's thread and may have to run before this one can continue.
        try await onThread { isInside.wait() }
        async let closed: Bool = onThread {
            try pool.closeAll()
            return true
        }
        async let refused: ConnectionPoolError? = onThread {
            // Whether the thread comes before the closing, and waits, or after it: it gets no connection.
            do { try pool.withConnection { _ in } } catch let error as ConnectionPoolError { return error }
            return nil
        }
        #expect(try await refused == .closed)
        #expect(pool.openCount == 1)
        mayLeave.raise()
        #expect(try await user)
        #expect(try await closed)
        #expect(pool.openCount == 0)
    }

    @Test("whileEmpty waits for the users of a pool, and later users wait for its end")
    func emptying() async throws {
        let pool = pool(2)
        let isInside = Signal()
        let mayLeave = Signal()
        let isEmpty = Signal()
        let mayFill = Signal()
        async let user: Bool = onThread {
            try pool.withConnection { connection in
                isInside.raise()
                mayLeave.wait()
                return try connection.scalar("SELECT 1") == 1
            }
        }
        try await onThread { isInside.wait() }
        async let emptied: Int = onThread {
            try pool.whileEmpty {
                isEmpty.raise()
                mayFill.wait()
                return pool.openCount
            }
        }
        mayLeave.raise()
        #expect(try await user)
        try await onThread { isEmpty.wait() }
        async let later: Int64? = onThread { try pool.withConnection { try $0.scalar("SELECT count(*) FROM t") } }
        mayFill.raise()
        #expect(try await emptied == 0)
        #expect(try await later == 3)
        #expect(pool.openCount == 1)
    }

    @Test("whileEmpty is refused on a thread that is using a connection of the pool")
    func emptyingFromWithin() throws {
        let pool = pool(2)
        try pool.withConnection { connection in
            #expect(throws: ConnectionPoolError.closedFromWithin) { try pool.whileEmpty {} }
            let one = try connection.scalar("SELECT 1")
            #expect(one == 1)
        }
    }

    @Test("a statement released in the middle of a query does not keep a stale view of the database")
    func staleViews() throws {
        let pool = pool(1)
        try pool.withConnection { connection in
            let statement = try connection.prepare("SELECT x FROM t")
            #expect(try statement.step())
        }
        let writer = try Connection(path: path, mode: .readWrite)
        writer.busyTimeout = .milliseconds(1)
        try writer.execute("INSERT INTO t VALUES (4)")
        #expect(try writer.checkpoint())
        #expect(try pool.withConnection { try $0.scalar("SELECT count(*) FROM t") } == 4)
    }
}

/// Counts the current users of a connection.
private final class Users: Sendable {
    private let counts = Mutex<[ObjectIdentifier: Int]>([:])

    func enter(_ connection: Connection) -> Int {
        counts.withLock { counts in
            counts[ObjectIdentifier(connection), default: 0] += 1
            return counts[ObjectIdentifier(connection), default: 0]
        }
    }

    func leave(_ connection: Connection) {
        counts.withLock { $0[ObjectIdentifier(connection), default: 0] -= 1 }
    }
}
