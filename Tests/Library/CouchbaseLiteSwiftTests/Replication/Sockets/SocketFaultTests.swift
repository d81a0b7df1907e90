#if Replication
import Foundation
import TestSupport
import TestTraits
import Testing

@testable import CouchbaseLiteSwift

@Suite("Replication over failing sockets", .ownThreads)
struct SocketFaultTests {
    let served: ServedDatabases
    let folder: DatabaseFolder
    let client: Database

    init() throws {
        served = try ServedDatabases(["db": []])
        folder = try DatabaseFolder()
        client = try folder.open("client")
    }

    private var servedPort: Int {
        get throws { try #require(URL(string: try served.url())?.port) }
    }

    private func replicator(
        port: Int? = nil,
        of database: Database? = nil,
        continuous: Bool = false,
        _ configure: (ReplicatorConfiguration) -> Void = { _ in }
    ) throws -> Replicator {
        let url = try #require(URL(string: "ws://127.0.0.1:\(try port ?? servedPort)/db"))
        let config = try ReplicatorConfiguration(
            collections: [CollectionConfiguration(collection: (database ?? client).defaultCollection())],
            target: URLEndpoint(url: url)
        )
        config.continuous = continuous
        configure(config)
        return Replicator(config: config, clock: AcceleratedClock())
    }

    private func fill(_ database: Database, _ prefix: String, count: Int, bytes: Int = 200) throws {
        var generator = SeededGenerator(seed: TestSeed.forThisTest())
        try database.inBatch {
            for number in 0..<count {
                let text = (0..<bytes / 16).map { _ in
                    String(UInt64.random(in: .min ... .max, using: &generator), radix: 16)
                }
                try database.save("\(prefix)\(number)", #"{"n":\#(number),"text":"\#(text.joined())"}"#)
            }
        }
    }

    @Test("a replicator connects again after its connection was cut during the transfer")
    func cut() async throws {
        let relay = try TCPRelay(.forwarding(port: try servedPort))
        try fill(client, "ours", count: 400)
        try fill(try served.database(), "theirs", count: 400)
        let replicator = try replicator(port: relay.port)
        let token = replicator.addDocumentReplicationListener(withQueue: DispatchQueue(label: "test.cut")) { _ in
            if relay.connectionCount < 4 { relay.cut() }
        }
        try await replicator.runToEnd()
        token.remove()
        #expect(relay.connectionCount > 1)
        let (ours, theirs) = (try client.contents(), try served.database().contents())
        let differences = Set(ours.keys).union(theirs.keys).filter { ours[$0] != theirs[$0] }.sorted()
        #expect(differences == [], "in the client: \(differences.map { ours[$0] != nil })")
        #expect(try await replicator.runToEnd() == [])
        #expect(try client.contents() == served.database().contents())
        #expect(try folder.problems("client") == [])
    }

    @Test("a continuous replicator goes offline when its peer stops answering, and continues when the peer is back")
    func halfOpen() async throws {
        let relay = try TCPRelay(.forwarding(port: try servedPort))
        let replicator = try replicator(port: relay.port, continuous: true) { $0.heartbeat = 0.2 }
        replicator.start()
        await replicator.wait(for: .idle)
        relay.stall()
        let offline = await replicator.wait(for: .offline)
        #expect((offline.error as NSError?)?.code == CBLError.timeout)
        try client.save("ours", "{}")
        relay.goOn()
        await replicator.wait(for: .idle)
        #expect(try served.database().document(withID: "ours") != nil)
        replicator.stop()
        await replicator.wait(for: .stopped)
    }

    @Test("a replicator tries an unreachable server maxAttempts times, and is never busy during the attempts")
    func gone() async throws {
        let relay = try TCPRelay(.forwarding(port: 1))
        relay.close()
        let replicator = try replicator(port: relay.port) { $0.maxAttempts = 3 }
        let statuses = Recorder<String>()
        let token = replicator.addChangeListener(withQueue: DispatchQueue(label: "test.gone")) {
            statuses.append("\($0.status.activity)")
        }
        #expect(await thrown { try await replicator.runToEnd() } == .posix(ECONNREFUSED))
        let notified = statuses.wait { $0.last == "stopped" }
        #expect(notified == ["connecting", "offline", "connecting", "offline", "connecting", "stopped"])
        token.remove()
    }

    @Test("a replicator reconnects to a server whose process was killed and restarted, and no document is lost")
    func killed() async throws {
        let writer = try ProcessRunner(product: "DatabaseWriter")
        let directory = folder.path
        func start(port: Int) throws -> (RunningProcess, Int) {
            let process = try writer.start([directory, "server", "serve", "\(port)"])
            let line = try #require(process.waitForOutput(lines: 2).last)
            return (process, try #require(line.split(separator: " ").last.flatMap { Int($0) }))
        }
        var (process, port) = try start(port: 0)
        defer { process.kill() }
        let url = try #require(URL(string: "ws://127.0.0.1:\(port)/server"))
        let config = try ReplicatorConfiguration(
            collections: [CollectionConfiguration(collection: client.defaultCollection())],
            target: URLEndpoint(url: url)
        )
        config.continuous = true
        let replicator = Replicator(config: config, clock: AcceleratedClock())
        try fill(client, "first", count: 300)
        let documents = replicator.documentReplications()
        replicator.start()
        var count = 0
        for await batch in documents {
            count += batch.documents.count { $0.error == nil }
            if count > 100 { break }
        }
        process.kill()
        process.waitUntilExit()
        await replicator.wait(for: .offline)
        try fill(client, "second", count: 100)
        (process, port) = try start(port: port)
        await replicator.wait(for: .idle)
        replicator.stop()
        await replicator.wait(for: .stopped)
        process.kill()
        process.waitUntilExit()
        let server = try folder.open("server")
        #expect(try server.contents() == client.contents())
        #expect(try client.contents().count == 400)
        try server.close()
        #expect(try folder.problems("server") == [])
    }

    @Test("a listener that is stopped during a transfer closes the connection as going away")
    func stoppedListener() async throws {
        let config = URLEndpointListenerConfiguration(collections: [try client.defaultCollection()])
        config.networkInterface = "127.0.0.1"
        config.disableTLS = true
        let listener = URLEndpointListener(config: config)
        try listener.start()
        try fill(client, "doc", count: 2000)
        let other = try folder.open("other")
        let relay = try TCPRelay(.forwarding(port: try #require(listener.port.map(Int.init))))
        relay.stall(after: 100_000)
        let url = try #require(URL(string: "ws://127.0.0.1:\(relay.port)/client"))
        let puller = try ReplicatorConfiguration(
            collections: [CollectionConfiguration(collection: other.defaultCollection())],
            target: URLEndpoint(url: url)
        )
        puller.maxAttempts = 1
        let replicator = Replicator(config: puller)
        replicator.start()
        await relay.waitUntilStalled()
        listener.stop()
        relay.goOn()
        await replicator.wait(for: .stopped)
        #expect((replicator.status.error as NSError?)?.code == CBLError.webSocketGoingAway)
        #expect(try other.contents().count < 2000)
        try listener.start()
        #expect(try folder.problems("other") == [])
    }

    @Test("closing a database during a transfer stops its replicators", arguments: [true, false])
    func closedDatabase(continuous: Bool) async throws {
        try fill(client, "ours", count: 1500)
        let replicator = try replicator(continuous: continuous)
        let documents = replicator.documentReplications()
        replicator.start()
        for await _ in documents { break }
        let client = client
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            DispatchQueue.global().async { continuation.resume(with: Swift.Result { try client.close() }) }
        }
        #expect(replicator.status.activity == .stopped)
        #expect(try folder.problems("client") == [])
    }

    @Test("a running replicator without references completes its transfer")
    func dropped() async throws {
        try fill(client, "ours", count: 50)
        var replicator: Replicator? = try replicator()
        let statuses = try #require(replicator?.statusChanges())
        replicator?.start()
        replicator = nil
        for await status in statuses where status.activity == .stopped { break }
        #expect(try served.database().contents().count == 50)
    }

    @Test("a replicator can be stopped in every state", arguments: ["connecting", "busy", "idle", "offline", "stalled", "twice"])
    func stopped(state: String) async throws {
        let relay = try TCPRelay(.forwarding(port: try servedPort))
        try fill(client, "ours", count: 500)
        let replicator = try replicator(port: relay.port, continuous: true)
        if state == "connecting" { relay.stall() }
        replicator.start()
        switch state {
        case "connecting": break
        case "busy": await replicator.wait(for: .busy)
        case "offline":
            await replicator.wait(for: .idle)
            relay.close()
            await replicator.wait(for: .offline)
        case "stalled":
            await replicator.wait(for: .busy)
            relay.stall()
        default: await replicator.wait(for: .idle)
        }
        replicator.stop()
        if state == "twice" { replicator.stop() }
        await replicator.wait(for: .stopped)
        relay.goOn()
        #expect(try folder.problems("client") == [])
    }
}
#endif
