import SyncCore
import Testing

@testable import Replication

@Suite("getCollections requests and replies")
struct CollectionsRequestTests {
    @Test("a request has lists of collection names and checkpoint IDs with the same length")
    func lists() throws {
        let request = try CollectionsRequest(body: Array(#"{"checkpoint_ids":["cp-P","cp-P"],"collections":["inv.items","notes"]}"#.utf8))
        #expect(request.names == ["inv.items", "notes"])
        #expect(request.checkpointIDs == ["cp-P", "cp-P"])
    }

    @Test(
        "a malformed getCollections request is rejected",
        arguments: [
            "", "null", "[]", "{nope", "{}", #"{"collections":["a"]}"#, #"{"checkpoint_ids":[],"collections":[]}"#,
            #"{"checkpoint_ids":["a"],"collections":["a","b"]}"#, #"{"checkpoint_ids":["a"],"collections":[1]}"#,
            #"{"checkpoint_ids":"a","collections":"a"}"#,
        ]
    )
    func malformed(body: String) {
        let error = #expect(throws: SyncError.self) { try CollectionsRequest(body: Array(body.utf8)) }
        #expect(error?.domain == .blip)
        #expect(error?.code == 400)
    }

    @Test("a request with more than 1000 collections is rejected")
    func limit() throws {
        func body(_ count: Int) -> [UInt8] {
            let list = (0..<count).map { "\"c\($0)\"" }.joined(separator: ",")
            return Array("{\"checkpoint_ids\":[\(list)],\"collections\":[\(list)]}".utf8)
        }
        #expect(try CollectionsRequest(body: body(1000)).names.count == 1000)
        #expect(throws: SyncError.self) { try CollectionsRequest(body: body(1001)) }
        #expect(throws: SyncError.self) { try CollectionsRequest(body: body(5000)) }
    }

    @Test("a reply has the checkpoint with its revision first, {} for no checkpoint and null for no collection")
    func reply() throws {
        let replies: [CollectionsReply] = [
            .known((token: "3-cc", body: Array(#"{"time":1700000000,"local":5,"remote":"5::7","rev":"x"}"#.utf8))), .known(nil), .unknown,
            .known((token: "1-cc", body: Array("[1]".utf8))),
        ]
        let body = try CollectionsReply.body(replies) { $0 }
        #expect(
            String(decoding: body, as: UTF8.self)
                == #"[{"rev":"3-cc","local":5,"remote":"5::7","time":1700000000},{},null,{}]"#
        )
    }
}
