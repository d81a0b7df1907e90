#if Replication
import SyncCore
import Foundation
import SyncRuntime
import TestSupport
import TestTraits
import Testing

@testable import CouchbaseLiteSwift

@Suite("Closing a database while it is being replicated", .ownThreads)
struct ClosingDatabaseTests {
    @Test("closing or deleting a database stops its replicators and waits until they have stopped", arguments: [false, true])
    func closing(deletes: Bool) throws {
        let driven = try DrivenReplicator(continuous: true)
        driven.start()
        try driven.open()
        if deletes { try driven.database.delete() } else { try driven.database.close() }
        #expect(driven.replicator.status.activity == .stopped)
        #expect(try driven.connection.channel.ends == ["close 1000"])
    }

    @Test("closing a database inside a batch throws an error and does not stop its replicators")
    func inBatch() throws {
        let driven = try DrivenReplicator(continuous: true)
        driven.start()
        var code: ErrorCode?
        try driven.database.inBatch { code = thrown { try driven.database.close() } }
        #expect(code == .transactionNotClosed)
        #expect(driven.replicator.status.activity == .connecting)
    }

    @Test("starting a replicator whose database is closed raises an exception")
    func startOnClosed() throws {
        let driven = try DrivenReplicator()
        try driven.database.close()
        let replicator = driven.replicator
        #expect(misuse { replicator.start() }?.name == inconsistency)
    }

    @Test("replicators stopped by a failed deletion of their database can be started again")
    func failedDeletion() throws {
        let driven = try DrivenReplicator(continuous: true)
        driven.start()
        let other = try driven.folder.open()
        #expect(thrown { try driven.database.delete() } == .busy)
        #expect(driven.replicator.status.activity == .stopped)
        driven.start()
        #expect(driven.replicator.status.activity == .connecting)
        try other.close()
    }

    @Test("closing a database on the queue of its own replicator does not deadlock")
    func fromWithin() throws {
        let driven = try DrivenReplicator(continuous: true)
        driven.start()
        let database = driven.database
        driven.replicator.core.queue.sync { try? database.close() }
        driven.settle()
        #expect(database.path == nil)
        #expect(driven.replicator.status.activity == .stopped)
    }
}
#endif
