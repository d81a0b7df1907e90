import DocumentStore
import SyncCore
import Testing

@testable import Replication

@Suite("proposeChanges requests and replies")
struct ProposalsTests {
    private func proposals(_ body: String) throws -> Proposals {
        try Proposals(body: Array(body.utf8))
    }

    private func reply(_ answers: [ProposalAnswer?], namesRevisions: Bool = false) -> String {
        String(decoding: Proposals.reply(answers, namesRevisions: namesRevisions), as: UTF8.self)
    }

    @Test("a proposal row has two to four items")
    func rows() throws {
        let rows = try proposals(#"[["a","1-aa"],["b","2-bb","1-bb"],["c","1-cc","",96]]"#).rows.map {
            try #require($0)
        }
        #expect(rows.map(\.documentID) == ["a", "b", "c"])
        #expect(rows.map(\.revision.description) == ["1-aa", "2-bb", "1-cc"])
        #expect(rows.map(\.serverRevision?.description) == [nil, "1-bb", nil])
    }

    @Test("an empty list and null contain no proposals", arguments: ["[]", "null"])
    func empty(body: String) throws {
        #expect(try proposals(body).rows.isEmpty)
    }

    @Test(
        "a body that is not a list of proposal rows is rejected",
        arguments: ["", "[[\"doc", "{}", "[1]", "[[\"a\"]]", "[[1,\"1-aa\"]]", "[[\"a\",1]]"]
    )
    func malformed(body: String) {
        let error = #expect(throws: SyncError.self) { try proposals(body) }
        #expect(error?.domain == .http)
        #expect(error?.code == 400)
    }

    @Test("an invalid proposal row is rejected alone")
    func unstorable() throws {
        let long = String(repeating: "x", count: 256)
        let proposals = try proposals(#"[["","1-aa"],["a","xyz"],["b","1-bb"],["\#(long)","1-aa"]]"#)
        #expect(proposals.rows.map { $0?.documentID } == [nil, nil, "b", nil])
        let answers = proposals.answers { rows in
            #expect(rows.map(\.documentID) == ["b"])
            return [.have]
        }
        #expect(answers == [nil, nil, .have, nil])
        #expect(reply(answers) == "[400,400,304,400]")
    }

    @Test("trailing zeros are omitted from the reply, and other zeros are kept")
    func zeros() throws {
        let revision = try #require(RevisionID("2-cafe"))
        #expect(reply([.send, .send]) == "[]")
        #expect(reply([]) == "[]")
        #expect(reply([.send, .have, .send, .conflict(current: revision), .send]) == "[0,304,0,409]")
        #expect(reply([.unreadable, .send]) == "[500]")
    }

    @Test("a conflict is answered with the current revision if the client requests it")
    func conflict() throws {
        let revision = try #require(RevisionID("2-cafe"))
        #expect(reply([.send, .conflict(current: revision)], namesRevisions: true) == #"[0,{"status":409,"rev":"2-cafe"}]"#)
    }
}
