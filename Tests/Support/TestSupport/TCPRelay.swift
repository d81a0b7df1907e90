import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
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
        let (listening, port) = try LoopbackSocket.listening(backlog: 16)
        self.listening = listening
        self.port = port
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

    private func serve(_ client: Int32) {
        state.withLock { $0.connectionCount += 1 }
        guard let port = destination(of: client), let server = try? LoopbackSocket.connected(to: port, receiveTimeout: 0) else {
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

// Outside of the class, in which this name is its own function.
private func closeSocket(_ socket: Int32) {
    _ = close(socket)
}
