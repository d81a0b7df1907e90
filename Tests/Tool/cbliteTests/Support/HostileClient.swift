#if Replication
import Foundation
import TestSupport

@testable import BLIP

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A client that sends arbitrary bytes over its own socket, and reads only on request.
final class HostileClient {
    private let descriptor: Int32
    private var connection = BLIPConnection()
    private var bombs = FrameEncoder(compression: CompressionPolicy(highestLevel: 9))
    private var lastBomb: UInt64 = 0

    /// Connects the socket without sending a handshake.
    init(port: Int) throws {
        descriptor = try LoopbackSocket.connected(to: port, receiveTimeout: 20)
        // So that the test does not hang if the server stops reading.
        var limit = timeval(tv_sec: 1, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit {
        _ = systemClose(descriptor)
    }

    /// Does the WebSocket handshake. Returns `false` if the server refuses it.
    func performHandshake(_ database: String) -> Bool {
        send(
            Array(
                """
                GET /\(database)/_blipsync HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
                Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\
                Sec-WebSocket-Protocol: BLIP_3+CBMobile_3\r\n\r\n
                """.utf8
            )
        )
        var head: [UInt8] = []
        while head.suffix(4) != [13, 10, 13, 10] {
            guard let byte = receive(1)?.first else { return false }
            head.append(byte)
        }
        return head.starts(with: "HTTP/1.1 101 ".utf8)
    }

    /// Sends bytes. Returns `false` if the server has closed the connection, or does not read for one second.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemSend(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Sends a WebSocket message. Returns `false` if it cannot be sent.
    @discardableResult
    func send(frame: [UInt8]) -> Bool {
        let count = frame.count
        let length: [UInt8] =
            count < 126
            ? [0x80 | UInt8(count)]
            : [0xFE, UInt8(truncatingIfNeeded: count >> 8), UInt8(truncatingIfNeeded: count)]
        return send([0x82] + length + [0, 0, 0, 0] + frame)
    }

    /// Sends BLIP requests. Returns `false` if they cannot be sent.
    @discardableResult
    func ask(_ properties: Properties, _ body: [UInt8] = [], times: Int = 1) -> Bool {
        for _ in 0..<times {
            connection.send(OutgoingMessage(properties, body: body))
            while let frame = connection.nextFrame() {
                guard send(frame: frame) else { return false }
            }
        }
        return true
    }

    /// Reads until a reply has been received; returns `nil` if the connection ends first.
    func answer() -> IncomingReply? {
        while let head = receive(2) {
            var length = Int(head[1] & 0x7F)
            if length == 126 {
                guard let more = receive(2) else { return nil }
                length = Int(more[0]) << 8 | Int(more[1])
            }
            guard let payload = receive(length) else { return nil }
            guard head[0] & 0x0F == 2 else { continue }
            let events = (try? connection.receive(payload)) ?? []
            // Sends the acknowledgements, without which the server pauses a long reply.
            while let frame = connection.nextFrame() { send(frame: frame) }
            for case .reply(_, let reply) in events { return reply }
        }
        return nil
    }

    /// Begins a message with `megabytes` of zeros, which are compressed to about a thousandth on the wire. Returns `false` if it cannot be
    /// sent.
    func sendBomb(megabytes: Int) -> Bool {
        lastBomb += 1
        let zeros = [UInt8](repeating: 0, count: 1 << 20)
        let block = Array("Profile\0rev\0".utf8)
        for part in 0..<megabytes {
            let frame = bombs.frame(
                number: lastBomb,
                flags: FrameFlags(rawValue: 0x48),
                head: part == 0 ? [UInt8(block.count)] + block : [],
                body: zeros[...]
            )
            guard send(frame: frame) else { return false }
        }
        return true
    }

    private func receive(_ count: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        while bytes.count < count {
            var part = [UInt8](repeating: 0, count: count - bytes.count)
            let received = part.withUnsafeMutableBytes { systemReceive(descriptor, $0.baseAddress, $0.count) }
            guard received > 0 else { return nil }
            bytes += part.prefix(received)
        }
        return bytes
    }
}

private func systemSend(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    #if canImport(Darwin)
    send(descriptor, bytes, count, 0)
    #else
    send(descriptor, bytes, count, Int32(MSG_NOSIGNAL))
    #endif
}

private func systemReceive(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    recv(descriptor, bytes, count, 0)
}

private func systemClose(_ descriptor: Int32) -> Int32 {
    close(descriptor)
}
#endif
