#if Replication
import NIOCore
import NIOEmbedded
import SyncCore
import Transport
import TransportFuzzing

extension HandlerFuzzing {
    /// Returns a connection of a client that sends `bytes` to a server.
    ///
    /// - Parameter isSecure: Whether the server expects TLS. Some clients do not use it then.
    /// - Returns: The socket of the server, and the client; `nil` if the connection is not encrypted.
    mutating func client(_ bytes: [UInt8], isSecure: Bool) throws -> (HostileSocket, SecurePeer?) {
        guard isSecure, input.number(0...2) > 0 else { return (try HostileSocket(bytes, fork()), nil) }
        let peer = try SecurePeer(bytes, isClient: true, fork())
        return (try HostileSocket(peer.take([]), fork()) { peer.take($0) }, peer)
    }

    /// Checks what a server with TLS has answered to a client without TLS.
    mutating func checkPlain(_ socket: HostileSocket, isAccepted: Bool) {
        if isAccepted { fail("a request without TLS was accepted") }
        // A first byte that is none of a method is the matter of the TLS library, which sends an alert.
        let isRequest = socket.delivered.first.map { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 } ?? false
        let sent = String(decoding: socket.sent, as: UTF8.self)
        if isRequest, !sent.isEmpty, !(sent.hasPrefix("HTTP/1.1 400 ") && sent.hasSuffix("HTTPS server.")) {
            fail("a request without TLS was answered with “\(sent)”")
        }
        count(isRequest && !sent.isEmpty)
    }

    /// Sends a request to a server with TLS, which some clients do not trust.
    mutating func runSecureExchange() throws {
        let response = input.altered(input.pick(GoodInputs.responses)) + (input.number(0...1) == 0 ? frames(isMasked: false) : [])
        let isPlain = input.number(0...9) == 0
        let server = try SecurePeer(response, isClient: false, fork())
        let socket = try isPlain ? HostileSocket(response, fork()) : HostileSocket([], fork()) { server.take($0) }
        let tasks = WaitingTasks()
        let peer = TLSPeer(tasks)
        var tls = ClientTLS()
        let isTrusted = input.number(0...4) > 0
        let other = try CertificateInfo.all([GoodInputs.certificate], "a certificate")[0]
        tls.trust = isTrusted ? .selfSignedOnly : .pinned(other)
        let promise = socket.loop.makePromise(of: HTTPResponse.self)
        var results: [Result<HTTPResponse, any Error>] = []
        promise.futureResult.assumeIsolated().whenComplete { results.append($0) }
        let request = Array("GET / HTTP/1.1\r\n\r\n".utf8)
        do {
            try tls.add(to: socket.channel, host: "localhost", peer: peer)
            try socket.channel.pipeline.syncOperations.addHandler(HTTPExchange(request: request, isTunnel: false, promise: promise))
        } catch {
            // The socket was closed at the first bytes of the handshake.
            promise.fail(error)
        }
        var isAlive = true
        while isAlive {
            switch input.number(0...2) {
            case 0: isAlive = socket.deliver() || tasks.runNext()
            case 1: tasks.runNext()
            default: socket.loop.run()
            }
        }
        socket.end()
        repeat { socket.loop.run() } while tasks.runNext()
        // The server may respond, and end the connection, before it has received all of the request.
        if !request.starts(with: server.received) { fail("the server has received another request") }
        guard results.count == 1 else { return fail("the request has \(results.count) results") }
        switch results[0] {
        case .success:
            if isPlain || !isTrusted { fail("a server was trusted that must not be") }
            count(true)
        case .failure(let error):
            let isOfTLS = String(describing: type(of: error)).hasPrefix("NIOSSL") && !socket.hasFailed
            if isOfTLS, "\(error)" != "uncleanShutdown", peer.failure == nil { fail("nobody has noted why TLS has failed: \(error)") }
            count(false)
        }
    }
}
#endif
