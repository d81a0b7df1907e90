#if Replication
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A connection over which a test sends exactly the bytes that it wants, and reads only as much as it wants.
final class RawConnection: Sendable {
    struct Failure: Error {
        let code = errno
    }

    private let descriptor: Int32

    /// - Parameter receiveBuffer: The size of the buffer of the operating system for received bytes; `nil` for the default.
    init(port: Int, receiveBuffer: Int32? = nil) throws {
        #if canImport(Glibc)
        let type = Int32(SOCK_STREAM.rawValue)
        #else
        let type = SOCK_STREAM
        #endif
        descriptor = socket(AF_INET, type, 0)
        guard descriptor >= 0 else { throw Failure() }
        if var size = receiveBuffer { setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size)) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw Failure() }
        // So that a test ends if the hub does not answer.
        var limit = timeval(tv_sec: 300, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
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

    private static func send(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
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

    /// Returns what the hub sends until the connection ends.
    func readAll() -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = recv(descriptor, &buffer, buffer.count, 0), count > 0 { bytes += buffer[..<count] }
        return String(decoding: bytes, as: UTF8.self)
    }
}
#endif
