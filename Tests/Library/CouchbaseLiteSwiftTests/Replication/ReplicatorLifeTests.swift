#if Replication
import SyncCore
import Foundation
import Replication
import SyncRuntime
import TestSupport
import TestTraits
import Testing

@testable import CouchbaseLiteSwift

@Suite("Replicator life cycle", .ownThreads)
struct ReplicatorLifeTests {
    @Test("a one-shot replicator goes from connecting through busy to stopped")
    func oneRun() throws {
        let driven = try DrivenReplicator()
        #expect(driven.replicator.status.activity == .stopped)
        driven.start()
        #expect(driven.replicator.status.activity == .connecting)
        try driven.open()
        try driven.report(.status(SessionStatus(isBusy: false)))
        try driven.end(nil)
        #expect(driven.notified == ["connecting", "busy", "stopped"])
        #expect(driven.replicator.status.error == nil)
    }

    @Test("a continuous replicator is idle when there is nothing to transfer")
    func continuous() throws {
        let driven = try DrivenReplicator(continuous: true)
        driven.start()
        try driven.open()
        try driven.report(.status(SessionStatus(isBusy: false)))
        try driven.report(.status(SessionStatus(isBusy: true)))
        try driven.report(.status(SessionStatus(isBusy: false)))
        #expect(driven.notified == ["connecting", "busy", "idle", "busy", "idle"])
    }

    @Test("start and stop have changed the status when they return")
    func statusAtOnce() throws {
        let driven = try DrivenReplicator()
        driven.replicator.start()
        #expect(driven.replicator.status.activity == .connecting)
        driven.settle()
        driven.connector.fail(with: SyncError(.webSocket, 503))
        try driven.end(SyncError(.webSocket, 503))
        #expect(driven.replicator.status.activity == .offline)
        driven.replicator.stop()
        #expect(driven.replicator.status.activity == .stopped)
    }

    @Test("a replicator is offline after a transient error, and connects again after two seconds")
    func retry() throws {
        let driven = try DrivenReplicator()
        driven.start()
        try driven.end(SyncError(.posix, Int(ECONNREFUSED)))
        #expect(driven.notified == ["connecting", "offline \(ECONNREFUSED)"])
        #expect((driven.replicator.status.error as NSError?)?.domain == NSPOSIXErrorDomain)
        driven.advance(by: 1999)
        #expect(driven.connector.connections.count == 1)
        driven.advance(by: 1)
        #expect(driven.connector.connections.count == 2)
        #expect(driven.notified.last == "connecting")
    }

    @Test("a connection that cannot be created counts as an attempt")
    func impossibleConnection() throws {
        let driven = try DrivenReplicator { $0.maxAttempts = 3 }
        driven.connector.fail(with: SyncError(.webSocket, 503))
        driven.start()
        driven.advance(by: 2000)
        driven.advance(by: 4000)
        #expect(
            driven.notified == [
                "connecting", "offline 10503", "connecting", "offline 10503", "connecting", "stopped 10503",
            ]
        )
    }

    @Test("a replicator stops with the error of a permanent failure")
    func permanentError() throws {
        let driven = try DrivenReplicator(continuous: true)
        driven.start()
        try driven.end(SyncError(.webSocket, 401))
        #expect(driven.notified == ["connecting", "stopped 10401"])
    }

    @Test("stopping a replicator closes its connection normally")
    func stop() throws {
        let driven = try DrivenReplicator(continuous: true)
        driven.start()
        try driven.open()
        driven.stop()
        #expect(try driven.connection.channel.ends == ["close 1000"])
        #expect(driven.notified == ["connecting", "busy", "stopped"])
    }

    @Test("a connection whose peer does not answer the close is cancelled after fifteen seconds")
    func muteServer() throws {
        let driven = try DrivenReplicator(continuous: true)
        driven.start()
        try driven.open()
        try driven.connection.channel.ignoreClosing()
        driven.stop()
        #expect(driven.notified == ["connecting", "busy"])
        driven.advance(by: 15_000)
        #expect(try driven.connection.channel.ends == ["close 1000", "cancel"])
        #expect(driven.notified.last == "stopped")
        #expect(driven.clock.appointments.isEmpty)
    }

    @Test("stopping a replicator cancels a connection that is being made")
    func stopWhileConnecting() throws {
        let driven = try DrivenReplicator()
        driven.start()
        driven.stop()
        #expect(try driven.connection.channel.ends == ["cancel"])
        #expect(driven.notified == ["connecting", "stopped"])
    }

    @Test("stopping an offline replicator cancels its retry")
    func stopWhileOffline() throws {
        let driven = try DrivenReplicator()
        driven.start()
        try driven.end(SyncError(.webSocket, 503))
        driven.stop()
        #expect(driven.notified == ["connecting", "offline 10503", "stopped"])
        #expect(driven.clock.appointments.isEmpty)
    }

    @Test("a stopped replicator can be started again")
    func restart() throws {
        let driven = try DrivenReplicator()
        for _ in 0..<3 {
            driven.start()
            try driven.open()
            try driven.end(nil)
        }
        #expect(driven.connector.connections.count == 3)
        #expect(driven.notified == Array(repeating: ["connecting", "busy", "stopped"], count: 3).flatMap { $0 })
    }

    @Test("starting a running replicator is ignored")
    func startTwice() throws {
        let driven = try DrivenReplicator()
        driven.start()
        driven.start()
        #expect(driven.connector.connections.count == 1)
        #expect(driven.notified == ["connecting"])
    }

    @Test("suspending a replicator closes its connection, and resuming makes a new one")
    func suspending() throws {
        let driven = try DrivenReplicator(continuous: true)
        driven.replicator.suspend()
        driven.replicator.resume()
        #expect(driven.replicator.status.activity == .stopped)
        driven.start()
        try driven.open()
        driven.replicator.suspend()
        driven.settle()
        #expect(driven.replicator.status.activity == .offline)
        driven.advance(by: 1_000_000)
        #expect(driven.connector.connections.count == 1)
        driven.replicator.resume()
        driven.settle()
        #expect(driven.notified == ["connecting", "busy", "offline", "connecting"])
        #expect(driven.connector.connections.count == 2)
    }

    @Test("a replicator connects at once when the network becomes reachable again")
    func reachability() throws {
        let driven = try DrivenReplicator(continuous: true)
        driven.start()
        try driven.end(SyncError(.webSocket, 503))
        driven.replicator.core.handle(.reachability(isReachable: true))
        driven.settle()
        #expect(driven.connector.connections.count == 2)
        #expect(driven.clock.appointments.isEmpty)
    }

    @Test("a checkpoint reset is used by the first connection that can be created, and only by that one")
    func reset() throws {
        let driven = try DrivenReplicator()
        driven.connector.fail(with: SyncError(.webSocket, 503))
        driven.start(reset: true)
        driven.connector.fail(with: nil)
        driven.advance(by: 2000)
        try driven.end(SyncError(.webSocket, 503))
        driven.advance(by: 4000)
        try driven.end(nil)
        driven.start()
        try driven.end(nil)
        let replicator: any Resettable = driven.replicator
        replicator.resetCheckpoint()
        driven.start()
        try driven.end(nil)
        driven.start()
        #expect(driven.connector.connections.map(\.isReset) == [true, false, false, true, false])
    }

    @Test("the server certificate is known from the handshake until the next start")
    func certificate() throws {
        let driven = try DrivenReplicator(continuous: true)
        driven.start()
        #expect(driven.replicator.core.serverCertificate == nil)
        try driven.open(ChannelHandshake(peerCertificate: [1, 2]))
        #expect(driven.replicator.core.serverCertificate == [1, 2])
        driven.stop()
        #expect(driven.replicator.core.serverCertificate == [1, 2])
        driven.start()
        #expect(driven.replicator.core.serverCertificate == nil)
    }

    @Test("a running replicator is kept alive, and is deallocated after it has stopped")
    func lifetime() throws {
        let folder = try DatabaseFolder()
        let collection = try folder.open().defaultCollection()
        let connector = ScriptedConnector([collection])
        let config = ReplicatorConfiguration(
            target: URLEndpoint(url: try #require(URL(string: "ws://localhost/db")))
        )
        config.addCollection(collection)
        let stopped = DispatchSemaphore(value: 0)
        let listeners = DispatchQueue(label: "test")
        weak var core: ReplicatorCore?
        do {
            let replicator = Replicator(config: config, clock: VirtualClock(0), connector: connector)
            core = replicator.core
            replicator.addChangeListener(withQueue: listeners) { change in
                if change.status.activity == .stopped { stopped.signal() }
            }
            replicator.start()
        }
        let queue = try #require(core).queue
        queue.sync {}
        #expect(core != nil)
        try #require(connector.connections.last).channel.tell(.closed(ChannelClosure(code: 1000, isByPeer: false)))
        stopped.wait()
        queue.sync {}
        // The queue of the listener releases the last notification.
        listeners.sync {}
        #expect(core == nil)
    }
}

/// Calls deprecated functions without a warning.
private protocol Resettable {
    func resetCheckpoint()
}

extension Replicator: Resettable {}
#endif
