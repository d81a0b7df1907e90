#if Replication
import Base
import Replication
import SyncCore
import Synchronization
import Testing
import WebServer

@testable import Hub

@Suite("Counters of sync")
struct SyncCountersTests {
    private func status(pushed: UInt64, pulled: UInt64, removed: UInt64 = 0, refused: UInt64 = 0) -> SessionReport {
        var counts = SessionCounts()
        (counts.pushed, counts.pulled, counts.removed, counts.refused) = (pushed, pulled, removed, refused)
        var status = SessionStatus()
        status.counts = counts
        return .status(status)
    }

    @Test("the counts of all sessions of a database are added, each document once")
    func sessions() {
        let counters = SyncCounters()
        let (first, second) = (counters.begin("db"), counters.begin("db"))
        first.handle(status(pushed: 1, pulled: 2))
        first.handle(status(pushed: 3, pulled: 2, removed: 1))
        second.handle(status(pushed: 10, pulled: 0, refused: 1))
        #expect(counters.count(of: "db") == SyncCount(clients: 2, sent: 13, received: 3, refused: 1, failures: 0))
        #expect(counters.count(of: "other") == SyncCount())
    }

    @Test("observers are told of each change of a count, and not of reports that change none")
    func observers() {
        let counters = SyncCounters()
        let calls = Mutex(0)
        let observation = counters.observers.add { calls.withLock { $0 += 1 } }
        let session = counters.begin("db")
        #expect(calls.withLock { $0 } == 1)
        for _ in 0..<2 { session.handle(status(pushed: 1, pulled: 2)) }
        #expect(calls.withLock { $0 } == 2)
        session.handle(.ended(nil))
        #expect(calls.withLock { $0 } == 3)
        withExtendedLifetime(observation) {}
    }

    @Test("the names of databases are escaped in the metrics, also before a combining accent and after a carriage return")
    func labels() throws {
        let response = HubMetrics().response(syncCount: 0, sync: [("a\"\u{301}\\\r\nb", SyncCount())])
        guard case .bytes(let bytes) = response.body else { throw HubError.missing }
        #expect(String(decoding: bytes, as: UTF8.self).contains("hub_sync_failures_total{database=\"a\\\"\u{301}\\\\\r\\nb\"} 0\n"))
    }

    @Test("a connection that ends with an error is a failure, and one that the client closes is not")
    func ends() {
        let counters = SyncCounters()
        for error in [nil, SyncError(.webSocket, 1000, ""), SyncError(.webSocket, 1001, ""), SyncError(.webSocket, 1002, "")] {
            counters.begin("db").handle(.ended(error))
        }
        #expect(counters.count(of: "db") == SyncCount(clients: 0, sent: 0, received: 0, refused: 0, failures: 1))
    }
}
#endif
