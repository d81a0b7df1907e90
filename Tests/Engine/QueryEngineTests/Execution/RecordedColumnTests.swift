import QueryEngine
import Testing

@Suite("Columns of recorded rows")
struct RecordedColumnTests {
    @Test("a title is compared by its bytes, and stands for the first of several columns")
    func titles() {
        let few = RecordedRows(columnTitles: ["a", "b", "a", "e\u{301}"])
        #expect(few.columnIndex(of: "a") == 0)
        #expect(few.columnIndex(of: "e\u{301}") == 3)
        #expect(few.columnIndex(of: "\u{E9}") == nil)
    }

    @Test("the columns of a wide result are found as those of a narrow one")
    func wide() {
        let many = RecordedRows(columnTitles: (0..<20).map { "c\($0)" } + ["c3", "e\u{301}"])
        #expect(many.columnIndex(of: "c3") == 3)
        #expect(many.columnIndex(of: "c19") == 19)
        #expect(many.columnIndex(of: "\u{E9}") == nil)
        #expect(many.columnIndexes.count == 21)
    }
}
