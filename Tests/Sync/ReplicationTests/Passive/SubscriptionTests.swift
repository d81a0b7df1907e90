import BLIP
import Base
import SyncCore
import Testing

@testable import Replication

@Suite("Parsing of subChanges requests")
struct SubscriptionTests {
    private func subscription(_ properties: Properties = [:], _ body: String = "") throws -> Subscription {
        try Subscription(IncomingRequest(properties, body))
    }

    @Test("a subscription without properties is a one-shot subscription from the beginning")
    func plain() throws {
        #expect(try subscription() == Subscription())
    }

    @Test("the properties that a standard client sends are parsed")
    func stock() throws {
        let wanted = try subscription([
            "since": "17", "continuous": "true", "batch": "200", "sendReplacementRevs": "1", "versioning": "rev-trees",
            "activeOnly": "true", "revocations": "true",
        ])
        #expect(wanted.since == 17)
        #expect(wanted.isContinuous)
        #expect(wanted.isActiveOnly)
        #expect(wanted.batchSize == 200)
    }

    @Test(
        "a since value that is not a local sequence means the beginning",
        arguments: ["0", "-3", "", "null", "\"10:8\"", "1.5", "\"\"", "{}", "99999999999999999999999"]
    )
    func strangeSequence(since: String) throws {
        #expect(try subscription(["since": since]).since == 0)
    }

    @Test("a since value that is not JSON is rejected", arguments: ["garbage", "1200::1240", "[", "7 8"])
    func malformedSequence(since: String) {
        let error = #expect(throws: SyncError.self) { try subscription(["since": since]) }
        #expect(error?.domain == .http)
        #expect(error?.code == 400)
    }

    @Test(
        "boolean properties of a subscription accept several spellings",
        arguments: [
            ("true", true), ("YES", true), ("1", true), ("2", true), ("0", false), ("false", false), ("NO", false),
            ("", false), ("x", false),
        ]
    )
    func booleans(text: String, value: Bool) throws {
        #expect(try subscription(["continuous": text, "activeOnly": text]).isContinuous == value)
        #expect(try subscription(["continuous": text, "activeOnly": text]).isActiveOnly == value)
    }

    @Test(
        "the batch size is clamped to 1...1000, and an invalid one becomes 200",
        arguments: [("0", 1), ("-5", 1), ("50", 50), ("1000000", 1000), ("x", 200)]
    )
    func batch(text: String, size: Int) throws {
        #expect(try subscription(["batch": text]).batchSize == size)
    }

    @Test("the names of channels are separated by commas, also before a combining accent")
    func channels() throws {
        let properties: Properties = ["filter": "sync_gateway/bychannel", "channels": "a,\u{301}b"]
        let channels = try Subscription(IncomingRequest(properties, ""), hasChannels: true).channels
        #expect(channels?.map { ExactString($0) } == ["a", "\u{301}b"])
    }

    @Test("channel filters and version vectors are rejected")
    func unsupported() {
        let filter = #expect(throws: SyncError.self) {
            try subscription(["filter": "sync_gateway/bychannel", "channels": "a"])
        }
        #expect(filter == SyncError(.liteCore, 19, "Filtering not supported"))
        let vectors = #expect(throws: SyncError.self) { try subscription(["versioning": "version-vectors"]) }
        #expect(vectors?.domain == .liteCore)
        #expect(vectors?.code == 501)
    }

    @Test(
        "a subscription can be limited to document IDs, and an empty list means all documents",
        arguments: [
            ("{\"docIDs\":[\"a\",\"b\",\"a\"]}", Set<ExactString>(["a", "b"])), ("{\"docIDs\":[]}", nil), ("{}", nil),
            ("{\"docIDs\":null}", nil),
        ]
    )
    func documents(body: String, ids: Set<ExactString>?) throws {
        #expect(try subscription([:], body).documentIDs == ids)
    }

    @Test("a malformed subChanges body is rejected", arguments: ["[", "[1]", "null", "{\"docIDs\":\"a\"}", "{\"docIDs\":[1]}"])
    func malformedBody(body: String) {
        let error = #expect(throws: SyncError.self) { try subscription([:], body) }
        #expect(error?.domain == .http)
        #expect(error?.code == 400)
    }
}
