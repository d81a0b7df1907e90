import Foundation
import TestSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The WebSocket of a page, written from RFC 6455 only. Its calls block.
final class StreamClient {
    /// What the inspector sends, apart from pings.
    enum Message {
        case json(Any)
        case close(code: Int)
        /// The connection has ended.
        case end
    }

    /// The inspector has closed the stream, or has sent something else than an object.
    struct Ended: Error {}

    private let descriptor: Int32
    /// The status of the inspector's response.
    let status: Int

    /// Opens a stream, and sends the first message, if there is one.
    init(port: Int, _ path: String = "/api/stream", _ headers: [String: String], _ request: String? = "") throws {
        descriptor = try LoopbackSocket.connected(to: port, receiveTimeout: 300)
        var head = "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        head += "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        Self.transmit(Array((head + "\r\n").utf8), on: descriptor)
        var received: [UInt8] = []
        while received.suffix(4) != Array("\r\n\r\n".utf8)[...], case let byte = Self.read(1, from: descriptor), !byte.isEmpty {
            received += byte
        }
        status = String(decoding: received, as: UTF8.self).split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        guard status == 101, let request else { return }
        let text = Array(request.utf8)
        // All requests of the tests have fewer than 64 KiB.
        let length = text.count < 126 ? [UInt8(text.count)] : [126, UInt8(text.count >> 8), UInt8(text.count & 0xFF)]
        // With a mask of zeros, so that the bytes stay the same.
        Self.transmit([0x81, 0x80 | length[0]] + length.dropFirst() + [0, 0, 0, 0] + text, on: descriptor)
    }

    deinit { close(descriptor) }

    /// Waits for the next message.
    func next() throws -> Message {
        let start = Self.read(2, from: descriptor)
        guard start.count == 2 else { return .end }
        var count = Int(start[1])
        if count >= 126 { count = Self.read(count == 126 ? 2 : 8, from: descriptor).reduce(0) { $0 << 8 | Int($1) } }
        let bytes = Self.read(count, from: descriptor)
        switch start[0] {
        case 0x81: return .json(try JSONSerialization.jsonObject(with: Data(bytes)))
        case 0x88: return .close(code: bytes.prefix(2).reduce(0) { $0 << 8 | Int($1) })
        default: return try next()
        }
    }

    /// Waits for the next message, which must be an object.
    func nextObject() throws -> [String: Any] {
        guard case .json(let value as [String: Any]) = try next() else { throw Ended() }
        return value
    }

    /// Waits until the inspector closes, and returns the code; `nil` if the connection ends without one.
    func closeCode() throws -> Int? {
        while true {
            switch try next() {
            case .json: continue
            case .close(let code): return code
            case .end: return nil
            }
        }
    }

    private static func transmit(_ bytes: [UInt8], on descriptor: Int32) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    private static func read(_ count: Int, from descriptor: Int32) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: count)
        while bytes.count < count, case let received = recv(descriptor, &buffer, count - bytes.count, 0), received > 0 {
            bytes += buffer[..<received]
        }
        return bytes
    }
}
