#if Replication
import Foundation
import Synchronization
import TestSupport
import Testing
import Transport

@Suite("Cookies")
struct CookieTests {
    private let now = 1_700_000_000.0
    private let base = "ws://db.example.com/app/db"

    private func url(_ text: String) throws -> EndpointURL {
        try EndpointURL(endpoint: text).effective
    }

    private func cookie(_ field: String, from text: String? = nil, parent: Bool = false) throws -> Cookie? {
        Cookie(field: field, from: try url(text ?? base), acceptsParentDomain: parent, now: now)
    }

    @Test("a cookie's name, value, attributes and defaults are parsed")
    func reading() throws {
        let plain = try #require(try cookie("A=b"))
        #expect(plain.name == "A" && plain.value == "b" && plain.domain == "db.example.com" && plain.path == "/app/db")
        #expect(!plain.isSecure && plain.expires == nil && !plain.includesSubdomains)
        let full = try #require(
            try cookie(" s = \"x y\" ; PATH=/app ; secure; HttpOnly; Max-Age=60; domain=.DB.example.com ; SameSite=Lax")
        )
        #expect(full.name == "s" && full.value == "x y" && full.path == "/app" && full.isSecure)
        #expect(full.expires == now + 60 && full.domain == "db.example.com" && full.includesSubdomains)
        #expect(try cookie("a=b=c")?.value == "b=c")
        #expect(try cookie("a=b; Path=x")?.path == "/app/db")
        #expect(try cookie("a=b; Max-Age=0")?.isExpired(now: now) == true)
        #expect(try cookie("a=b; Max-Age=-5")?.isExpired(now: now) == true)
        #expect(try cookie("a=b; Max-Age=x; Expires=Wed, 21 Oct 2015 07:28:00 GMT")?.expires == 1_445_412_480)
        #expect(try cookie("a=b; Max-Age=9; Expires=Wed, 21 Oct 2015 07:28:00 GMT")?.expires == now + 9)
    }

    @Test(
        "an invalid cookie is rejected",
        arguments: ["", "a", "=b", ";a=b", "a\u{1}=b", "a=b\u{7F}", "a=\(String(repeating: "x", count: 5000))"]
    )
    func refused(field: String) throws {
        #expect(try cookie(field) == nil)
    }

    @Test(
        "expiry dates of cookies are parsed in all three formats",
        arguments: [
            ("Wed, 21 Oct 2015 07:28:00 GMT", 1_445_412_480.0), ("Wed, 21-Oct-2015 07:28:00 GMT", 1_445_412_480),
            ("Wednesday, 21-Oct-15 07:28:00 GMT", 1_445_412_480), ("Wed Oct 21 07:28:00 2015", 1_445_412_480),
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Thu, 29 Feb 2024 23:59:59 GMT", 1_709_251_199),
            ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799), ("Sun, 06 Nov 94 08:49:37 GMT", 784_111_777),
        ]
    )
    func dates(text: String, seconds: Double) throws {
        #expect(try cookie("a=b; Expires=\(text)")?.expires == seconds)
    }

    @Test(
        "an invalid expiry date of a cookie is ignored",
        arguments: [
            "", "yesterday", "21 Oct 2015", "32 Oct 2015 07:28:00", "21 Oct 2015 24:28:00", "21 Oct 1500 07:28:00",
        ]
    )
    func noDates(text: String) throws {
        #expect(try cookie("a=b; Expires=\(text)")?.expires == .some(nil))
    }

    @Test("a cookie's domain must be the host or a subdomain, and a parent domain only if configured")
    func domains() throws {
        #expect(try cookie("a=b; Domain=db.example.com")?.domain == "db.example.com")
        #expect(try cookie("a=b; Domain=x.db.example.com")?.domain == "x.db.example.com")
        #expect(try cookie("a=b; Domain=example.com") == nil)
        #expect(try cookie("a=b; Domain=example.com", parent: true)?.domain == "example.com")
        #expect(try cookie("a=b; Domain=com", parent: true) == nil)
        #expect(try cookie("a=b; Domain=ample.com", parent: true) == nil)
        #expect(try cookie("a=b; Domain=other.org", parent: true) == nil)
        #expect(try cookie("a=b; Domain=0.0.1", from: "ws://127.0.0.1/db", parent: true) == nil)
    }

    @Test("a cookie matches only its hosts, its path, TLS if it is secure, and the time before it expires")
    func matching() throws {
        let cookie = try #require(try cookie("a=b; Domain=example.com; Path=/app; Max-Age=10", parent: true))
        for (text, matches) in [
            ("ws://example.com/app/db", true), ("wss://x.example.com/app", true), ("ws://xexample.com/app", false),
            ("ws://example.com/application", false), ("ws://example.com/db", false),
            ("ws://EXAMPLE.com/app/x", true),
        ] {
            #expect(cookie.matches(try url(text), now: now) == matches, "\(text)")
        }
        #expect(!cookie.matches(try url(base), now: now + 10))
        let secure = try #require(try self.cookie("a=b; Secure"))
        #expect(try !secure.matches(url(base), now: now))
        #expect(try secure.matches(url(base.replacing("ws:", with: "wss:")), now: now))
        #expect(try !secure.matches(url("wss://x.db.example.com/app/db"), now: now))
    }

    @Test("a cookie jar replaces and removes cookies, sorts them by path, and persists only those with an expiry date")
    func jar() throws {
        var jar = CookieJar()
        func set(_ field: String) throws -> Bool {
            jar.set(try #require(try cookie(field)), now: now)
        }
        #expect(try !set("a=1"))
        #expect(try set("b=2; Max-Age=100; Path=/"))
        #expect(try !set("b=2; Max-Age=100; Path=/"))
        #expect(try set("b=3; Max-Age=100; Path=/"))
        #expect(try set("c=4; Max-Age=5"))
        #expect(jar.header(for: try url(base), now: now) == "a=1; c=4; b=3")
        #expect(jar.header(for: try url("ws://other.org/db"), now: now) == nil)
        let kept = CookieJar(encoded: jar.encoded(now: now), now: now + 6)
        #expect(kept.header(for: try url(base), now: now + 6) == "b=3")
        #expect(try set("b=; Max-Age=0; Path=/"))
        #expect(jar.header(for: try url(base), now: now) == "a=1; c=4")
        #expect(CookieJar(encoded: Array("nonsense".utf8), now: now) == CookieJar())
        for index in 0..<400 { _ = try set("n\(index)=x") }
        #expect(jar.cookies.count == 300 && jar.cookies.last?.name == "n399")
    }

    @Test("a cookie store is saved only when a persistent cookie has changed")
    func store() throws {
        let saved = Saved()
        let time = now
        let store = CookieStore(now: { time }) { bytes in saved.values.withLock { $0.append(bytes) } }
        store.store(["a=1", "nonsense"], from: try url(base))
        #expect(saved.values.withLock { $0.isEmpty })
        store.store(["b=2; Max-Age=9", "c=3; Max-Age=9"], from: try url(base))
        store.store(["b=2; Max-Age=9"], from: try url(base))
        #expect(store.header(for: try url(base)) == "a=1; c=3; b=2")
        let last = try #require(saved.values.withLock { $0.count == 1 ? $0.first : nil })
        let again = CookieStore(encoded: last, now: { time })
        #expect(again.header(for: try url(base)) == "b=2; c=3")
    }

    @Test("a cookie with an extremely large maximum age is kept, and does not affect other cookies")
    func endlessAge() throws {
        var jar = CookieJar()
        for field in ["a=1; Max-Age=9", "b=2; Max-Age=" + String(repeating: "9", count: 400)] {
            _ = jar.set(try #require(try cookie(field)), now: now)
        }
        let again = CookieJar(encoded: jar.encoded(now: now), now: now)
        #expect(again == jar && again.cookies.map(\.name) == ["a", "b"])
        #expect(again.cookies.last?.isExpired(now: now + 1e9) == false)
    }

    private final class Saved: Sendable {
        let values = Mutex<[[UInt8]]>([])
    }

    @Test("a random Set-Cookie field gives a cookie that can be sent, or none")
    func fuzz() throws {
        var generator = SeededGenerator(seed: TestSeed.forThisTest())
        let parts = [
            "a", "=", ";", " ", "\"", "Path=/", "Domain=", "example.com", "db.example.com", ".", "Max-Age=", "-",
            "9",
            "99999999999999999999",
            "Expires=", "Wed, 21 Oct 2015 07:28:00 GMT", "Oct", "Secure", "\u{1}", "ü", "\t", ",",
        ]
        let endpoint = try url(base)
        for _ in 0..<20_000 {
            let count = Int.random(in: 0...9, using: &generator)
            let field = "a=1" + (0..<count).compactMap { _ in parts.randomElement(using: &generator) }.joined()
            guard let cookie = Cookie(field: field, from: endpoint, acceptsParentDomain: true, now: now) else { continue }
            var jar = CookieJar()
            _ = jar.set(cookie, now: now)
            if let header = jar.header(for: endpoint, now: now) {
                #expect(header.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: ";") })
            }
            #expect(
                CookieJar(encoded: jar.encoded(now: now), now: now).cookies
                    == jar.cookies.filter { $0.expires != nil }
            )
        }
    }
}
#endif
