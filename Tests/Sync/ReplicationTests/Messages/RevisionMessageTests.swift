import BLIP
import DocumentStore
import SyncCore
import Testing

@testable import Replication

@Suite("Properties of rev messages")
struct RevisionMessageTests {
    private let minimal: Properties = ["Profile": "rev", "id": "a", "rev": "3-cc"]

    @Test("a rev message needs only a document ID and a revision ID")
    func enough() throws {
        let message = try RevisionMessage(minimal)
        #expect(message.documentID == "a")
        #expect(message.revision.description == "3-cc")
        #expect(message.history.isEmpty && !message.isDeleted && message.sequence == nil && message.deltaBase == nil)
        #expect(!message.refusesConflicts)
    }

    @Test("the optional properties of a rev message are parsed")
    func all() throws {
        var properties = minimal
        properties["history"] = "2-bb, 1-aa"
        properties["deleted"] = "1"
        properties["sequence"] = "\"10:8\""
        properties["deltaSrc"] = "2-bb"
        properties["noconflicts"] = "true"
        let message = try RevisionMessage(properties)
        #expect(message.history.map(\.description) == ["2-bb", "1-aa"])
        #expect(message.isDeleted && message.refusesConflicts)
        #expect(message.sequence?.json == "\"10:8\"")
        #expect(message.deltaBase?.description == "2-bb")
    }

    @Test(
        "a rev message with a missing or invalid document ID, revision ID or history is rejected",
        arguments: [
            ("id", nil), ("id", ""), ("rev", nil), ("rev", ""), ("rev", "xyz"), ("rev", "0-aa"),
            ("history", "2-bb,,1-aa"),
            ("history", "2-bb,x"), ("deltaSrc", "x"),
        ] as [(String, String?)]
    )
    func refused(_ name: String, _ value: String?) {
        var properties = minimal
        properties[name] = value
        let error = #expect(throws: SyncError.self) { try RevisionMessage(properties) }
        #expect(error?.domain == .http && error?.code == 400)
    }

    @Test(
        "the sequence property is parsed with or without quotes",
        arguments: [
            ("17", "17"), ("12:34", "\"12:34\""), ("12::34", "\"12::34\""), ("\"12:34\"", "\"12:34\""),
            ("12:34:56", "\"12:34:56\""), ("a\"b", #""a\"b""#), (" 17 ", "17"),
        ]
    )
    func sequences(_ property: String, _ json: String) {
        #expect(RemoteSequence(property: property)?.json == json)
    }
}

@Suite("Properties of subChanges messages")
struct SubChangesRequestTests {
    private func pairs(_ request: SubChangesRequest) -> [String] {
        request.message.properties.pairs.map { "\($0.name)=\($0.value)" }
    }

    @Test("the first one-shot subChanges message has the documented properties")
    func first() {
        var request = SubChangesRequest()
        request.skipsTombstones = true
        let pairs = pairs(request)
        #expect(
            pairs == [
                "Profile=subChanges", "batch=200", "sendReplacementRevs=true", "versioning=rev-trees",
                "activeOnly=true",
                "revocations=true",
            ]
        )
        request.wantsLastSequence = true
        #expect(self.pairs(request) == pairs + ["lastSequence=true"])
        guard case .bytes(let body) = request.message.body else { return #expect(Bool(false)) }
        #expect(body.isEmpty && !request.message.isUrgent && !request.message.isCompressed)
    }

    @Test("a continuous subChanges message contains the collection, the last sequence and the channels")
    func continued() {
        var request = SubChangesRequest(collection: 2, since: RemoteSequence(json: "\"10:8\""), isContinuous: true)
        request.channels = ["a", "b"]
        #expect(
            pairs(request) == [
                "Profile=subChanges", "collection=2", "since=\"10:8\"", "continuous=true", "batch=200",
                "sendReplacementRevs=true", "versioning=rev-trees", "revocations=true", "filter=sync_gateway/bychannel", "channels=a,b",
            ]
        )
    }

    @Test("document IDs are sent in the body of subChanges")
    func documents() {
        let request = SubChangesRequest(documentIDs: ["a", "q\"x"])
        guard case .bytes(let body) = request.message.body else { return #expect(Bool(false)) }
        #expect(String(decoding: body, as: UTF8.self) == #"{"docIDs":["a","q\"x"]}"#)
        #expect(request.message.properties["filter"] == nil)
    }

    @Test("empty lists of channels and document IDs set no filter")
    func emptyLists() {
        #expect(pairs(SubChangesRequest(channels: [], documentIDs: [])).count == 5)
    }
}
