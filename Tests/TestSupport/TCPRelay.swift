import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
private let stream = Int32(SOCK_STREAM.rawValue)
#elseif canImport(Musl)
import Musl
private let stream = SOCK_STREAM
#else
import Darwin
private let stream = SOCK_STREAM
#endif

/// A relay between clients and a server on this machine: an HTTP proxy that requires CONNECT, or a transparent relay. It can stall and
/// break connections. It listens until it is closed.
package final class TCPRelay: Sendable {
    /// How the destination of a connection is determined.
    package enum Kind: Sendable {
        /// All connections are forwarded to this port.
        case forwarding(port: Int)
        /// By CONNECT, with this required value of Proxy-Authorization; `nil` requires none.
        case proxy(authorization: String?)
    }

    private struct State {
        var sockets: Set<Int32> = []
        var isStalled = false
        var isClosed = false
        var connectionCount = 0
        var byteCount = 0
        var stallsAt = Int.max
    }

    private let kind: Kind
    private let listening: Int32
    private let state = Mutex(State())
    private let waiting = NSCondition()
    /// The port on which it listens.
    package let port: Int

    package init(_ kind: Kind) throws {
        self.kind = kind
        let listening = socket(AF_INET, stream, 0)
        self.listening = listening
        var address = Self.loopback(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                let result = bind(listening, address, length)
                return result == 0 ? getsockname(listening, address, &length) : result
            }
        }
        port = Int(UInt16(bigEndian: address.sin_port))
        guard listening >= 0, result == 0, listen(listening, 16) == 0 else { throw POSIXError(.EADDRINUSE) }
        // The thread retains the object only while a client is being accepted.
        Thread.detachNewThread { [weak self] in
            while true {
                let client = accept(listening, nil, nil)
                guard client >= 0, let self else { return }
                Thread.detachNewThread { self.serve(client) }
            }
        }
    }

    deinit {
        close()
    }

    /// The number of accepted connections.
    package var connectionCount: Int { state.withLock { $0.connectionCount } }

    /// The number of bytes forwarded, in both directions.
    package var byteCount: Int { state.withLock { $0.byteCount } }

    /// Stops forwarding in both directions, with all connections left open, as soon as `byteCount` bytes in total have been received.
    package func stall(after byteCount: Int = 0) {
        state.withLock { state in
            state.stallsAt = byteCount
            state.isStalled = state.byteCount >= byteCount
        }
    }

    /// Waits, without blocking the calling thread, until the relay is stalled or closed.
    package func waitUntilStalled() async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { [self] in
                waiting.withLock {
                    while state.withLock({ !$0.isStalled && !$0.isClosed }) { waiting.wait() }
                }
                continuation.resume()
            }
        }
    }

    /// Resumes forwarding.
    package func goOn() {
        waiting.withLock {
            state.withLock { state in
                state.stallsAt = .max
                state.isStalled = false
            }
            waiting.broadcast()
        }
    }

    /// Breaks all connections, and continues to accept new ones.
    package func cut() {
        // Under the lock, because a socket is closed after it has been removed, and its number is used again.
        state.withLock { state in
            for socket in state.sockets { shutdown(socket, Int32(SHUT_RDWR)) }
        }
    }

    /// Stops listening and breaks all connections.
    package func close() {
        let isFirst = state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
        guard isFirst else { return }
        shutdown(listening, Int32(SHUT_RDWR))
        closeSocket(listening)
        cut()
        goOn()
    }

    private static func loopback(port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return address
    }

    private func serve(_ client: Int32) {
        state.withLock { $0.connectionCount += 1 }
        guard let port = destination(of: client), let server = Self.connect(to: port) else {
            closeSocket(client)
            return
        }
        state.withLock { $0.sockets.formUnion([client, server]) }
        let group = DispatchGroup()
        group.enter()
        Thread.detachNewThread { [self] in
            copy(from: server, to: client)
            group.leave()
        }
        copy(from: client, to: server)
        group.wait()
        state.withLock { $0.sockets.subtract([client, server]) }
        closeSocket(client)
        closeSocket(server)
    }

    private func destination(of client: Int32) -> Int? {
        guard case .proxy(let authorization) = kind else {
            if case .forwarding(let port) = kind { return port }
            return nil
        }
        var head = ""
        while !head.hasSuffix("\r\n\r\n") {
            var byte: UInt8 = 0
            guard head.utf8.count < 4096, read(client, &byte, 1) == 1 else { return nil }
            head.unicodeScalars.append(Unicode.Scalar(byte))
        }
        let lines = head.components(separatedBy: "\r\n")
        let words = lines[0].split(separator: " ")
        let port = words.dropFirst().first?.split(separator: ":").last.flatMap { Int($0) }
        let given = lines.first { $0.lowercased().hasPrefix("proxy-authorization: ") }?.dropFirst(21)
        let isAuthorized = words.first == "CONNECT" && (authorization == nil || given.map(String.init) == authorization)
        let answer = isAuthorized ? "HTTP/1.1 200 OK\r\n\r\n" : "HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n"
        _ = answer.withCString { send(client, $0, strlen($0), Self.noSignal) }
        return isAuthorized ? port : nil
    }

    private static func connect(to port: Int) -> Int32? {
        let server = socket(AF_INET, stream, 0)
        var address = loopback(port: port)
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connectSocket(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        if result == 0 { return server }
        closeSocket(server)
        return nil
    }

    private func copy(from source: Int32, to destination: Int32) {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(source, &buffer, buffer.count)
            guard count > 0 else { break }
            waiting.withLock {
                let isStalled = state.withLock { state in
                    state.byteCount += count
                    if state.byteCount >= state.stallsAt { state.isStalled = true }
                    return state.isStalled
                }
                if isStalled { waiting.broadcast() }
                while state.withLock({ $0.isStalled && !$0.isClosed }) { waiting.wait() }
            }
            var sent = 0
            while sent < count {
                let part = buffer[sent..<count].withUnsafeBytes {
                    send(destination, $0.baseAddress, $0.count, Self.noSignal)
                }
                guard part > 0 else { break }
                sent += part
            }
            if sent < count { break }
        }
        // The other direction cannot continue either.
        shutdown(source, Int32(SHUT_RDWR))
        shutdown(destination, Int32(SHUT_RDWR))
    }

    #if canImport(Darwin)
    private static let noSignal: Int32 = 0
    #else
    /// Writing to a closed connection must not end the tests with SIGPIPE.
    private static let noSignal = Int32(MSG_NOSIGNAL)
    #endif
}

// Outside of the class, in which these names are its own functions.
private func closeSocket(_ socket: Int32) {
    _ = close(socket)
}

private func connectSocket(_ socket: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Int32 {
    connect(socket, address, length)
}
