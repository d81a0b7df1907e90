#if Replication
import Base
import NIOCore
import NIOPosix
import SyncCore
import Synchronization

/// Establishes a client's connection: address, proxy, TLS, handshake, redirects (Replication 1).
struct ClientConnector: Sendable {
    let configuration: ClientConfiguration
    let attempt: ConnectionAttempt
    let tasks: ConnectionTasks

    /// Connects. Reading is disabled on the returned connection.
    func connect() async throws(SyncError) -> WebSocketConnection {
        var route = ClientRoute(url: configuration.url, proxy: configuration.proxy)
        do {
            while true {
                let next = route
                switch try await withDeadline({ deadline in try await withPeer { try await connect(along: next, $0, deadline) } }) {
                case .connected(let connection): return connection
                case .refused(let response):
                    try route.follow(response)
                    EventLoops.log("WebSocket: redirected by the server to \(route.url.hostField)")
                }
            }
        } catch {
            throw NetworkFailure.ofConnecting(error)
        }
    }

    private enum Outcome: Sendable {
        case connected(WebSocketConnection)
        case refused(HTTPResponse)
    }

    /// Runs the work with a timeout, which the work may cancel. On a timeout the channel is closed, which ends the work on it.
    private func withDeadline(_ work: @escaping @Sendable (Scheduled<Void>) async throws -> Outcome) async throws -> Outcome {
        let promise = EventLoops.shared.next().makePromise(of: Outcome.self)
        let timer = promise.futureResult.eventLoop.scheduleTask(in: configuration.connectTimeout.secondsAsTime) { [attempt] in
            promise.fail(NetworkFailure.timedOut)
            attempt.abandon()
        }
        promise.complete(on: tasks) {
            defer { timer.cancel() }
            return try await work(timer)
        }
        return try await promise.futureResult.get()
    }

    /// Runs work that may include a TLS handshake with a new peer.
    private func withPeer<Value>(_ work: (TLSPeer) async throws -> Value) async throws -> Value {
        let peer = TLSPeer(tasks)
        do {
            return try await work(peer)
        } catch {
            // The TLS library only reports that the validation failed; the peer knows why.
            throw peer.failure ?? error
        }
    }

    private func connect(along route: ClientRoute, _ peer: TLSPeer, _ deadline: Scheduled<Void>) async throws -> Outcome {
        let channel = try await connectSocket(host: route.proxy?.host ?? route.url.host, port: route.proxy?.port ?? route.url.port)
        try attempt.adopt(channel)
        do {
            if let proxy = route.proxy { try await withPeer { try await passProxy(proxy, $0, to: route.url, on: channel) } }
            if route.url.isSecure {
                var tls = configuration.tls
                if !route.sendsCredentials { tls.identity = nil }
                try await startTLS(tls, host: route.url.host, peer, on: channel)
            }
            return try await performHandshake(along: route, peer, deadline, on: channel)
        } catch {
            channel.close(promise: nil)
            throw error
        }
    }

    private func passProxy(_ proxy: ProxyConfiguration, _ peer: TLSPeer, to url: EndpointURL, on channel: any Channel) async throws {
        // The proxy's certificate is validated with the default settings: the app's settings apply to its own server only.
        if proxy.isSecure { try await startTLS(ClientTLS(), host: proxy.host, peer, on: channel) }
        let request = try ClientRequest(configuration: configuration).tunnel(to: url, through: proxy)
        let (response, exchange) = try await exchange(request, isTunnel: true, on: channel)
        guard (200..<300).contains(response.head.status) else { throw ClientRoute.refusal(response) }
        try await channel.eventLoop.submit {
            channel.pipeline.syncOperations.removeHandler(exchange.value, promise: nil)
            try channel.syncOptions?.setOption(.autoRead, value: true)
        }.get()
    }

    private func startTLS(_ tls: ClientTLS, host: String, _ peer: TLSPeer, on channel: any Channel) async throws {
        let context = try tls.makeContext()
        try await channel.eventLoop.submit { try tls.add(to: channel, context: context, host: host, peer: peer) }.get()
    }

    private func performHandshake(
        along route: ClientRoute,
        _ peer: TLSPeer,
        _ deadline: Scheduled<Void>,
        on channel: any Channel
    ) async throws -> Outcome {
        let key = WebSocketHandshake.makeKey()
        let request = try ClientRequest(configuration: configuration)
            .upgrade(to: route.url, key: key, sendsCredentials: route.sendsCredentials)
        let (response, exchange) = try await exchange(request, isTunnel: false, on: channel)
        configuration.cookies?.store(response.head.fields.values(of: "Set-Cookie"), from: route.url)
        guard response.head.status == 101 else {
            channel.close(promise: nil)
            return .refused(response)
        }
        var handshake = ChannelHandshake(
            subprotocol: try WebSocketHandshake.check(response.head, key: key, offered: configuration.subprotocols),
            responseHeaders: response.head.fields.pairs,
            peerCertificate: peer.chain.first
        )
        // The server has accepted the client in time. The request for the last sequence has a timeout of its own.
        deadline.cancel()
        if configuration.asksForLastSequence { handshake.lastSequence = await lastSequence(along: route) }
        let agreed = handshake
        let correlation = agreed.correlationID.map { ", correlation ID of the server: \($0)" } ?? ""
        let options = configuration.webSocket
        let connection = try await channel.eventLoop.submit {
            EngineLog.log(.info, .network, "WebSocket: connected to \(route.url.hostField)\(correlation)")
            let connection = try WebSocketConnection(channel: channel, isClient: true, options: options, handshake: agreed)
            channel.pipeline.syncOperations.removeHandler(exchange.value, promise: nil)
            return connection
        }.get()
        return .connected(connection)
    }

    /// Asks the server for the database's last sequence, on another connection. Returns `nil` if the server does not answer, or not soon
    /// enough; replication works without the value.
    private func lastSequence(along route: ClientRoute) async -> UInt64? {
        guard route.proxy == nil, let request = ClientRequest(configuration: configuration).lastSequence(at: route) else { return nil }
        let attempt = ConnectionAttempt()
        let promise = EventLoops.shared.next().makePromise(of: UInt64?.self)
        let timer = promise.futureResult.eventLoop.scheduleTask(in: LastSequence.timeout.secondsAsTime) {
            promise.succeed(nil)
            attempt.abandon()
        }
        promise.complete(on: tasks) {
            defer { timer.cancel() }
            return try await ask(request, along: route, attempt)
        }
        return try? await promise.futureResult.get()
    }

    private func ask(_ request: [UInt8], along route: ClientRoute, _ attempt: ConnectionAttempt) async throws -> UInt64? {
        let channel = try await connectSocket(host: route.url.host, port: route.url.port)
        try attempt.adopt(channel)
        defer { channel.close(promise: nil) }
        if route.url.isSecure { try await startTLS(configuration.tls, host: route.url.host, TLSPeer(tasks), on: channel) }
        return LastSequence.value(in: try await exchange(request, isTunnel: false, on: channel).0)
    }

    private func connectSocket(host: String, port: Int) async throws -> any Channel {
        var addresses = try await HostResolver.resolve(host: host, port: port)
        let eventLoop = EventLoops.shared.next()
        var bootstrap = ClientBootstrap(group: eventLoop)
            .connectTimeout(configuration.connectTimeout.secondsAsTime)
            .channelOption(.socketOption(.so_keepalive), value: 1)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelOption(.writeBufferWaterMark, value: SocketBuffers.waterMark)
        if let name = configuration.networkInterface {
            let own = try NetworkInterfaces.addresses(of: name)
            let local = own.first { local in addresses.contains { $0.protocol == local.protocol } } ?? own[0]
            addresses = addresses.filter { $0.protocol == local.protocol }
            bootstrap = bootstrap.bind(to: local)
        }
        return try await bootstrap.resolver(KnownAddresses(addresses: addresses, eventLoop: eventLoop))
            .connect(host: host, port: port).get()
    }

    private func exchange(_ request: [UInt8], isTunnel: Bool, on channel: any Channel) async throws
        -> (HTTPResponse, NIOLoopBound<HTTPExchange>)
    {
        let promise = channel.eventLoop.makePromise(of: HTTPResponse.self)
        let added = channel.eventLoop.submit {
            let handler = HTTPExchange(request: request, isTunnel: isTunnel, promise: promise)
            try channel.pipeline.syncOperations.addHandler(handler)
            return NIOLoopBound(handler, eventLoop: channel.eventLoop)
        }
        added.whenFailure { promise.fail($0) }
        return (try await promise.futureResult.get(), try await added.get())
    }
}

/// The write buffer sizes of the sockets, in bytes, at which writing pauses and resumes.
enum SocketBuffers {
    static var waterMark: ChannelOptions.Types.WriteBufferWaterMark { .init(low: 32 * 1024, high: 64 * 1024) }
}

/// The channel that is being connected. It can be closed on cancellation at any stage of the attempt.
final class ConnectionAttempt: Sendable {
    private struct State {
        var channel: (any Channel)?
        var isAbandoned = false
    }

    private let state = Mutex(State())

    /// Replaces the current channel. If the attempt was abandoned, the channel is closed, and `CancellationError` is thrown.
    func adopt(_ channel: any Channel) throws {
        let isAbandoned = state.withLock { state in
            state.channel = channel
            return state.isAbandoned
        }
        guard isAbandoned else { return }
        channel.close(promise: nil)
        throw CancellationError()
    }

    /// Abandons the attempt. Its channel is closed, and no further channel is accepted.
    func abandon() {
        let channel = state.withLock { state in
            state.isAbandoned = true
            return state.channel
        }
        channel?.close(promise: nil)
    }
}
#endif
