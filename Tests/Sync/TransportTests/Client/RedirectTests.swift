#if Replication
import SyncCore
import Foundation
import Synchronization
import TestSupport
import TestTraits
import Testing

@testable import Transport

@Suite("Redirects and proxies", .ownThreads)
struct RedirectTests {
    private func connect(_ url: String, _ change: (inout ClientConfiguration) -> Void = { _ in }) throws -> ChannelRecorder {
        ChannelRecorder(WebSocketClientChannel(try Loopback.configuration(url, change)))
    }

    private func moved(_ status: Int, to location: String, more: String = "") -> RawServer.Reply {
        .text("HTTP/1.1 \(status) Moved\nLocation: \(location)\n\(more)Content-Length: 0\n\n")
    }

    @Test("redirects within a host are followed, with the cookies of each response", arguments: [301, 302, 307])
    func within(status: Int) async throws {
        let server = try RawServer { index, request in
            index == 0
                ? self.moved(status, to: "/other/x?y=1", more: "Set-Cookie: a=1; Path=/\n") : .switching(request)
        }
        let client = try connect("ws://127.0.0.1:\(server.port)/db") { configuration in
            configuration.cookies = CookieStore()
            configuration.authentication = .basic(BasicCredentials(username: "u", password: "p"))
        }
        _ = try await client.opened()
        #expect(server.requests[1].hasPrefix("GET /other/x?y=1 HTTP/1.1\r\n"))
        #expect(RawServer.field("Cookie", of: server.requests[1]) == "a=1")
        #expect(RawServer.field("Authorization", of: server.requests[1]) != nil)
        client.channel.cancel()
        await server.stop()
    }

    @Test("credentials and custom headers are not sent to another host after a redirect")
    func elsewhere() async throws {
        let second = try RawServer { _, request in .switching(request) }
        let port = second.port
        let first = try RawServer { _, _ in self.moved(302, to: "http://localhost:\(port)/z/_blipsync#f") }
        let client = try connect("ws://127.0.0.1:\(first.port)/db") { configuration in
            configuration.authentication = .basic(BasicCredentials(username: "u", password: "p"))
            configuration.headers = [("Cookie", "secret=1"), ("authorization", "Bearer x"), ("X-Other", "1")]
        }
        _ = try await client.opened()
        #expect(first.requests[0].contains("secret=1"))
        let request = try #require(second.requests.first)
        #expect(request.hasPrefix("GET /z/_blipsync HTTP/1.1\r\n"))
        #expect(!request.lowercased().contains("authorization") && !request.contains("secret"))
        #expect(!request.contains("X-Other"))
        client.channel.cancel()
        await first.stop()
        await second.stop()
    }

    @Test("credentials, custom headers and cookies are not sent to another port after a redirect, nor back again")
    func otherPort() async throws {
        let ports = Mutex<[Int]>([])
        let first = try RawServer { index, request in
            index == 0
                ? self.moved(
                    302,
                    to: "http://127.0.0.1:\(ports.withLock { $0[1] })/a",
                    more: "Set-Cookie: s=1; Path=/\n"
                )
                : .switching(request)
        }
        let second = try RawServer { _, _ in
            self.moved(307, to: "http://127.0.0.1:\(ports.withLock { $0[0] })/b")
        }
        ports.withLock { $0 = [first.port, second.port] }
        let client = try connect("ws://127.0.0.1:\(first.port)/db") { configuration in
            configuration.cookies = CookieStore()
            configuration.authentication = .session(id: "secret", cookieName: "SyncGatewaySession")
            configuration.headers = [("X-Token", "secret"), ("User-Agent", "secret")]
        }
        _ = try await client.opened()
        #expect(first.requests[0].components(separatedBy: "secret").count == 4)
        #expect(second.requests.count == 1 && first.requests.count == 2)
        for request in [second.requests[0], first.requests[1]] {
            #expect(!request.contains("secret") && !request.contains("Cookie"), "\(request)")
            #expect(RawServer.field("User-Agent", of: request) == "CouchbaseLiteSwift")
        }
        client.channel.cancel()
        await first.stop()
        await second.stop()
    }

    @Test("credentials are kept on redirects with the same scheme, host and port, however the port is written")
    func sameOrigin() throws {
        func sends(_ from: String, _ to: String) throws -> Bool {
            var route = ClientRoute(url: try EndpointURL(endpoint: from), proxy: nil)
            try route.follow(response(302, to: to))
            return route.sendsCredentials
        }
        #expect(try sends("ws://a.example/db", "http://A.example:80/x"))
        #expect(try sends("wss://a.example:443/db", "https://a.example/x"))
        #expect(try sends("wss://a.example:4984/db", "/x"))
        #expect(try !sends("ws://a.example/db", "https://a.example/x"))
        #expect(try !sends("ws://a.example/db", "http://a.example:4984/x"))
        #expect(try !sends("ws://a.example/db", "http://b.a.example/x"))
    }

    @Test("a redirect from TLS to an unencrypted connection is refused")
    func downgrade() throws {
        var route = ClientRoute(url: try EndpointURL(endpoint: "wss://a.example/db"), proxy: nil)
        let error = #expect(throws: SyncError.self) {
            try route.follow(response(302, to: "http://a.example/db/_blipsync"))
        }
        #expect(error?.domain == .network && error?.code == 12)
        #expect(error?.message.contains("unencrypted") == true)
        #expect(route.url.isSecure)
    }

    private func response(_ status: Int, to location: String) -> HTTPResponse {
        HTTPResponse(head: HTTPResponseHead(status: status, reason: "Moved", fields: HTTPFields([("Location", location)])), body: [])
    }

    @Test("invalid redirects and too many redirects give errors")
    func nowhere() async throws {
        let locations = ["", "ftp://x/y", "//evil/x", "x y", "http://u@h/x"]
        let server = try RawServer { index, _ in
            index < locations.count ? self.moved(302, to: locations[index]) : self.moved(302, to: "/again")
        }
        for _ in locations {
            let error = try await connect("ws://127.0.0.1:\(server.port)/db").closed().error
            #expect(error?.domain == .network && error?.code == 12)
        }
        let error = try await connect("ws://127.0.0.1:\(server.port)/db").closed().error
        #expect(error?.domain == .network && error?.code == 5)
        #expect(server.requests.count == locations.count + 11)
        await server.stop()
    }

    @Test("a proxy gets a CONNECT request with its credentials, and the handshake goes through its tunnel")
    func proxy() async throws {
        let proxy = try RawServer { index, request in
            index == 0 ? .text("HTTP/1.1 200 Connection established\n\n", closes: false) : .switching(request)
        }
        let client = try connect("ws://db.example:8091/db") { configuration in
            configuration.proxy = ProxyConfiguration(
                host: "127.0.0.1",
                port: proxy.port,
                credentials: BasicCredentials(username: "u", password: "p")
            )
        }
        _ = try await client.opened()
        let expected = """
            CONNECT db.example:8091 HTTP/1.1
            Host: db.example:8091
            User-Agent: CouchbaseLiteSwift
            Proxy-Authorization: Basic dTpw


            """
        #expect(proxy.requests[0] == expected.replacing("\n", with: "\r\n"))
        #expect(RawServer.field("Host", of: proxy.requests[1]) == "db.example:8091")
        #expect(!proxy.requests[1].contains("Proxy-Authorization"))
        client.channel.cancel()
        await proxy.stop()
    }

    @Test("a proxy that refuses ends the connection attempt with its status", arguments: [407, 502])
    func refused(status: Int) async throws {
        let proxy = try RawServer("HTTP/1.1 \(status) No\nContent-Length: 0\n\n")
        let client = try connect("ws://db.example/db") {
            $0.proxy = ProxyConfiguration(host: "127.0.0.1", port: proxy.port)
        }
        #expect(try await client.closed().error == SyncError(.webSocket, status, "No"))
        await proxy.stop()
    }

    @Test("a server may redirect to a proxy only once")
    func useProxy() async throws {
        let proxy = try RawServer { index, request in
            switch index {
            case 0: .text("HTTP/1.1 200 OK\n\n", closes: false)
            default: self.moved(305, to: "http://127.0.0.1:1/")
            }
        }
        let port = proxy.port
        let server = try RawServer { _, _ in self.moved(305, to: "http://127.0.0.1:\(port)/") }
        let error = try await connect("ws://127.0.0.1:\(server.port)/db").closed().error
        #expect(error?.domain == .network && error?.code == 12)
        #expect(proxy.requests.map { $0.prefix(7) } == ["CONNECT", "GET /db"])
        await server.stop()
        await proxy.stop()
    }
}
#endif
