import BLIP
import DocumentStore
import Testing

@testable import Replication

@Suite("Rows of changes")
struct ChangeRowTests {
    private func rows(_ json: String) throws -> [ChangeRow] {
        try ChangeRow.rows(Array(json.utf8))
    }

    @Test("nothing, null and an empty list all mean that there is no more", arguments: ["", "null", "[]", " [ ] "])
    func caughtUp(_ body: String) throws {
        #expect(try rows(body).isEmpty)
    }

    @Test("a row has a sequence, a document, a revision, and perhaps flags and a size")
    func members() throws {
        let rows = try rows(#"[[1,"a","1-aa"],[2,"b","2-bb",true],[3,"c","3-cc",false,17],[4,"d","4-dd",null,null]]"#)
        #expect(rows.map(\.documentID) == ["a", "b", "c", "d"])
        #expect(rows.map { $0.revision?.description } == ["1-aa", "2-bb", "3-cc", "4-dd"])
        #expect(rows.map(\.isDeleted) == [false, true, false, false])
        #expect(rows.map(\.sequence) == [1, 2, 3, 4].map { RemoteSequence($0) })
    }

    @Test(
        "sequences are kept as they came",
        arguments: [#""10:8""#, #""8::10""#, #""1200:1234:1240""#, "17", "-4", "1.5", #"[1,"x"]"#, "null", #"{"a":1}"#]
    )
    func sequences(_ json: String) throws {
        #expect(try rows("[[\(json),\"a\",\"1-aa\"]]").map(\.sequence.json) == [json])
    }

    @Test("the flags 2, 3, 4, 6 and 7 mean that access was lost; 1 and 5 are deletions")
    func flags() throws {
        let rows = try rows("[" + (0...7).map { "[1,\"a\",\"1-aa\",\($0)]" }.joined(separator: ",") + "]")
        #expect(rows.map(\.isAccessLost) == [false, false, true, true, true, false, true, true])
        #expect(rows.map(\.isDeleted) == [false, true, false, true, false, true, false, true])
    }

    @Test(
        "a revision that cannot be stored leaves its row readable",
        arguments: ["1-xyz", "0-aa", "-", "1-a", "1-AA", "5@abc-"]
    )
    func oddRevisions(_ revision: String) throws {
        #expect(try rows("[[1,\"a\",\"\(revision)\"]]").map(\.revision) == [nil])
    }

    @Test(
        "what is no list of rows is refused as a whole",
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

    @Test("more rows than peers send are refused")
    func tooMany() throws {
        let row = #"[1,"a","1-aa"]"#
        let many = [String](repeating: row, count: ChangeRow.maximumCount)
        #expect(try rows("[" + many.joined(separator: ",") + "]").count == ChangeRow.maximumCount)
        #expect(throws: SyncError.self) { try rows("[" + (many + [row]).joined(separator: ",") + "]") }
    }

    @Test("a huge size is no error")
    func hugeSize() throws {
        let sizes = #"[[1,"a","1-aa",false,-5],[2,"b","1-aa",0,9223372036854775807],[3,"c","1-aa",0,"many"]]"#
        #expect(try rows(sizes).count == 3)
    }
}

@Suite("Answers to changes")
struct ChangeAnswerTests {
    private func body(_ answers: [ChangeAnswer]) -> String {
        String(decoding: ChangeAnswer.body(answers), as: UTF8.self)
    }

    private func revision(_ text: String) throws -> RevisionID { try #require(RevisionID(text)) }

    @Test("what is not wanted at the end is left out")
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
