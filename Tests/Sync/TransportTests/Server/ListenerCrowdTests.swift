#if Replication
import Dispatch
import Foundation
import NIOCore
import NIOEmbedded
import SyncCore
import Synchronization
import TestSupport
import TestTraits
import Testing

@testable import Transport

@Suite("Listener under load", .ownThreads)
struct ListenerCrowdTests {
    private static let upgrade =
        "Connection: upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: BLIP_3+CBMobile_3\r\n\r\n"

    /// A clock that a test advances, in milliseconds.
    private final class Clock: Sendable {
        private let time = Mutex<Int64>(0)
        var now: Int64 { time.withLock { $0 } }
        func advance(by milliseconds: Int64) { time.withLock { $0 += milliseconds } }
    }

    private func client(of listener: WebSocketListener) throws -> ChannelRecorder {
        ChannelRecorder(WebSocketClientChannel(try Loopback.configuration(for: listener)))
    }

    /// The answer of the listener to these bytes.
    private func answer(_ text: String, of listener: WebSocketListener) async throws -> String {
        let client = try await RawClient.connect(port: listener.port ?? 0)
        client.send(Array(text.utf8))
        return String(decoding: await client.readHeadOrAll(), as: UTF8.self)
    }

    @Test(
        "the oldest silent connections are closed in favour of new ones when the limit of handshakes is reached",
        arguments: [(4, 100), (100, 4)]
    )
    func halfOpen(all: Int, ofAddress: Int) async throws {
        let listener = try Loopback.startListener {
            $0.maximumHandshakes = all
            $0.maximumHandshakesPerAddress = ofAddress
            $0.handshakeTimeout = waitLimit
        } accept: {
            _ = $0
        }
        var silent: [RawClient] = []
        for _ in 0..<4 { silent.append(try await RawClient.connect(port: listener.port ?? 0)) }
        // The first four are registered before the others connect, so they are the oldest.
        while listener.handshakeCount < 4 { await Task.yield() }
        for _ in 0..<4 { silent.append(try await RawClient.connect(port: listener.port ?? 0)) }
        for client in silent.prefix(4) { #expect(await client.readHeadOrAll() == []) }
        // If there were fewer, the timeout would have closed them.
        #expect(listener.handshakeCount == 4)
        let good = try client(of: listener)
        _ = try await good.opened()
        await listener.stop()
    }

    @Test("a bad request is answered only once, however many bytes follow")
    func oneAnswer() async throws {
        let authority = try TestAuthority()
        let identity = try authority.issue()
        let listener = try Loopback.startListener {
            $0.tls = ListenerTLS(identity: identity)
        } accept: {
            _ = $0
        }
        let client = try await RawClient.connect(port: listener.port ?? 0, usesTLS: true)
        // Each becomes a separate record, and therefore a separate piece.
        for _ in 0..<50 { client.send(Array("\u{16}\u{3}\u{1} nonsense\r\n\r\n".utf8)) }
        let answer = String(decoding: await client.read { _ in false }, as: UTF8.self)
        #expect(answer.components(separatedBy: "HTTP/1.1 400 ").count == 2, "\(answer)")
        await listener.stop()
    }

    @Test("at the connection limit, connections that are silent or idle for long are closed in favour of new ones")
    func mute() async throws {
        let clock = Clock()
        let arrivals = Arrivals()
        let listener = try Loopback.startListener {
            $0.maximumConnections = 2
            $0.firstMessageGracePeriod = 2000
            $0.webSocket.now = { clock.now }
        } accept: {
            arrivals.add($0)
        }
        let mute = try client(of: listener)
        _ = try await mute.opened()
        let first = ChannelRecorder(try await arrivals.next().channel)
        _ = try await first.opened()
        let talking = try client(of: listener)
        _ = try await talking.opened()
        let second = ChannelRecorder(try await arrivals.next().channel)
        _ = try await second.opened()
        talking.channel.send([1, 2, 3])
        #expect(try await second.frame() == [1, 2, 3])
        clock.advance(by: 1999)
        #expect(try await client(of: listener).closed().error?.code == 503)
        clock.advance(by: 1)
        let new = try client(of: listener)
        _ = try await new.opened()
        #expect(try await mute.closed().code == 1006)
        new.channel.send([1])
        let third = ChannelRecorder(try await arrivals.next().channel)
        _ = try await third.opened()
        _ = try await third.frame()
        // Both clients have sent a message; of an address with more than half of the connections, the longest idle one is closed.
        clock.advance(by: 57_999)
        #expect(try await client(of: listener).closed().error?.code == 503)
        clock.advance(by: 1)
        let last = try client(of: listener)
        _ = try await last.opened()
        #expect(try await talking.closed().code == 1006)
        await listener.stop()
    }

    /// Connects a client of an address with a listener that has no socket. Returns the channel if the client gets a place.
    private func connect(_ address: String, to connections: ListenerConnections) throws -> EmbeddedChannel? {
        let channel = EmbeddedChannel()
        try channel.connect(to: SocketAddress(ipAddress: address, port: 1)).wait()
        #expect(connections.add(channel))
        let socket = try WebSocketConnection(channel: channel, isClient: false, options: WebSocketOptions(), handshake: ChannelHandshake())
        // The client sends messages, so it is not silent.
        socket.noteMessage()
        return connections.establish(socket, on: channel) ? channel : nil
    }

    @Test("an address with most connections gives places to others until all have the same share, whatever its clients send")
    func shares() throws {
        var configuration = ListenerConfiguration(subprotocols: []) { _ in true }
        configuration.maximumConnections = 6
        configuration.webSocket.now = { 0 }
        let connections = ListenerConnections(configuration)
        let first = try (0..<6).compactMap { _ in try connect("10.0.0.1", to: connections) }
        #expect(first.count == 6)
        // An address cannot take places from itself.
        #expect(try connect("10.0.0.1", to: connections) == nil)
        var others: [EmbeddedChannel] = []
        for (address, isServed) in [
            ("10.0.0.2", true), ("10.0.0.2", true), ("10.0.0.2", true), ("10.0.0.2", false), ("10.0.0.1", false), ("10.0.0.3", true),
            ("10.0.0.3", true), ("10.0.0.3", false),
        ] {
            let channel = try connect(address, to: connections)
            #expect((channel != nil) == isServed, "\(address)")
            others += channel.map { [$0] } ?? []
            for channel in first + others { channel.embeddedEventLoop.run() }
        }
        #expect(connections.count == 6)
        #expect(first.count(where: \.isActive) == 2 && others.count(where: \.isActive) == 4)
        for channel in first + others where channel.isActive { _ = try? channel.finish() }
        #expect(connections.count == 0)
    }

    @Test("clients in their handshake are closed of the address that has most of them")
    func handshakeShares() throws {
        var configuration = ListenerConfiguration(subprotocols: []) { _ in true }
        configuration.maximumHandshakes = 4
        let connections = ListenerConnections(configuration)
        func connect(_ address: String) throws -> EmbeddedChannel {
            let channel = EmbeddedChannel()
            try channel.connect(to: SocketAddress(ipAddress: address, port: 1)).wait()
            #expect(connections.add(channel))
            return channel
        }
        let good = try connect("10.0.0.1")
        let flood = try (0..<20).map { _ in try connect("10.0.0.2") }
        #expect(good.isActive)
        #expect(flood.map(\.isActive) == (0..<20).map { $0 >= 17 })
        for channel in [good] + flood { _ = try? channel.finish() }
        #expect(connections.pendingCount == 0)
    }

    @Test("a client that sends no message is closed, and so is one that becomes idle")
    func silence() async throws {
        let arrivals = Arrivals()
        let impatient = try Loopback.startListener {
            $0.webSocket.firstMessageTimeout = 0.05
        } accept: {
            arrivals.add($0)
        }
        let mute = try client(of: impatient)
        _ = try await mute.opened()
        let first = ChannelRecorder(try await arrivals.next().channel)
        _ = try await first.opened()
        #expect(try await mute.closed().code == 1008)
        _ = try await first.closed()
        await impatient.stop()
        let listener = try Loopback.startListener {
            $0.webSocket.firstMessageTimeout = waitLimit
            $0.webSocket.idleTimeout = 0.2
        } accept: {
            arrivals.add($0)
        }
        let talking = try client(of: listener)
        _ = try await talking.opened()
        talking.channel.send([1])
        let second = ChannelRecorder(try await arrivals.next().channel)
        _ = try await second.opened()
        #expect(try await second.frame() == [1])
        #expect(try await talking.closed().code == 4001)
        await listener.stop()
    }

    @Test("a client with too many wrong passwords gets status 429 for some time, even with the correct password")
    func passwords() async throws {
        let clock = Clock()
        let asked = Mutex(0)
        let listener = try Loopback.startListener {
            $0.wrongPasswords.burst = 3
            $0.wrongPasswords.interval = 1000
            $0.webSocket.now = { clock.now }
            $0.authenticator = { credentials in
                asked.withLock { $0 += 1 }
                return credentials.password == "right"
            }
        } accept: {
            _ = $0
        }
        func status(_ password: String?) async throws -> String {
            let credentials = password.map {
                "Authorization: Basic \(Data("u:\($0)".utf8).base64EncodedString())\r\n"
            }
            let answer = try await answer("GET /db/_blipsync HTTP/1.1\r\n\(credentials ?? "")\(Self.upgrade)", of: listener)
            return String(answer.dropFirst(9).prefix(3))
        }
        for _ in 0..<5 { #expect(try await status(nil) == "401") }
        #expect(try await status("right") == "101")
        for _ in 0..<3 { #expect(try await status("wrong") == "401") }
        for password in ["wrong", "right", "wrong"] { #expect(try await status(password) == "429") }
        #expect(asked.withLock { $0 } == 4)
        clock.advance(by: 1000)
        #expect(try await status("right") == "101")
        #expect(try await status("wrong") == "401")
        #expect(try await status("right") == "429")
        clock.advance(by: 1000)
        #expect(try await status("right") == "101")
        await listener.stop()
    }
}

@Suite("Rate limit of wrong passwords")
struct PasswordThrottleTests {
    @Test("wrong passwords are limited per address, and the address with the fewest failures is forgotten first")
    func addresses() {
        var limits = PasswordThrottle.Limits()
        limits.burst = 2
        limits.interval = 1000
        limits.addresses = 3
        let throttle = PasswordThrottle(limits)
        let addresses = (0..<4).map { ClientAddress(bytes: [$0]) }
        func fail(_ address: ClientAddress) { #expect(throttle.check(from: address, now: { 0 }) { false } == false) }
        func allowed(at time: Int64) -> [Bool] {
            addresses.map { throttle.check(from: $0, now: { time }) { true } == true }
        }
        addresses.prefix(3).forEach(fail)
        addresses.prefix(2).forEach(fail)
        #expect(allowed(at: 0) == [false, false, true, true])
        for _ in 0..<2 { fail(addresses[3]) }
        // The third address had the fewest failures and was removed.
        #expect(allowed(at: 0) == [false, false, true, false])
        #expect(allowed(at: 1000) == [true, true, true, true])
    }

    @Test("passwords sent at the same time are limited like passwords sent one after the other", arguments: [false, true])
    func parallel(isCorrect: Bool) {
        var limits = PasswordThrottle.Limits()
        limits.burst = 3
        let throttle = PasswordThrottle(limits)
        let address = ClientAddress(bytes: [1])
        let (begun, results) = (Recorder<Void>(), Recorder<Bool?>())
        let gate = DispatchSemaphore(value: 0)
        for _ in 0..<8 {
            Thread.detachNewThread {
                let result = throttle.check(from: address, now: { 0 }) {
                    begun.append(())
                    gate.wait()
                    return isCorrect
                }
                results.append(result)
            }
        }
        begun.wait(forCount: 3)
        for _ in 0..<8 { gate.signal() }
        let all = results.wait(forCount: 8)
        // No correct password is refused because of others that are being checked.
        #expect(all.count { $0 == isCorrect } == (isCorrect ? 8 : 3))
        #expect(all.count { $0 == nil } == (isCorrect ? 0 : 5))
    }

    @Test("an IPv6 network counts as one address, and an IPv4-mapped address is equal to its IPv4 address")
    func networks() throws {
        func address(_ text: String) throws -> ClientAddress {
            ClientAddress(try SocketAddress(ipAddress: text, port: 1))
        }
        #expect(try address("2001:db8:1:2::1") == address("2001:db8:1:2:ffff::9"))
        #expect(try address("2001:db8:1:2::1") != address("2001:db8:1:3::1"))
        #expect(try address("::ffff:10.0.0.1") == address("10.0.0.1"))
        #expect(try address("10.0.0.1") != address("10.0.0.2"))
    }
}
#endif
