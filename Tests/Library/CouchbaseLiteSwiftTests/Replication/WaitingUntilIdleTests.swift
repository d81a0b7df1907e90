#if Replication
import Foundation
import SyncCore
import SyncRuntime
import TestSupport
import TestTraits
import Testing

@testable import CouchbaseLiteSwift
@testable import Replication

@Suite("Waiting until a replicator is idle", .ownThreads)
struct WaitingUntilIdleTests {
    @Test("the changes that were saved before the call are on the other side when the replicator is idle")
    func pushed() async throws {
        let folder = try DatabaseFolder()
        let (near, far) = (try folder.open("near"), try folder.open("far"))
        let config = try ReplicatorConfiguration(
            collections: [CollectionConfiguration(collection: near.defaultCollection())],
            target: DatabaseEndpoint(database: far)
        )
        config.continuous = true
        let replicator = Replicator(config: config)
        replicator.start()
        for number in 0..<50 {
            try near.saveDocument(MutableDocument(id: "a").setInt(number, forKey: "n"))
            try await replicator.waitUntilIdle()
            #expect(far.document(withID: "a")?.int(forKey: "n") == number)
        }
        replicator.stop()
        await replicator.wait(for: .stopped)
        await #expect(throws: CancellationError.self) { try await replicator.waitUntilIdle() }
    }

    @Test("the error that stops the replicator is thrown, also if it has stopped before")
    func failed() async throws {
        let driven = try DrivenReplicator(continuous: true)
        driven.start()
        let waiting = Task { [replicator = driven.replicator] in try await replicator.waitUntilIdle() }
        try driven.end(SyncError(.webSocket, 404))
        #expect(await thrown { try await waiting.value } == .couchbaseLite(CBLError.httpNotFound))
        #expect(await thrown { try await driven.replicator.waitUntilIdle() } == .couchbaseLite(CBLError.httpNotFound))
    }

    @Test("a replicator that is offline is waited for until it is connected and idle, or the task is cancelled")
    func offline() async throws {
        let driven = try DrivenReplicator(continuous: true)
        driven.start()
        try driven.end(SyncError(.posix, Int(ECONNREFUSED)))
        #expect(driven.replicator.status.activity == .offline)
        let (first, second) = (
            Task { [replicator = driven.replicator] in try await replicator.waitUntilIdle() },
            Task { [replicator = driven.replicator] in try await replicator.waitUntilIdle() }
        )
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        #expect(driven.replicator.status.activity == .offline)
        driven.advance(by: 2000)
        try driven.open()
        try driven.report(.status(SessionStatus(isBusy: false)))
        try await second.value
    }

    @Test("only a continuous replicator that was started can be waited for")
    func misuse() async throws {
        let oneShot = try DrivenReplicator()
        #expect(await thrown { try await oneShot.replicator.waitUntilIdle() } == .couchbaseLite(CBLError.unsupported))
        let continuous = try DrivenReplicator(continuous: true)
        #expect(await thrown { try await continuous.replicator.waitUntilIdle() } == .couchbaseLite(CBLError.unsupported))
    }
}
#endif
