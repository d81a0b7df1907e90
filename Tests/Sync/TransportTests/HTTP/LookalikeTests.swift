#if Replication
import Base
import Testing

@testable import Transport

/// Swift's strings are equal if they look the same; the transmitted bytes differ.
@Suite("Canonically equivalent names and passwords")
struct LookalikeTests {
    @Test("canonically equivalent names or passwords with different bytes are different credentials")
    func credentials() {
        let credentials = BasicCredentials(username: "zo\u{EB}", password: "caf\u{E9}")
        #expect(credentials == BasicCredentials(username: "zo\u{EB}", password: "caf\u{E9}"))
        #expect(credentials != BasicCredentials(username: "zoe\u{308}", password: "caf\u{E9}"))
        #expect(credentials != BasicCredentials(username: "zo\u{EB}", password: "cafe\u{301}"))
    }

    @Test("a password that begins with a combining accent is unchanged after a round trip")
    func leadingAccent() throws {
        let credentials = BasicCredentials(username: "zo\u{EB}", password: "\u{301}:x")
        let read = try #require(BasicCredentials(fieldValue: credentials.fieldValue))
        #expect(read == credentials)
        #expect(read.username.isExactly("zo\u{EB}"))
    }

    @Test("cookies whose canonically equivalent names have different bytes are different")
    func cookies() throws {
        let url = try EndpointURL(endpoint: "ws://example.com/db")
        var jar = CookieJar()
        for field in ["\u{E9}=1", "e\u{301}=2", "x=\u{301}3", "y=a\u{37E}b; path=/"] {
            let cookie = try #require(Cookie(field: field, from: url, acceptsParentDomain: false, now: 0))
            _ = jar.set(cookie, now: 0)
        }
        #expect(jar.cookies.count == 4)
        let header = try #require(jar.header(for: url, excluding: "e\u{301}", now: 0))
        #expect(header.isExactly("\u{E9}=1; x=\u{301}3; y=a\u{37E}b"))
    }

    @Test("subprotocols whose canonically equivalent names have different bytes are different")
    func subprotocols() {
        #expect(WebSocketHandshake.choose(from: ["\u{212A}"], supported: ["K"]) == nil)
        #expect(WebSocketHandshake.choose(from: ["\u{212A}", "K"], supported: ["K"]) == "K")
    }
}
#endif
