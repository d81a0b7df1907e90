#if Replication
import NIOCore
import NIOEmbedded
import SyncCore
import TestSupport
package import TransportFuzzing
import Transport
import WebServer

/// Runs the handlers of connections on channels whose socket misbehaves at each call; see ``HostileSocket``.
///
/// A trap ends the program; other failures are reported. All of a run happens on the calling thread.
package struct HandlerFuzzing {
    /// The handlers that are run.
    package enum Kind: CaseIterable, Sendable {
        /// A WebSocket after its handshake, at either side.
        case server, client
        /// The handshake of a listener, and the WebSocket that follows.
        case listener
        /// The request of a client, and its response.
        case exchange
        /// Requests to a web server.
        case requests
        /// The same with TLS, some without TLS by mistake of the client.
        case secureListener, secureExchange, secureRequests

        /// Whether the handlers of TLS are in the channel, whose handshakes take most of the time of a run.
        package var isSecure: Bool {
            switch self {
            case .server, .client, .listener, .exchange, .requests: false
            case .secureListener, .secureExchange, .secureRequests: true
            }
        }
    }

    /// Runs `count` channels.
    package static func run(count: Int, seed: UInt64) -> HandshakeFuzzing.Outcome {
        var seeds = SeededGenerator(seed: seed)
        var outcome = HandshakeFuzzing.Outcome()
        for number in 0..<count where outcome.failures.count < 10 {
            let (seed, kind) = (seeds.next(), Kind.allCases[number % Kind.allCases.count])
            let run = run(kind, seed: seed)
            outcome.accepted += run.accepted
            outcome.refused += run.refused
            outcome.failures += run.failures.map { "\($0) (\(kind) with seed \(seed))" }
        }
        return outcome
    }

    /// Runs one channel.
    package static func run(_ kind: Kind, seed: UInt64) -> HandshakeFuzzing.Outcome {
        var fuzzing = HandlerFuzzing(input: RandomInput(generator: SeededGenerator(seed: seed)))
        do {
            switch kind {
            case .server: try fuzzing.runWebSocket(isClient: false)
            case .client: try fuzzing.runWebSocket(isClient: true)
            case .listener: try fuzzing.runListener(isSecure: false)
            case .exchange: try fuzzing.runExchange()
            case .requests: try fuzzing.runServer(isSecure: false)
            case .secureListener: try fuzzing.runListener(isSecure: true)
            case .secureExchange: try fuzzing.runSecureExchange()
            case .secureRequests: try fuzzing.runServer(isSecure: true)
            }
        } catch {
            fuzzing.fail("the run has failed: \(error)")
        }
        return fuzzing.outcome
    }

    var input: RandomInput
    private var outcome = HandshakeFuzzing.Outcome()

    private init(input: RandomInput) { self.input = input }

    /// Records a failure.
    mutating func fail(_ text: String) { outcome.failures.append(text) }

    /// Counts a run whose input was understood, or not.
    mutating func count(_ isAccepted: Bool) {
        if isAccepted { outcome.accepted += 1 } else { outcome.refused += 1 }
    }

    /// Returns another generator of inputs, which is used independently.
    mutating func fork() -> RandomInput { RandomInput(generator: SeededGenerator(seed: input.generator.next())) }

    /// Returns frames of a peer, half of them altered.
    mutating func frames(isMasked: Bool) -> [UInt8] {
        var material = HandshakeFuzzing(input.generator.next())
        var bytes: [UInt8] = []
        for _ in 0..<input.number(1...4) { bytes += material.frames(isMasked: isMasked) }
        return input.altered(bytes)
    }

    // MARK: WebSockets

    private mutating func runWebSocket(isClient: Bool) throws {
        let socket = try HostileSocket(frames(isMasked: !isClient), fork())
        let owner = SocketOwner()
        try owner.use(UpgradedWebSocket.add(to: socket.channel, subprotocol: nil, isClient: isClient, options: SocketOwner.options))
        drive(socket, owner)
        check(socket, owner, isClient: isClient, received: socket.delivered, sent: socket.sent)
    }

    /// Lets the peer and the owner act in turns until the connection ends, or nothing is left to do.
    private mutating func drive(_ socket: HostileSocket, _ owner: SocketOwner) {
        for _ in 0..<200 where !socket.isClosed {
            if input.number(0...2) > 0 { _ = socket.deliver() }
            owner.act(&input)
            socket.loop.run()
            if input.number(0...30) == 0 { socket.loop.advanceTime(by: .milliseconds(Int64(input.number(1...20_000)))) }
        }
        socket.end()
    }

    /// Checks what the owner of a WebSocket was told, and what was sent.
    ///
    /// - Parameter isWhole: Whether all of `received` was delivered.
    mutating func check(
        _ socket: HostileSocket,
        _ owner: SocketOwner,
        isClient: Bool,
        received: [UInt8],
        isWhole: Bool = true,
        sent: [UInt8]
    ) {
        for finding in owner.findings { fail(finding) }
        let (expected, _) = Self.parse(received, isMasked: !isClient)
        if !expected.starts(with: owner.frames) { fail("the owner has received other frames than the peer has sent") }
        if isWhole, !owner.hasEnded, !socket.hasFailed, owner.isComplete, expected.count != owner.frames.count {
            fail("the owner has received \(owner.frames.count) of \(expected.count) frames")
        }
        let (frames, violation) = Self.parse(sent, isMasked: isClient)
        if let violation { fail("what was sent violates the protocol: \(violation)") }
        if !owner.sent.starts(with: frames) { fail("the peer has received other frames than the owner has sent") }
        if owner.isRetained { fail("the connection is not released after its end") }
        count(!expected.isEmpty)
    }

    /// Returns the messages in frames, up to a close frame or a violation.
    static func parse(_ bytes: [UInt8], isMasked: Bool) -> (messages: [[UInt8]], violation: WebSocketViolation?) {
        let maximum = SocketOwner.options.maximumMessageBytes
        var parser = WebSocketFrameParser(expectsMask: isMasked, maximumMessageBytes: maximum)
        var messages: [[UInt8]] = []
        var violation: WebSocketViolation?
        bytes.withUnsafeBytes { bytes in
            do throws(WebSocketViolation) {
                try parser.parse(bytes) { if case .data(let message) = $0 { messages.append(message) } }
            } catch {
                violation = error
            }
        }
        return (messages, violation)
    }

    // MARK: Listeners and clients

    private mutating func runListener(isSecure: Bool) throws {
        let request = input.pick(GoodInputs.requests)
        let bytes = input.altered(request) + frames(isMasked: true)
        let (socket, peer) = try client(bytes, isSecure: isSecure)
        let owner = SocketOwner()
        var configuration = ListenerConfiguration(subprotocols: GoodInputs.subprotocols) { $0 == "db" || $0 == "a/b" }
        configuration.webSocket = SocketOwner.options
        if isSecure { configuration.tls = ListenerTLS(identity: try SecurePeer.serverIdentity()) }
        let listener = WebSocketListener(configuration, perform: { $0() }, accept: { owner.use($0.channel) })
        try listener.serve(socket.channel)
        drive(socket, owner)
        if listener.connectionCount + listener.handshakeCount > 0 { fail("a connection is counted after its end") }
        if isSecure, peer == nil { return checkPlain(socket, isAccepted: owner.isUsed) }
        let received = Self.afterHead(peer == nil ? socket.delivered : bytes)
        let sent = Self.afterHead(peer?.received ?? socket.sent)
        guard owner.isUsed, let received, let sent else { return count(false) }
        check(socket, owner, isClient: false, received: received, isWhole: peer == nil, sent: sent)
    }

    /// Returns what follows the first head; `nil` if there is none.
    static func afterHead(_ bytes: [UInt8]) -> [UInt8]? {
        bytes.firstRange(of: Array("\r\n\r\n".utf8)).map { Array(bytes[$0.upperBound...]) }
    }

    private mutating func runExchange() throws {
        let response = input.altered(input.pick(GoodInputs.responses)) + (input.number(0...1) == 0 ? frames(isMasked: false) : [])
        let socket = try HostileSocket(response, fork())
        let promise = socket.loop.makePromise(of: HTTPResponse.self)
        var results = 0
        let channel = socket.channel
        let closes = input.number(0...1) == 0
        let handler = HTTPExchange(request: Array("GET / HTTP/1.1\r\n\r\n".utf8), isTunnel: input.number(0...3) == 0, promise: promise)
        promise.futureResult.assumeIsolated().whenComplete { _ in
            results += 1
            // As who waits for the response may do at once.
            if closes { channel.close(promise: nil) }
        }
        try channel.pipeline.syncOperations.addHandler(handler)
        while socket.deliver() { socket.loop.run() }
        socket.end()
        if results != 1 { fail("the request has \(results) results") }
        count(results == 1)
    }
}
#endif
