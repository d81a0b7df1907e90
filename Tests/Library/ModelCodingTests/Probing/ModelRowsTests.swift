import ModelCoding
import QueryEngine
import QueryLanguage
import Testing

@Suite("Rows of queries for models")
struct ModelRowsTests {
    private struct Named: Codable {
        var name: String
    }

    @Test("a row without the columns of a document is not decoded", arguments: [["name"], ["id", "revision", "body"]])
    func foreign(titles: [String]) throws {
        let source = try TestSource(of: Named(name: "x"))
        let rows = ModelRows<Named>(shape: nil, types: .ofTests)
        #expect(throws: QueryError.self) { try rows.model(0, of: RecordedRows(columnTitles: titles), source) }
    }
}
