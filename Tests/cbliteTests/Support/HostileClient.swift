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

/// A client that sends what it likes over a socket of its own, and reads only when it is told to.
final class HostileClient {
    struct Failure: Error {
        let code = errno
    }

    private let descriptor: Int32
    private var connection = BLIPConnection()
    private var bombs = FrameEncoder(compression: CompressionPolicy(highestLevel: 9))
    private var lastBomb: UInt64 = 0

    /// Connects, and does nothing more.
    init(port: Int) throws {
        #if canImport(Glibc)
        let type = Int32(SOCK_STREAM.rawValue)
        #else
        let type = SOCK_STREAM
        #endif
        descriptor = socket(AF_INET, type, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                systemConnect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else { throw Failure() }
        // Whoever is not listened to any more must not wait for ever, nor die of it.
        var limit = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        limit.tv_sec = 1
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit {
        _ = systemClose(descriptor)
    }

    /// Asks for the WebSocket. False when it is refused.
    func shakeHands(_ database: String) -> Bool {
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

    /// Sends bytes as far as they are taken. False when the other side has ended, or takes nothing.
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

    /// Sends a message of WebSocket.
    @discardableResult
    func send(frame: [UInt8]) -> Bool {
        let count = frame.count
        let length: [UInt8] =
            count < 126
            ? [0x80 | UInt8(count)]
            : [0xFE, UInt8(truncatingIfNeeded: count >> 8), UInt8(truncatingIfNeeded: count)]
        return send([0x82] + length + [0, 0, 0, 0] + frame)
    }

    /// Sends requests. False when they are not taken.
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

    /// Reads until something has been answered; nil when the connection ends before.
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
            // What has come is acknowledged, or a long answer stops.
            while let frame = connection.nextFrame() { send(frame: frame) }
            for case .reply(_, let reply) in events { return reply }
        }
        return nil
    }

    /// Begins a message of that many zeros, which takes a thousandth of that on the wire. False when it is not taken.
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

private func systemConnect(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Int32 {
    connect(descriptor, address, length)
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
