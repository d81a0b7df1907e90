import DocumentStore
import SyncCore
import Testing

@testable import Replication

@Suite("Rows of changes messages")
struct ChangeRowTests {
    private func rows(_ json: String) throws -> [ChangeRow] {
        try ChangeRow.rows(Array(json.utf8))
    }

    @Test("an empty body, null and an empty list all mean the end of the feed", arguments: ["", "null", "[]", " [ ] "])
    func caughtUp(_ body: String) throws {
        #expect(try rows(body).isEmpty)
    }

    @Test("a row has a sequence, a document ID, a revision ID, optional flags and an optional size")
    func members() throws {
        let rows = try rows(#"[[1,"a","1-aa"],[2,"b","2-bb",true],[3,"c","3-cc",false,17],[4,"d","4-dd",null,null]]"#)
        #expect(rows.map(\.documentID) == ["a", "b", "c", "d"])
        #expect(rows.map { $0.revision?.description } == ["1-aa", "2-bb", "3-cc", "4-dd"])
        #expect(rows.map(\.isDeleted) == [false, true, false, false])
        #expect(rows.map(\.sequence) == [1, 2, 3, 4].map { RemoteSequence($0) })
    }

    @Test(
        "the sequence of a row keeps its JSON",
        arguments: [#""10:8""#, #""8::10""#, #""1200:1234:1240""#, "17", "-4", "1.5", #"[1,"x"]"#, "null", #"{"a":1}"#]
    )
    func sequences(_ json: String) throws {
        #expect(try rows("[[\(json),\"a\",\"1-aa\"]]").map(\.sequence.json) == [json])
    }

    @Test("flags with bit 2 or 4 mean lost access, and flags with bit 1 mean a deletion")
    func flags() throws {
        let rows = try rows("[" + (0...7).map { "[1,\"a\",\"1-aa\",\($0)]" }.joined(separator: ",") + "]")
        #expect(rows.map(\.isAccessLost) == [false, false, true, true, true, false, true, true])
        #expect(rows.map(\.isDeleted) == [false, true, false, true, false, true, false, true])
    }

    @Test(
        "a row with an unsupported revision ID is parsed with a nil revision",
        arguments: ["1-xyz", "0-aa", "-", "1-", "5@abc-"]
    )
    func oddRevisions(_ revision: String) throws {
        #expect(try rows("[[1,\"a\",\"\(revision)\"]]").map(\.revision) == [nil])
    }

    @Test(
        "a body that is not a valid list of rows is rejected as a whole",
        arguments: [
            "{}", "17", "true", "[1]", "[[]]", #"[[1,"a"]]"#, #"[[1,"","1-aa"]]"#, #"[[1,7,"1-aa"]]"#, #"[[1,"a",7]]"#,
            #"[[1,"a","nodash"]]"#, #"[[1,"a","1-aa","yes"]]"#, #"[[1,"a","1-aa",-1]]"#, #"[[1,"a","1-aa"],null]"#,
            "[[1,",
            #"[[1,"\#(String(repeating: "x", count: 256))","1-aa"]]"#,
            #"[["\#(String(repeating: "9", count: 2000))","a","1-aa"]]"#,
        ]
    )
    func malformed(_ body: String) {
        let error = #expect(throws: SyncError.self) { try rows(body) }
        #expect(error?.domain == .http && error?.code == 400)
    }

    @Test("a list with more than the maximum number of rows is rejected")
    func tooMany() throws {
        let row = #"[1,"a","1-aa"]"#
        let many = [String](repeating: row, count: ChangeRow.maximumCount)
        #expect(try rows("[" + many.joined(separator: ",") + "]").count == ChangeRow.maximumCount)
        #expect(throws: SyncError.self) { try rows("[" + (many + [row]).joined(separator: ",") + "]") }
    }

    @Test("a negative, huge or invalid size in a row is no error")
    func hugeSize() throws {
        let sizes = #"[[1,"a","1-aa",false,-5],[2,"b","1-aa",0,9223372036854775807],[3,"c","1-aa",0,"many"]]"#
        #expect(try rows(sizes).count == 3)
    }
}

@Suite("Replies to changes messages")
struct ChangeAnswerTests {
    private func body(_ answers: [ChangeAnswer]) -> String {
        String(decoding: ChangeAnswer.body(answers), as: UTF8.self)
    }

    private func revision(_ text: String) throws -> RevisionID { try #require(RevisionID(text)) }

    @Test("trailing answers for unwanted revisions are omitted")
    func trailing() throws {
        #expect(body([]) == "[]")
        #expect(body([.notWanted, .notWanted]) == "[]")
        #expect(body([.notWanted, .wanted([]), .notWanted]) == "[0,[]]")
    }

    @Test("ancestors are listed in their order, and refusals are numbers")
    func forms() throws {
        let ancestors = try [revision("3-cc"), revision("2-bb")]
        #expect(body([.wanted(ancestors), .refused(409), .wanted([])]) == #"[["3-cc","2-bb"],409,[]]"#)
    }
}
