#if Replication
import SyncCore
import TestSupport
import Testing
import Transport

@Suite("Endpoint URLs")
struct EndpointURLTests {
    @Test(
        "the effective URL is the endpoint's URL with the sync path appended",
        arguments: [
            ("ws://h/db", "ws://h/db/_blipsync", "h", 80), ("wss://h/db", "wss://h/db/_blipsync", "h", 443),
            ("ws://h:80/db/", "ws://h:80/db/_blipsync", "h", 80),
            ("WSS://h:4984/app/db", "wss://h:4984/app/db/_blipsync", "h:4984", 4984),
            ("blip://[::1]:1/db", "ws://[::1]:1/db/_blipsync", "[::1]:1", 1),
            ("blips://1.2.3.4/a%20b", "wss://1.2.3.4/a%20b/_blipsync", "1.2.3.4", 443),
            ("ws://h/db?x=1#f", "ws://h/db/_blipsync", "h", 80),
        ]
    )
    func effective(text: String, effective: String, hostField: String, port: Int) throws {
        let url = try EndpointURL(endpoint: text).effective
        #expect(url.string == effective && url.hostField == hostField && url.port == port)
    }

    @Test(
        "an invalid endpoint URL is rejected, with an error that contains no password",
        arguments: [
            "", "h/db", "http://h/db", "ws:/h/db", "ws://", "ws:///db", "ws://h", "ws://h/", "ws://u:geheim@h/db",
            "ws://h:/db",
            "ws://h:0/db", "ws://h:65536/db", "ws://h:1x/db", "ws://h:+1/db", "ws://[::1/db", "ws://[zz]/db",
            "ws://[::1]x/db",
            "ws://h h/db", "ws://h/d b", "ws://h/d\r\nb", "ws://hö/db", "ws://h(/db",
            "ws://h/\(String(repeating: "x", count: 240))",
        ]
    )
    func refused(text: String) {
        let error = #expect(throws: SyncError.self) { try EndpointURL(endpoint: text) }
        #expect(error?.domain == .network && error?.code == 4)
        #expect(error?.message.contains("geheim") == false || !text.contains("geheim"))
    }

    @Test("random URLs are parsed or rejected, and parsed URLs are unchanged after a round trip")
    func fuzz() throws {
        var generator = SeededGenerator(seed: TestSeed.forThisTest())
        let parts = [
            "ws", "wss", "://", ":", "/", "[", "]", "@", "?", "#", "h", "::1", "80", "%41", "db", " ", "\r\n", "ü",
        ]
        for _ in 0..<20_000 {
            let count = Int.random(in: 0...7, using: &generator)
            let text =
                (Bool.random(using: &generator) ? "ws://h" : "")
                + (0..<count).compactMap { _ in parts.randomElement(using: &generator) }.joined()
            guard let url = try? EndpointURL(endpoint: text) else { continue }
            #expect(try EndpointURL(endpoint: url.string) == url)
        }
    }
}
#endif
