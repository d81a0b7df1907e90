#if Replication
import Foundation
import Hub
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
        [0x80 | opcode, 0x80 | UInt8(payload.count), 0, 0, 0, 0] + payload
    }

    /// What clients send: requests of all kinds, some followed by messages.
    private static let conversations: [[UInt8]] = {
        let large = Array(#"{"text":""#.utf8) + [UInt8](repeating: 0x61, count: 20_000) + Array(#""}"#.utf8)
        let chunks = Array("2000\r\n".utf8) + [UInt8](repeating: 0x20, count: 0x2000) + Array("\r\n2\r\n{}\r\n0\r\n\r\n".utf8)
        let bulk = #"{"docs":[{"_id":"a"},{"_id":"b"}],"x":"\#(String(repeating: "y", count: 6000))"}"#
        let options = Array(#"{"since":0,"include_docs":true}"#.utf8)
        let checkpoint = [0x01, 0x40, 0x23] + Array("Profile\0getCheckpoint\0client\0cp-0123456789".utf8) + [0, 0, 0, 0]
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
            request("GET /db/_blipsync", login + upgrade + "Sec-WebSocket-Protocol: BLIP_3+CBMobile_3\n") + frame(2, checkpoint),
            request("GET /db/large") + request("GET /db/large") + request("PUT /db/large2", body: large),
        ]
    }()

    /// Sends bytes and ends the connection, without reading.
    private func send(_ bytes: ArraySlice<UInt8>, to port: Int, resets: Bool) throws {
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

    @Test("everything that clients hold is given back after 10,000 connections that break off at every byte")
    func everyByte() async throws {
        try await withHub {
            $0.passwordLimits.ofName.burst = 1_000_000
            $0.passwordLimits.ofAddress.burst = 1_000_000
        } _: { hub in
            #expect(try hub.hub.users.add("root", password: "secret", channels: ["*"]))
            var random = SeededGenerator(seed: TestSeed.forThisTest())
            var count = 0
            while count < 10_000 {
                for bytes in Self.conversations {
                    // Every byte of a conversation that is short, and some of a body that is long.
                    let next = count / Self.conversations.count % (bytes.count + 1)
                    let length = bytes.count < 1000 ? next : Int.random(in: 0...bytes.count, using: &random)
                    try send(bytes.prefix(length), to: hub.port, resets: Bool.random(using: &random))
                    count += 1
                }
            }
            let limit = ContinuousClock.now + .seconds(waitLimit)
            while hub.hub.heldResources != HeldResources(), ContinuousClock.now < limit { await Task.yield() }
            #expect(hub.hub.heldResources == HeldResources())
            #expect(try await hub.send("PUT", "/db/good", #"{"n":1}"#, user: "root").status == 201)
            let session = try await hub.send("POST", "/db/_session", #"{"name":"root","password":"secret"}"#)
            #expect(session.status == 200)
        }
    }
}
#endif
