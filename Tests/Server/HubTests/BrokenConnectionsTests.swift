#if Replication
import BLIP
import Foundation
import Hub
import Replication
import TestSupport
import TestTraits
import Testing
import Transport

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

@Suite("Connections that break off", .ownThreads)
struct BrokenConnectionsTests {
    private static let login = "Host: localhost\nAuthorization: Basic \(Data("root:secret".utf8).base64EncodedString())\n"
    private static let upgrade =
        "Connection: Upgrade\nUpgrade: websocket\nSec-WebSocket-Version: 13\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\n"

    private static func request(_ line: String, _ fields: String = login, body: [UInt8] = []) -> [UInt8] {
        let length = body.isEmpty ? "" : "Content-Length: \(body.count)\n"
        return Array("\(line) HTTP/1.1\n\(fields)\(length)\n".replacing("\n", with: "\r\n").utf8) + body
    }

    /// A masked frame, whose mask is 0.
    private static func frame(_ opcode: UInt8, _ payload: [UInt8]) -> [UInt8] {
        let count = payload.count
        let length: [UInt8] = count < 126 ? [0x80 | UInt8(count)] : [0x80 | 126, UInt8(count >> 8), UInt8(count & 0xFF)]
        return [0x80 | opcode] + length + [0, 0, 0, 0] + payload
    }

    /// What clients say that sync: one pushes documents whose content the hub requests, one pulls, and one sends a part of a large message.
    private static let syncs: [[UInt8]] = {
        let start = request("GET /db/_blipsync", login + upgrade + "Sec-WebSocket-Protocol: BLIP_3+CBMobile_3\n")
        let checkpoint = [("Profile", "getCheckpoint"), ("client", "cp-0123456789")]
        var pushing = RawMessages()
        var pushed = [pushing.request(checkpoint)]
        for number in 0..<3 {
            // The lowest bits of the last digit are 0.
            let digest = "sha1-\(String(repeating: "A", count: 26))\(4 * number)="
            let body = #"{"b":{"@type":"blob","digest":"\#(digest)","length":9,"content_type":"text/plain"}}"#
            let properties = [("Profile", "rev"), ("id", "pushed\(number)"), ("rev", "1-abcd"), ("sequence", "\(number + 1)")]
            pushed.append(pushing.request(properties, body: Array(body.utf8)))
        }
        var pulling = RawMessages()
        let pulled = [pulling.request(checkpoint), pulling.request([("Profile", "subChanges"), ("continuous", "true")])]
        var sending = RawMessages()
        let large = [UInt8](repeating: 0x20, count: 20_000)
        let sent = [sending.request([("Profile", "rev"), ("id", "x"), ("rev", "1-abcd")], body: large, isComplete: false)]
        return [pushed, pulled, sent].map { frames in start + frames.flatMap { frame(2, $0) } }
    }()

    /// What all connections of a process share, and what is 0 when there are none.
    private struct SharedResources: Equatable {
        var memory = 0
        var downloads = 0
        var proofs = 0

        static var now: SharedResources {
            SharedResources(
                memory: MemoryBudget.shared.used,
                downloads: FairPermits.downloads.acquiredCount,
                proofs: BlobProof.permits.acquiredCount
            )
        }
    }

    /// What clients send: requests of all kinds, some followed by messages.
    private static let conversations: [[UInt8]] = {
        let large = Array(#"{"text":""#.utf8) + [UInt8](repeating: 0x61, count: 20_000) + Array(#""}"#.utf8)
        let chunks = Array("2000\r\n".utf8) + [UInt8](repeating: 0x20, count: 0x2000) + Array("\r\n2\r\n{}\r\n0\r\n\r\n".utf8)
        let bulk = #"{"docs":[{"_id":"a"},{"_id":"b"}],"x":"\#(String(repeating: "y", count: 6000))"}"#
        let options = Array(#"{"since":0,"include_docs":true}"#.utf8)
        return [
            request("POST /db/_session", "Host: localhost\n", body: Array(#"{"name":"root","password":"secret"}"#.utf8)),
            request("POST /db/_session", "Host: localhost\n", body: Array(#"{"name":"root","password":"wrong"}"#.utf8)),
            request("PUT /db/large", body: large),
            request("PUT /db/chunks", login + "Transfer-Encoding: chunked\n") + chunks,
            request("POST /db/_bulk_docs", body: Array(bulk.utf8)),
            request("POST /db/_bulk_get", body: Array(#"{"docs":[{"id":"large"},{"id":"a"}]}"#.utf8)),
            request("PUT /db/file/content", body: large),
            request("GET /db/_all_docs?include_docs=true"),
            request("POST /db/_query", body: Array(#"{"query":"SELECT * FROM _ ORDER BY meta().id"}"#.utf8)),
            request("GET /db/_changes?feed=longpoll&since=999999"),
            request("GET /db/_changes?feed=continuous"),
            request("GET /db/_changes?feed=websocket", login + upgrade) + frame(1, options),
            request("GET /db/large") + request("GET /db/large") + request("PUT /db/large2", body: large),
        ] + syncs
    }()

    /// Sends bytes and ends the connection, without reading.
    private static func send(_ bytes: ArraySlice<UInt8>, to port: Int, resets: Bool) throws {
        let descriptor = try LoopbackSocket.connected(to: port, receiveTimeout: 300)
        defer { close(descriptor) }
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { RawConnection.send(descriptor, $0) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
        guard resets else { return }
        var now = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
    }

    @Test("everything that clients hold is given back after 10,000 connections that break off at every byte, also what the process shares")
    func everyByte() async {
        // In a process of its own, because the other tests use what the process shares.
        await #expect(processExitsWith: .success) { try await BrokenConnectionsTests.breakOff() }
    }

    /// Keeps connections that sync open until they hold what the process shares. Otherwise nothing would be given back.
    private static func holdAll(of hub: RunningHub) async throws {
        let connections = try syncs.map { bytes in
            let connection = try RawConnection(port: hub.port)
            connection.send(bytes)
            return connection
        }
        let limit = ContinuousClock.now + .seconds(waitLimit)
        while SharedResources.now.memory == 0 || SharedResources.now.downloads == 0, ContinuousClock.now < limit { await Task.yield() }
        #expect(SharedResources.now.memory > 0)
        #expect(SharedResources.now.downloads > 0)
        withExtendedLifetime(connections) {}
    }

    private static func breakOff() async throws {
        try await withHub {
            $0.passwordLimits.ofName.burst = 1_000_000
            $0.passwordLimits.ofAddress.burst = 1_000_000
        } _: { hub in
            #expect(try hub.hub.users.add("root", password: "secret", channels: ["*"]))
            var random = SeededGenerator(seed: TestSeed.forThisTest())
            var count = 0
            try await holdAll(of: hub)
            while count < 10_000 {
                for bytes in conversations {
                    // Every byte of a conversation that is short, and some of a body that is long.
                    let next = count / conversations.count % (bytes.count + 1)
                    let length = bytes.count < 1000 ? next : Int.random(in: 0...bytes.count, using: &random)
                    try send(bytes.prefix(length), to: hub.port, resets: Bool.random(using: &random))
                    count += 1
                }
            }
            let limit = ContinuousClock.now + .seconds(waitLimit)
            while hub.hub.heldResources != HeldResources() || SharedResources.now != SharedResources(), ContinuousClock.now < limit {
                await Task.yield()
            }
            #expect(hub.hub.heldResources == HeldResources())
            #expect(SharedResources.now == SharedResources())
            #expect(try await hub.send("PUT", "/db/good", #"{"n":1}"#, user: "root").status == 201)
            let session = try await hub.send("POST", "/db/_session", #"{"name":"root","password":"secret"}"#)
            #expect(session.status == 200)
        }
    }
}
#endif
