#if Replication
import Transport

extension HandshakeFuzzing {
    private static let now = 1_700_000_000.0

    /// Tests cookies as set by servers and sent back by clients (Replication 1.3).
    mutating func examineCookies(_ fields: [[UInt8]]) {
        guard let url = try? EndpointURL(endpoint: "wss://db.example.com/db").effective else { return }
        var jar = CookieJar()
        for field in fields {
            let field = String(decoding: field, as: UTF8.self)
            let acceptsParent = Bool.random(using: &input.generator)
            guard let cookie = Cookie(field: field, from: url, acceptsParentDomain: acceptsParent, now: Self.now)
            else {
                refuse()
                continue
            }
            accept()
            _ = jar.set(cookie, now: Self.now)
        }
        let lasting = jar.cookies.filter { $0.expires != nil && !$0.isExpired(now: Self.now) }
        if CookieJar(encoded: jar.encoded(now: Self.now), now: Self.now).cookies != lasting {
            fail("\(lasting) are others after they were stored")
        }
        guard let header = jar.header(for: url, now: Self.now) else { return }
        let head = HTTPRequestHead(method: "GET", target: "/", fields: HTTPFields([("Cookie", header)]))
        if (try? head.encoded()) == nil { fail("the cookies \(header.debugDescription) cannot be sent") }
    }
}
#endif
