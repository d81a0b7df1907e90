#if Replication
import CouchbaseLiteSwift
import CouchbaseLiteTestSupport
import Foundation
import TestSupport
import TestTraits
import Testing

@testable import Hub
@testable import WebServer

@Suite("Requests for changes that wait", .ownThreads)
struct WaitingFeedTests {
    @Test("a wait that a change has ended does not end the next one")
    func nextWait() async throws {
        let hub = try StoppedHub()
        let signal = try ChangeSignal(hub.keyspace, own: hub.databases.own.file)
        for number in 0..<3 {
            signal.arm()
            try hub.store("d\(number)")
            await signal.wait(milliseconds: 3_600_000)
        }
        signal.arm()
        let start = ContinuousClock.now
        await signal.wait(milliseconds: 300)
        // A wait may last longer on a busy machine, but never shorter.
        #expect(ContinuousClock.now - start >= .milliseconds(300))
        hub.databases.close()
    }

    @Test("a wait ends after its time although all threads that tasks share are blocked")
    func busyThreads() async throws {
        let hub = try StoppedHub()
        let signal = try ChangeSignal(hub.keyspace, own: hub.databases.own.file)
        try await withBlockedSharedThreads {
            signal.arm()
            await signal.wait(milliseconds: 20)
        }
        hub.databases.close()
    }

    @Test("a feed of which the user may read nothing is not continued when the client has gone")
    func cancellation() async throws {
        let hub = try StoppedHub { database in
            let collection = try database.defaultCollection()
            try database.inBatch {
                for number in 0..<900 { try collection.save(document: MutableDocument(id: "d\(number)")) }
            }
        }
        let pages = Recorder<Bool>()
        let access = HubAccess(userName: "anna", channels: ["mine"])
        let made = try feed(of: hub) {
            // The first page is read before the head is sent. The client closes the connection during the second one.
            pages.append(true)
            if pages.all.count > 1 { withUnsafeCurrentTask { $0?.cancel() } }
            return FeedRights(access: access, history: AccessHistory(access.channels))
        }
        guard case .stream(_, let produce) = try made.response().body else {
            Issue.record("the response is not streamed")
            return
        }
        let task = Task { try await produce(WebResponseWriter { _ in }) }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(pages.all.count == 2)
        hub.databases.close()
    }

    @Test("a feed whose first changes cannot be read is refused, instead of ending after its head")
    func unreadable() throws {
        let hub = try StoppedHub()
        let error = #expect(throws: WebError.self) { try feed(of: hub) { throw WebError(503, "The disk is full") }.response() }
        #expect(error?.status == 503)
        hub.databases.close()
    }

    @Test("the channels of many documents are determined in parts, and a feed contains all documents afterwards")
    func index() async throws {
        let hub = try StoppedHub { database in
            let collection = try database.defaultCollection()
            try database.inBatch {
                for number in 0..<2500 { try collection.save(document: MutableDocument(id: "d\(number)")) }
            }
        }
        let index = try ChannelIndexes(in: hub.databases.own.file).index(of: hub.keyspace.id, in: hub.keyspace.database)
        let first = try index.update(hub.keyspace.replica)
        #expect(first.sequence == 1000 && !first.isComplete)
        let rows = Recorder<[UInt8]>()
        let rights = FeedRights(access: .guest, history: AccessHistory(HubAccess.guest.channels))
        guard case .stream(_, let produce) = try feed(of: hub, { rights }).response().body else {
            Issue.record("the response is not streamed")
            return
        }
        try await produce(WebResponseWriter { rows.append($0) })
        let json = try JSONSerialization.jsonObject(with: Data(rows.all.joined())) as? [String: Any]
        #expect((json?["results"] as? [Any])?.count == 2500)
        #expect(json?["last_seq"] as? String == "2500")
        hub.databases.close()
    }

    @Test("a list with a limit has its rows although the user may not read the documents before them")
    func limit() async throws {
        try await withHub { hub in
            for (name, channels) in [("anna", ["mine"]), ("root", ["*"])] {
                #expect(try hub.hub.users.add(name, password: "secret", channels: channels))
            }
            let documents = (0..<250).map { #"{"_id":"d\#($0)","channels":"\#($0 % 120 == 119 ? "mine" : "other")"}"# }
            let body = #"{"docs":[\#(documents.joined(separator: ","))]}"#
            #expect(try await hub.send("POST", "/db/_bulk_docs", body, user: "root").status == 201)
            var since = "0"
            for expected in ["d119", "d239", nil] {
                let answer = try await hub.send("GET", "/db/_changes?limit=1&since=\(since)", user: "anna").object
                let rows = answer["results"] as? [[String: Any]] ?? []
                #expect(rows.map { $0["id"] as? String } == (expected.map { [$0] } ?? []))
                since = answer["last_seq"] as? String ?? ""
            }
        }
    }

    @Test("guests lose their access, also in requests that wait, when the first user is added")
    func guests() async throws {
        try await withHub { hub in
            let continuous = try RawConnection(port: hub.port)
            continuous.send(lines: "GET /db/_changes?feed=continuous&limit=1 HTTP/1.1\nHost: localhost\nConnection: close\n\n")
            #expect(continuous.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200 "))
            let socket = try FeedClient(port: hub.port, "/db/_changes?feed=websocket")
            socket.send("{}")
            #expect(socket.next() == .changes([], hasDocuments: false))
            let local = try await syncing(hub)
            #expect(try hub.hub.users.add("root", password: "secret", channels: ["*"]))
            #expect(try await hub.send("PUT", "/db/new", "{}", user: "root").status == 201)
            #expect(!continuous.readAll().contains("new"))
            #expect(socket.next() == .close(code: 1008, reason: "Login required"))
            _ = await local.levels.reaches { $0.contains(.stopped) }
            // The hub closes the connection with the code for permanent errors.
            #expect((local.replicator.status.error as NSError?)?.code == CBLError.webSocketCloseUserPermanent)
            #expect(try local.database.database.defaultCollection().document(id: "new") == nil)
        }
    }

    private func feed(of hub: StoppedHub, _ rights: @escaping @Sendable () throws -> FeedRights) throws -> ChangesFeed {
        let (own, keyspace) = (hub.databases.own.file, hub.keyspace)
        let index = try ChannelIndexes(in: own).index(of: keyspace.id, in: keyspace.database)
        return ChangesFeed(keyspace, index, own: own, ChangesRequest(maximumTimeout: 1000), rights: rights)
    }

    private typealias Syncing = (
        database: TemporaryDatabase, replicator: Replicator, levels: Recorder<Replicator.ActivityLevel>, token: ListenerToken
    )

    /// Starts continuous replication without a user, and waits until it is idle.
    private func syncing(_ hub: RunningHub) async throws -> Syncing {
        let local = try TemporaryDatabase()
        let config = try ReplicatorConfiguration(
            collections: [CollectionConfiguration(collection: local.database.defaultCollection())],
            target: URLEndpoint(url: try #require(URL(string: "ws://127.0.0.1:\(hub.port)/db")))
        )
        config.continuous = true
        let replicator = Replicator(config: config)
        let levels = Recorder<Replicator.ActivityLevel>()
        let token = replicator.addChangeListener { levels.append($0.status.activity) }
        replicator.start()
        _ = await levels.reaches { $0.contains(.idle) }
        return (local, replicator, levels, token)
    }
}
#endif
