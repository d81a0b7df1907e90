#if Replication
import SyncCore
import Foundation
import Synchronization
import TestSupport
import TestTraits
import Testing
import Transport
import X509

@Suite("TLS", .ownThreads)
struct TLSTests {
    /// Connects to a listener with this identity; returns nil if this succeeds, otherwise the error.
    private func failure(
        of identity: TLSIdentityData,
        host: String = "localhost",
        clients: ListenerTLS.ClientCertificates = .none,
        _ change: (inout ClientTLS) -> Void
    ) async throws -> SyncError? {
        let arrivals = Arrivals()
        let listener = try Loopback.startListener { configuration in
            configuration.tls = ListenerTLS(identity: identity)
            configuration.tls?.clientCertificates = clients
        } accept: {
            arrivals.add($0)
        }
        let configuration = try Loopback.configuration("wss://\(host):\(listener.port ?? 0)/db") { change(&$0.tls) }
        let client = ChannelRecorder(WebSocketClientChannel(configuration))
        let error: SyncError?
        switch await client.next() {
        case .opened(let handshake):
            #expect(handshake.peerCertificate == identity.certificates[0].der)
            let server = ChannelRecorder(try await arrivals.next().channel)
            _ = try await server.opened()
            let frame = (0..<100_000).map { UInt8(truncatingIfNeeded: $0) }
            client.channel.send(frame)
            #expect(try await server.frame() == frame)
            server.channel.send(frame)
            #expect(try await client.frame() == frame)
            error = nil
        case .closed(let closure):
            #expect(closure.error != nil)
            error = closure.error
        default:
            throw Unexpected(description: "neither open nor closed")
        }
        await listener.stop()
        return error
    }

    @Test("a TLS connection is made even when all threads of the concurrent executor are blocked")
    func busyThreads() async throws {
        let authority = try TestAuthority()
        let identity = try authority.issue()
        try await withBlockedSharedThreads {
            let error = try await failure(of: identity) { $0.trust = .roots([authority.certificate]) }
            #expect(error == nil)
        }
    }

    @Test("a server with a certificate of a trusted authority is trusted, by name and by address")
    func good() async throws {
        let authority = try TestAuthority()
        let identity = try authority.issue()
        #expect(try await failure(of: identity) { $0.trust = .roots([authority.certificate]) } == nil)
        #expect(try await failure(of: identity, host: "127.0.0.1") { $0.trust = .roots([authority.certificate]) } == nil)
    }

    @Test("an intermediate authority is verified up to its root, and a missing intermediate is an error")
    func intermediate() async throws {
        let root = try TestAuthority()
        let middle = try TestAuthority(name: "Middle", issuer: root)
        let identity = try middle.issue(including: [middle.certificate])
        #expect(try await failure(of: identity) { $0.trust = .roots([root.certificate]) } == nil)
        let lonely = try middle.issue()
        #expect(try await failure(of: lonely) { $0.trust = .roots([root.certificate]) }?.code == 11)
    }

    @Test("an expired certificate, a wrong host, a wrong purpose and an unknown authority give different errors")
    func bad() async throws {
        let authority = try TestAuthority()
        let roots = ServerTrust.roots([authority.certificate])
        let expired = try await failure(of: authority.issue(age: 10_000)) { $0.trust = roots }
        #expect(expired?.domain == .network && expired?.code == 7)
        let early = try await failure(of: authority.issue(age: -3600)) { $0.trust = roots }
        #expect(early?.code == 7)
        let name = try await failure(of: authority.issue(host: "other.example", address: [10, 0, 0, 1])) {
            $0.trust = roots
        }
        #expect(name?.code == 15)
        let purpose = try await failure(of: authority.issue(usage: .clientAuth)) { $0.trust = roots }
        #expect(purpose?.code == 8)
        let stranger = try TestAuthority()
        let unknown = try await failure(of: authority.issue()) { $0.trust = .roots([stranger.certificate]) }
        #expect(unknown?.code == 11)
        // A certificate that is in the list need not be an authority's certificate.
        let own = try TLSIdentityData.selfSigned(attributes: ["CN": "x", "dNSName": "localhost"], isServer: true)
        #expect(try await failure(of: own) { $0.trust = .roots(own.certificates) } == nil)
        #expect(try await failure(of: own, host: "127.0.0.1") { $0.trust = .roots(own.certificates) }?.code == 15)
        let system = try await failure(of: authority.issue()) { $0.trust = .system }
        #expect(system?.code == 11)
    }

    @Test("a pinned certificate is accepted regardless of its host name and dates")
    func pinned() async throws {
        let authority = try TestAuthority()
        let identity = try authority.issue(host: "other.example")
        #expect(try await failure(of: identity) { $0.trust = .pinned(identity.certificates[0]) } == nil)
        #expect(try await failure(of: identity) { $0.trust = .pinned(authority.certificate) }?.code == 11)
        let chained = try authority.issue(host: "other.example", including: [authority.certificate])
        #expect(try await failure(of: chained) { $0.trust = .pinned(authority.certificate) } == nil)
        let old = try authority.issue(age: 10_000, including: [authority.certificate])
        #expect(try await failure(of: old) { $0.trust = .pinned(old.certificates[0]) } == nil)
        #expect(try await failure(of: old) { $0.trust = .pinned(authority.certificate) } == nil)
        // Even if there are other errors.
        #expect(try await failure(of: old) { $0.trust = .pinned(identity.certificates[0]) }?.code == 11)
    }

    @Test("a pinned certificate that is not the leaf must have signed the leaf, directly or through intermediates")
    func pinnedIssuer() async throws {
        let root = try TestAuthority()
        let middle = try TestAuthority(name: "Middle", issuer: root)
        func failure(_ identity: TLSIdentityData, _ pin: TestAuthority) async -> SyncError? {
            await ServerTrust.pinned(pin.certificate).failure(of: identity.certificates.map(\.der), host: "localhost")
        }
        let whole = try middle.issue(including: [root.certificate, middle.certificate])
        #expect(await failure(whole, root) == nil)
        #expect(await failure(whole, middle) == nil)
        // Without the intermediate certificate, there is no proof that one has signed the other.
        #expect(await failure(try middle.issue(including: [root.certificate]), root)?.code == 11)
        // Another leaf with the pinned certificate added to the chain, and a leaf of an issuer that only has the same name.
        #expect(await failure(try TestAuthority().issue(including: [root.certificate]), root)?.code == 11)
        let other = try TestAuthority(name: "Other").issue(including: [root.certificate])
        #expect(await failure(other, root)?.code == 11)
        #expect(await ServerTrust.pinned(root.certificate).failure(of: [], host: "localhost")?.code == 11)
        #expect(await ServerTrust.pinned(root.certificate).failure(of: [[1, 2]], host: "localhost")?.code == 11)
    }

    @Test("with selfSignedOnly only self-signed certificates are accepted, which is checked before their dates")
    func selfSigned() async throws {
        let own = try TLSIdentityData.selfSigned(attributes: ["CN": "device"], isServer: true)
        #expect(try await failure(of: own) { $0.trust = .selfSignedOnly } == nil)
        #expect(try await failure(of: own) { $0.trust = .system }?.code == 11)
        #expect(try await failure(of: TestAuthority().issue()) { $0.trust = .selfSignedOnly }?.code == 8)
        #expect(try await failure(of: TestAuthority().issue(age: 10_000)) { $0.trust = .selfSignedOnly }?.code == 8)
        let old = try TLSIdentityData.selfSigned(attributes: ["CN": "device"], isServer: true, expiration: Date().addingTimeInterval(-60))
        #expect(try await failure(of: old) { $0.trust = .selfSignedOnly }?.code == 7)
        // The missing trust is checked first.
        #expect(try await failure(of: old) { $0.trust = .system }?.code == 11)
    }

    @Test("an unreadable pinned or root certificate throws an error")
    func unreadable() throws {
        let authority = try TestAuthority()
        let pin = #expect(throws: SyncError.self) {
            _ = try ServerTrust(pinned: [0x30, 3, 1], selfSignedOnly: true, roots: [])
        }
        #expect(pin == SyncError(.liteCore, 22, "the pinned certificate cannot be parsed"))
        let root = #expect(throws: SyncError.self) {
            _ = try ServerTrust(pinned: nil, selfSignedOnly: false, roots: [authority.certificate.der, [1]])
        }
        #expect(root == SyncError(.liteCore, 22, "a trusted root certificate cannot be parsed"))
        guard case .pinned = try ServerTrust(pinned: authority.certificate.der, selfSignedOnly: true, roots: [[1]])
        else { throw Unexpected(description: "the pin counts first") }
        guard case .system = try ServerTrust(pinned: nil, selfSignedOnly: false, roots: []) else {
            throw Unexpected(description: "without anything else the system's authorities count")
        }
    }

    @Test("a client certificate is not sent to another server after a redirect")
    func certificateAndRedirects() async throws {
        let server = try TLSIdentityData.selfSigned(attributes: ["CN": "device"], isServer: true)
        let client = try TLSIdentityData.selfSigned(attributes: ["CN": "client"], isServer: false)
        let listener = try Loopback.startListener { configuration in
            configuration.tls = ListenerTLS(identity: server)
            configuration.tls?.clientCertificates = .accepted { _ in true }
        } accept: { _ in
        }
        let port = listener.port ?? 0
        let first = try RawServer { _, _ in
            .text("HTTP/1.1 302 Moved\nLocation: https://127.0.0.1:\(port)/db/_blipsync\nContent-Length: 0\n\n")
        }
        let configuration = try Loopback.configuration("ws://127.0.0.1:\(first.port)/db") { configuration in
            configuration.tls.trust = .selfSignedOnly
            configuration.tls.identity = client
        }
        let error = try await ChannelRecorder(WebSocketClientChannel(configuration)).closed().error
        #expect(error?.domain == .network && error?.code == 9)
        await first.stop()
        await listener.stop()
    }

    @Test("the certificate of an untrusted server is still reported to the app")
    func shown() async throws {
        let own = try TLSIdentityData.selfSigned(attributes: ["CN": "device"], isServer: true)
        let seen = Seen()
        _ = try await failure(of: own) { $0.onServerCertificate = { der in seen.ders.withLock { $0.append(der) } } }
        #expect(seen.ders.withLock { $0 } == [own.certificates[0].der])
    }

    private final class Seen: Sendable {
        let ders = Mutex<[[UInt8]]>([])
    }

    @Test("a listener can require client certificates, and accepts or rejects them by callback or by root certificates")
    func clients() async throws {
        let server = try TLSIdentityData.selfSigned(attributes: ["CN": "device"], isServer: true)
        let client = try TLSIdentityData.selfSigned(attributes: ["CN": "client"], isServer: false)
        let expected = client.certificates[0].der
        func connect(_ clients: ListenerTLS.ClientCertificates, _ identity: TLSIdentityData?) async throws
            -> SyncError?
        {
            try await failure(of: server, clients: clients) { tls in
                tls.trust = .selfSignedOnly
                tls.identity = identity
            }
        }
        #expect(try await connect(.accepted { $0 == [expected] }, client) == nil)
        #expect(try await connect(.accepted { _ in false }, client)?.code == 10)
        #expect(try await connect(.accepted { _ in true }, nil)?.code == 9)
        let authority = try TestAuthority()
        let issued = try authority.issue(usage: .clientAuth)
        #expect(try await connect(.roots([authority.certificate]), issued) == nil)
        #expect(try await connect(.roots(client.certificates), client) == nil)
        #expect(try await connect(.roots([authority.certificate]), client)?.code == 10)
        #expect(try await connect(.roots([authority.certificate]), authority.issue())?.code == 10)
    }

    @Test("a listener reports the client certificate of an incoming connection")
    func certificates() async throws {
        let client = try TLSIdentityData.selfSigned(attributes: ["CN": "client"], isServer: false)
        let arrivals = Arrivals()
        let listener = try Loopback.startListener { configuration in
            if let identity = try? TLSIdentityData.selfSigned(attributes: ["CN": "device"], isServer: true) {
                configuration.tls = ListenerTLS(identity: identity)
            }
            configuration.tls?.clientCertificates = .accepted { _ in true }
        } accept: {
            arrivals.add($0)
        }
        let configuration = try Loopback.configuration("wss://127.0.0.1:\(listener.port ?? 0)/db") {
            configuration in
            configuration.tls.trust = .selfSignedOnly
            configuration.tls.identity = client
        }
        let recorder = ChannelRecorder(WebSocketClientChannel(configuration))
        _ = try await recorder.opened()
        let incoming = try await arrivals.next()
        #expect(incoming.certificates == [client.certificates[0].der])
        await listener.stop()
    }

    @Test("a mismatch of TLS and plain connections is reported, with the right URL scheme")
    func mismatch() async throws {
        let listener = try Loopback.startListener { _ in
        } accept: { _ in
        }
        let secure = try Loopback.configuration("wss://127.0.0.1:\(listener.port ?? 0)/db")
        let error = try await ChannelRecorder(WebSocketClientChannel(secure)).closed().error
        #expect(error?.domain == .network && error?.code == 6)
        #expect(error?.message.contains("ws://") == true, "\(String(describing: error))")
        await listener.stop()
        let identity = try TLSIdentityData.selfSigned(attributes: ["CN": "device"], isServer: true)
        let tls = try Loopback.startListener {
            $0.tls = ListenerTLS(identity: identity)
        } accept: { _ in
        }
        let plain = try Loopback.configuration(for: tls)
        let other = try await ChannelRecorder(WebSocketClientChannel(plain)).closed().error
        #expect(other?.domain == .webSocket && other?.code == 400)
        #expect(other?.message.contains("wss://") == true, "\(String(describing: other))")
        await tls.stop()
    }

    @Test("a TLS alert in response to a plain request is reported as a server with TLS")
    func alert() async throws {
        let server = try RawServer { _, _ in .init(bytes: [0x15, 3, 3, 0, 2, 2, 70], closes: true) }
        let plain = try Loopback.configuration("ws://127.0.0.1:\(server.port)/db")
        let error = try await ChannelRecorder(WebSocketClientChannel(plain)).closed().error
        #expect(error?.domain == .webSocket && error?.code == 1002)
        #expect(error?.message.contains("wss://") == true)
        await server.stop()
    }

    @Test("TLS error messages contain no build paths of the TLS library")
    func paths() async throws {
        // The answer of a server that does not know this version: an alert, protocol_version (RFC 8446, 6.2).
        let alert: [UInt8] = [0x15, 3, 3, 0, 2, 2, 70]
        let server = try RawServer(answersAnything: true) { _, _ in .init(bytes: alert, closes: false) }
        let configuration = try Loopback.configuration("wss://127.0.0.1:\(server.port)/db")
        let error = try #require(try await ChannelRecorder(WebSocketClientChannel(configuration)).closed().error)
        #expect(error == SyncError(network: .tlsHandshakeFailed, "TLS failed: tlsv1 alert protocol version"))
        await server.stop()
        let unusable = #expect(throws: SyncError.self) {
            _ = try TLSIdentityData(pem: "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")
        }
        #expect(unusable?.message.contains("/") == false)
    }

    @Test("TLS works through a proxy, and a TLS proxy's certificate is checked against the system's authorities")
    func proxy() async throws {
        let authority = try TestAuthority()
        let identity = try authority.issue()
        let listener = try Loopback.startListener {
            $0.tls = ListenerTLS(identity: identity)
        } accept: {
            _ = ChannelRecorder($0.channel)
        }
        let proxy = try TunnelProxy()
        let configuration = try Loopback.configuration("wss://localhost:\(listener.port ?? 0)/db") {
            configuration in
            configuration.tls.trust = .roots([authority.certificate])
            configuration.proxy = ProxyConfiguration(host: "127.0.0.1", port: proxy.port)
        }
        let client = ChannelRecorder(WebSocketClientChannel(configuration))
        _ = try await client.opened()
        client.channel.close(code: 1000, reason: "")
        #expect(try await client.closed().code == 1000)
        // The proxy's own certificate is checked with the system's authorities.
        let secure = try TunnelProxy(identity: identity)
        let second = try Loopback.configuration("wss://localhost:\(listener.port ?? 0)/db") { configuration in
            configuration.tls.trust = .roots([authority.certificate])
            configuration.proxy = ProxyConfiguration(isSecure: true, host: "localhost", port: secure.port)
        }
        let error = try await ChannelRecorder(WebSocketClientChannel(second)).closed().error
        #expect(error?.domain == .network && error?.code == 11)
        await proxy.stop()
        await secure.stop()
        await listener.stop()
    }
}
#endif
