#if Replication
import BLIP
import Foundation
import Replication
import SyncCore
import Synchronization
import TestSupport
import TestTraits
import Testing

@testable import Hub
@testable import WebServer

@Suite("Connections of syncing clients", .ownThreads)
struct SyncRequestsTests {
    /// A channel without a peer, which ends when it is closed or cancelled.
    private final class Channel: FrameChannel {
        private struct Handler {
            let call: @Sendable (FrameChannelEvent) -> Void
        }

        private let handler = Mutex<Handler?>(nil)
        /// What was done with the channel.
        let calls = Recorder<String>()
        /// The frames that the hub has sent.
        let frames = Recorder<[UInt8]>()

        func open(_ handler: @escaping @Sendable (FrameChannelEvent) -> Void) {
            self.handler.withLock { $0 = Handler(call: handler) }
            calls.append("open")
        }

        func send(_ frame: [UInt8]) -> Bool {
            frames.append(frame)
            return true
        }

        /// Delivers an event of the client.
        func deliver(_ event: FrameChannelEvent) { handler.withLock { $0 }?.call(event) }

        func setReading(_: Bool) {}

        func close(code: Int, reason: String) {
            calls.append("close \(code)")
            end(with: ChannelClosure(code: code, reason: reason, isByPeer: false))
        }

        func cancel() {
            calls.append("cancel")
            end(with: .aborted)
        }

        private func end(with closure: ChannelClosure) { handler.withLock { $0.take() }?.call(.closed(closure)) }
    }

    private let hub: StoppedHub
    private let users: HubUsers
    private let sync = SyncRequests(maximumBlobSize: 1 << 20)

    init() throws {
        hub = try StoppedHub()
        users = HubUsers(hub.databases.own, iterations: 10)
    }

    /// Accepts a client of a user.
    private func connect(
        _ name: String?,
        query: String = "",
        access: @escaping @Sendable () throws -> HubAccess
    ) throws -> Channel {
        let body = WebBody(maximumBytes: 0, budget: BodyBudget(bytes: 0))
        let headers = [(name: "Sec-WebSocket-Protocol", value: "BLIP_3+CBMobile_3")]
        let request = try WebRequest(method: "GET", target: "/db/_blipsync\(query)", headers: headers, body: body)
        let channels = ChannelIndexes(in: hub.databases.own.file)
        let response = try sync.accept(request, hub.keyspace.database, channels, userName: name, current: access) {
            FeedRights(access: try access(), history: AccessHistory([]))
        }
        let channel = Channel()
        guard case .webSocket(let acceptance) = response.body else {
            Issue.record("the client was refused")
            return channel
        }
        acceptance.accept(channel, BodyBudget(bytes: 0), body.owner, RequestThreads(count: 1))
        return channel
    }

    private func connect(_ name: String) throws -> Channel {
        try connect(name) { [users] in
            guard let access = try users.access(of: name) else { throw HubError.unauthorized }
            return access
        }
    }

    @Test("while the indexes of channels are updated, clients of removed users are disconnected, and others are accepted")
    func longUpdate() async throws {
        for name in ["anna", "bert"] { #expect(try users.add(name, password: "secret", channels: ["a"])) }
        let (updates, ends) = (Recorder<Bool>(), Recorder<Bool>())
        try sync.start(watching: hub.databases.own.file) {
            updates.append(true)
            ends.wait(forCount: 1)
        }
        let first = try connect("anna")
        #expect(await first.calls.reaches { $0 == ["open"] })
        #expect(try users.change("anna", channels: ["b"]))
        #expect(await updates.reaches { !$0.isEmpty })
        #expect(try users.remove("anna"))
        #expect(await first.calls.reaches { $0 == ["open", "close \(CloseCode.noRetry.rawValue)"] })
        let second = try connect("bert")
        #expect(await second.calls.reaches { $0 == ["open"] })
        ends.append(true)
        // The change during the first update.
        #expect(await updates.reaches { $0.count >= 2 })
        await sync.stop()
        hub.databases.close()
    }

    /// Tells when it is released.
    private final class Token: Sendable {
        private let releases: Recorder<Bool>

        init(_ releases: Recorder<Bool>) { self.releases = releases }

        deinit { releases.append(true) }
    }

    @Test(
        "only to a Sync Gateway, changes are announced with the property that it requires",
        arguments: ["": false, "?client=sgr2": true, "?client=cbl": false]
    )
    func gateway(query: String, isGateway: Bool) async throws {
        let channel = try connect(nil, query: query) { .guest }
        #expect(await channel.calls.reaches { $0 == ["open"] })
        channel.deliver(.opened(ChannelHandshake(subprotocol: "BLIP_3+CBMobile_3")))
        var client = BLIPConnection()
        _ = client.send(OutgoingMessage(["Profile": "subChanges"]))
        guard let request = client.nextFrame() else { throw CocoaError(.coderInvalidValue) }
        channel.deliver(.frame(request))
        let isAnnouncement = { @Sendable (frame: [UInt8]) in String(decoding: frame, as: UTF8.self).contains("\0changes\0") }
        #expect(await channel.frames.reaches { $0.contains(where: isAnnouncement) })
        let announcement = channel.frames.all.first(where: isAnnouncement).map { String(decoding: $0, as: UTF8.self) }
        #expect(announcement?.contains("ignoreNoConflicts\0true\0") == isGateway)
        await sync.stop()
        hub.databases.close()
    }

    @Test("nothing is kept of a client that connects while the hub stops")
    func stopping() async throws {
        await sync.stop()
        let releases = Recorder<Bool>()
        func connectGuest() throws -> Channel {
            let token = Token(releases)
            return try connect(nil) { withExtendedLifetime(token) { .guest } }
        }
        let channel = try connectGuest()
        #expect(await releases.reaches { !$0.isEmpty })
        #expect(channel.calls.all == ["cancel"])
        #expect(sync.counters.count(of: "db") == SyncCount())
        hub.databases.close()
    }
}
#endif
