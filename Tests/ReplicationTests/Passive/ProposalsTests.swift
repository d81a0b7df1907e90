import BLIP
import DocumentStore
import Testing

@testable import Replication

@Suite("Proposed revisions")
struct ProposalsTests {
    private func proposals(_ body: String) throws -> Proposals {
        try Proposals(body: Array(body.utf8))
    }

    private func reply(_ answers: [ProposalAnswer?], namesRevisions: Bool = false) -> String {
        String(decoding: Proposals.reply(answers, namesRevisions: namesRevisions), as: UTF8.self)
    }

    @Test("rows have two to four items")
    func rows() throws {
        let rows = try proposals(#"[["a","1-aa"],["b","2-bb","1-bb"],["c","1-cc","",96]]"#).rows.map {
            try #require($0)
        }
        #expect(rows.map(\.documentID) == ["a", "b", "c"])
        #expect(rows.map(\.revision.description) == ["1-aa", "2-bb", "1-cc"])
        #expect(rows.map(\.serverRevision?.description) == [nil, "1-bb", nil])
    }

    @Test("an empty list and null are empty", arguments: ["[]", "null"])
    func empty(body: String) throws {
        #expect(try proposals(body).rows.isEmpty)
    }

    @Test(
        "what is no list of rows is refused",
        arguments: ["", "[[\"doc", "{}", "[1]", "[[\"a\"]]", "[[1,\"1-aa\"]]", "[[\"a\",1]]"]
    )
    func malformed(body: String) {
        let error = #expect(throws: SyncError.self) { try proposals(body) }
        #expect(error?.domain == .http)
        #expect(error?.code == 400)
    }

    @Test("a row that cannot be stored is refused by itself")
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

    @Test("zeros at the end are left out, those between are not")
    func zeros() throws {
        let revision = try #require(RevisionID("2-cafe"))
        #expect(reply([.send, .send]) == "[]")
        #expect(reply([]) == "[]")
        #expect(reply([.send, .have, .send, .conflict(current: revision), .send]) == "[0,304,0,409]")
        #expect(reply([.unreadable, .send]) == "[500]")
    }

    @Test("a conflict comes with the current revision if the client has asked for it")
    func conflict() throws {
        let revision = try #require(RevisionID("2-cafe"))
        #expect(
            reply([.send, .conflict(current: revision)], namesRevisions: true) == #"[0,{"status":409,"rev":"2-cafe"}]"#
        )
    }
}
