#if Replication
import TestTraits
import Testing

@testable import WebServer

@Suite("The field Host", .ownThreads)
struct HostFieldTests {
    @Test(
        "the host is the value without the port, in small letters",
        arguments: [
            ("localhost", "localhost"), ("LocalHost:4984", "localhost"), ("localhost:", "localhost"), ("127.0.0.1:1", "127.0.0.1"),
            ("[::1]", "[::1]"), ("[::FFFF:1.2.3.4]:80", "[::ffff:1.2.3.4]"), ("a_b.example-1.com.", "a_b.example-1.com."),
        ]
    )
    func names(value: String, name: String) {
        #expect(HostField.name(value) == name)
    }

    @Test(
        "a value with something after the host that is no port, or with other characters, has no host",
        arguments: [
            "", ":80", "[::1].evil.example", "[::1]evil", "[::1]:8x", "[::1", "[]", "[]:80", "[::1]:80:81", "[x]", "::1",
            "localhost:80.evil", "localhost:8:0", "a b", "a/b", "user@localhost", "a\\b", "loc\u{E9}", "a\u{301}", "a\u{0}",
            "localhost:80\u{301}",
        ]
    )
    func malformed(value: String) {
        #expect(HostField.name(value) == nil)
    }

    @Test(
        "a request with several fields that decide who may do what, or without a valid host, is refused",
        arguments: [
            ("GET /target HTTP/1.1\nHost: localhost\nHost: localhost\n\n", 400),
            ("GET /target HTTP/1.1\nHost: localhost\nhost: evil.example\n\n", 400),
            ("GET http://localhost/target HTTP/1.1\nHost: localhost\nHost: localhost\n\n", 400),
            ("GET /target HTTP/1.0\nHost: localhost\nHost: localhost\n\n", 400), ("GET /target HTTP/1.1\n\n", 400),
            ("GET http://localhost/target HTTP/1.1\n\n", 400), ("GET /target HTTP/1.1\nHost:\n\n", 400),
            ("GET /target HTTP/1.1\nHost: [::1].evil\n\n", 400), ("GET /target HTTP/1.1\nHost: localhost, localhost\n\n", 400),
            ("GET /target HTTP/1.1\nHost: localhost\nOrigin: http://a\nOrigin: http://b\n\n", 400),
            ("GET /target HTTP/1.1\nHost: localhost\nAuthorization: Basic YTph\nAuthorization: Basic YTpi\n\n", 400),
            ("GET /target HTTP/1.1\nHost: [::1]:80\nConnection: close\n\n", 200),
        ],
        [true, false]
    )
    func requests(request: (text: String, status: Int), checksNames: Bool) async throws {
        try await withServer {
            if !checksNames { $0.hostNames = nil }
        } _: { port, _, _ in
            let client = try await RawClient.connect(port: port)
            client.send(lines: request.text)
            #expect(await client.readAll().hasPrefix("HTTP/1.1 \(request.status) "))
        }
    }
}
#endif
