#if Replication
import Foundation
import SyncCore
import TestSupport
import TestTraits
import Testing
import Transport
import TransportFuzzing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

@Suite("Pings of a client that reads nothing", .ownThreads)
struct PingFloodTests {
    private static let upgrade = Array(
        ("GET /db/_blipsync HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
            + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: BLIP_3+CBMobile_3\r\n\r\n").utf8
    )

    #if canImport(Darwin)
    private static let flags: Int32 = 0
    #else
    private static let flags = Int32(MSG_NOSIGNAL)
    #endif

    /// Sends bytes, as many as the peer takes, and resets the connection.
    private func sendAndReset(_ descriptor: Int32, _ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Self.flags) }
            guard count > 0 else { break }
            rest = rest.dropFirst(count)
        }
        var now = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
        close(descriptor)
    }

    @Test("a listener survives clients that send many pings and reset the connection, and reports the end of each")
    func resets() async throws {
        let ends = Recorder<Void>()
        let listener = try Loopback.startListener { _ in
        } accept: { connection in
            connection.channel.open { if case .closed = $0 { ends.append(()) } }
        }
        let ping = FrameBytes.frame(9, [UInt8](repeating: 7, count: 125))
        let count = 30
        for number in 0..<count {
            let descriptor = try LoopbackSocket.connected(to: listener.port ?? 0, receiveBuffer: 2048, receiveTimeout: 300)
            var head = [UInt8](repeating: 0, count: 4096)
            _ = Self.upgrade.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Self.flags) }
            #expect(recv(descriptor, &head, head.count, 0) > 0)
            let pings = [[UInt8]](repeating: ping, count: 600 + number * 110)
            sendAndReset(descriptor, Array(pings.joined()))
        }
        #expect(await ends.reaches { $0.count == count })
        let good = ChannelRecorder(WebSocketClientChannel(try Loopback.configuration(for: listener)))
        _ = try await good.opened()
        await listener.stop()
    }
}
#endif
