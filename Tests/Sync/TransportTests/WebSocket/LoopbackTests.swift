#if Replication
import SyncCore
import TestSupport
import TestTraits
import Testing
import Transport

@Suite("Client and listener over loopback", .ownThreads)
struct LoopbackTests {
    @Test("frames of all header sizes are sent in both directions")
    func frames() async throws {
        let loopback = try await Loopback.make(
            listening: { $0.webSocket.maximumMessageBytes = 1 << 20 },
            connecting: { $0.webSocket.maximumMessageBytes = 1 << 20 }
        )
        #expect(loopback.incoming.databaseName == "db")
        #expect(loopback.incoming.subprotocol == "BLIP_3+CBMobile_3")
        for size in Array(0...70) + [125, 126, 16 * 1024 + 5, 65_535, 65_536, 1 << 20] {
            let frame = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            loopback.client.channel.send(frame)
            #expect(try await loopback.server.frame() == frame)
            loopback.server.channel.send(frame)
            #expect(try await loopback.client.frame() == frame)
        }
        await loopback.listener.stop()
        let closure = try await loopback.client.closed()
        #expect(closure.code == 1001)
        #expect(closure.isByPeer)
    }

    @Test("both sides of a closed connection get the close code and the reason", arguments: [true, false])
    func close(byClient: Bool) async throws {
        let loopback = try await Loopback.make()
        let (closing, other) = byClient ? (loopback.client, loopback.server) : (loopback.server, loopback.client)
        closing.channel.send([1, 2, 3])
        closing.channel.close(code: 4001, reason: "später")
        #expect(try await other.frame() == [1, 2, 3])
        let received = try await other.closed()
        #expect(received.code == 4001 && received.reason == "später" && received.isByPeer && received.error == nil)
        let own = try await closing.closed()
        #expect(own.code == 4001 && own.reason == "später" && !own.isByPeer && own.error == nil)
        await loopback.listener.stop()
    }

    @Test("a long reason is cut at the end of a code point")
    func longReason() async throws {
        let loopback = try await Loopback.make()
        loopback.client.channel.close(code: 4001, reason: String(repeating: "\u{1F1E6}", count: 100_000))
        #expect(try await loopback.server.closed().reason == String(repeating: "\u{1F1E6}", count: 30))
        await loopback.listener.stop()
    }

    @Test("a cancelled connection ends with code 1006 at both sides")
    func cancel() async throws {
        let loopback = try await Loopback.make()
        loopback.client.channel.cancel()
        let own = try await loopback.client.closed()
        #expect(own.code == nil && own.error?.code == 1006 && !own.isByPeer)
        let received = try await loopback.server.closed()
        #expect(received.code == 1006 && received.error?.code == 1006 && received.error?.domain == .webSocket)
        await loopback.listener.stop()
        #expect(loopback.listener.port == nil)
    }
}
#endif
