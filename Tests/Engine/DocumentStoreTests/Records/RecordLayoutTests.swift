import Testing

@testable import DocumentStore

@Suite("Record layouts")
struct RecordLayoutTests {
    private func body(_ column: [UInt8]) -> [UInt8] {
        column.withUnsafeBytes { Array(RecordLayout.currentBody(in: $0)) }
    }

    @Test("the body of the current revision is found in both record layouts")
    func both() {
        #expect(body(RevisionTreeCodingTests.bob) == RevisionTreeCodingTests.bob)
        #expect(body(RevisionTreeCodingTests.layout2) == RevisionTreeCodingTests.bob)
    }

    @Test("an absent body reads as an empty dictionary")
    func absent() {
        #expect(body([]) == [0x70, 0])
        #expect(body(RevisionTreeCodingTests.layout3) == [0x70, 0])
        // The record of a revision without a body, followed by its end.
        #expect(body(hex("0000000B FFFF 82 02 0111 00 00000000")) == [0x70, 0])
    }

    @Test("a row without a body can be read, is reported by the checker, and can be changed")
    func missingBody() throws {
        let database = try TestDatabase()
        try database.save("a", #"{"n":1}"#)
        try database.sql("UPDATE kv_default SET body = NULL")
        #expect(try database.json("a") == "{}")
        #expect(try BundleChecker(database.file).findings().contains { $0.message == "it has no body" })
        try database.save("a", #"{"n":2}"#)
        #expect(try database.json("a") == #"{"n":2}"#)
        try database.checkAndClose()
    }
}
