#if Replication
import Foundation
import TestSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A connection over which a test sends exactly the bytes that it wants, and reads only as much as it wants.
final class RawConnection: Sendable {
    private let descriptor: Int32

    /// - Parameter receiveBuffer: The size of the buffer of the operating system for received bytes; `nil` for the default.
    init(port: Int, receiveBuffer: Int32? = nil) throws {
        descriptor = try LoopbackSocket.connected(to: port, receiveBuffer: receiveBuffer, receiveTimeout: 300)
    }

    deinit { close(descriptor) }

    /// Sends text in which a line feed stands for the end of a line of HTTP.
    func send(lines text: String) { send(Array(text.replacing("\n", with: "\r\n").utf8)) }

    /// Sends bytes. The hub may close the connection before it has received all of them.
    func send(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Self.send(descriptor, $0) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    static func send(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        #if canImport(Darwin)
        Darwin.send(descriptor, bytes.baseAddress, bytes.count, 0)
        #elseif canImport(Musl)
        Musl.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        #else
        Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        #endif
    }

    /// Returns what the hub sends until the text contains another, or until the connection ends.
    func read(until end: String) -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let wanted = Array(end.utf8)
        while bytes.suffix(buffer.count + wanted.count).firstRange(of: wanted) == nil,
            case let count = recv(descriptor, &buffer, buffer.count, 0), count > 0
        {
            bytes += buffer[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the next bytes that the hub sends; fewer if the connection ends.
    func read(count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: count)
        while bytes.count < count, case let received = recv(descriptor, &buffer, count - bytes.count, 0), received > 0 {
            bytes += buffer[..<received]
        }
        return bytes
    }

    /// Waits until the hub has closed connections on which it has sent nothing, so that at most `count` of them are open. Returns whether that
    /// happens within five minutes.
    static func waitUntilClosed(_ connections: [RawConnection], allBut count: Int) -> Bool {
        var open = connections.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
        while open.count > count {
            guard poll(&open, nfds_t(open.count), 300_000) > 0 else { return false }
            open.removeAll { $0.revents != 0 }
        }
        return true
    }

    /// Returns what the hub sends until the connection ends.
    func readAll() -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = recv(descriptor, &buffer, buffer.count, 0), count > 0 { bytes += buffer[..<count] }
        return String(decoding: bytes, as: UTF8.self)
    }
}
#endif
