#if Replication
import TestTraits
import Testing

@testable import WebServer

@Suite("Targets of requests", .ownThreads)
struct RequestTargetTests {
    @Test(
        "the target of a request may be a URL, whose host replaces the field Host",
        arguments: [
            ("http://localhost/host/a%2Fb/?x=1", #"["localhost"] /host/a%2Fb/?x=1"#),
            ("HTTP://LOCALHOST:4984/host", #"["LOCALHOST:4984"] /host"#), ("https://[::1]/host?", #"["[::1]"] /host?"#),
        ]
    )
    func absoluteTargets(target: String, answer: String) async throws {
        try await withServer { port, _, _ in
            let client = try await RawClient.connect(port: port)
            client.send(lines: "GET \(target) HTTP/1.1\nHost: example.com\nConnection: close\n\n")
            #expect(await client.readAll().hasSuffix("\r\n\r\n" + answer))
        }
    }

    @Test("a target without a path is the root, and separators before combining accents separate")
    func targets() throws {
        let root = try #require(WebTarget("http://localhost?x=1"))
        #expect(root.path.isEmpty && root.originForm == "/?x=1" && root.query.map(\.name) == ["x"])
        let accents = try #require(WebTarget("/a/\u{301}b?\u{301}c=\u{301}d&\u{301}e"))
        #expect(accents.path.map { Array($0.unicodeScalars) } == [["a"], ["\u{301}", "b"]])
        #expect(accents.query.map { Array($0.name.unicodeScalars) } == [["\u{301}", "c"], ["\u{301}", "e"]])
        #expect(accents.query.map { Array($0.value.unicodeScalars) } == [["\u{301}", "d"], []])
    }

    @Test(
        "a URL with another host or that is not valid is refused",
        arguments: [
            ("http://example.com/", 403),
            ("http:///x", 400),
            ("http://user@localhost/", 400),
            ("ftp://localhost/", 400),
            ("http://localhost:99999/", 400),
            ("http://[::1/", 400),
            ("http://localhost/#x", 400),
            ("http://localhost/%zz", 400),
        ]
    )
    func refusals(target: String, status: Int) async throws {
        try await withServer { port, _, _ in
            let client = try await RawClient.connect(port: port)
            client.send(lines: "GET \(target) HTTP/1.1\nHost: localhost\n\n")
            #expect(await client.readAll().hasPrefix("HTTP/1.1 \(status) "))
        }
    }
}
#endif
