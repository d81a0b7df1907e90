import ConformanceSupport
import Foundation
import QueryLanguage
import TestSupport
import Testing

/// A row of the conformance file, as far as compilation is concerned (Query 10).
struct ConformanceRow: Sendable, CustomStringConvertible {
    let name: String
    /// Query text, or the text of a JSON query.
    let query: String
    let isJSON: Bool
    let columns: [String]?
    let fails: Bool
    let stage: String?
    let code: String?
    let errorPosition: Int?
    let message: String?
    let collections: Set<String>
    let fullTextIndexes: Set<String>

    var description: String { "\(name): \(query)" }

    func compile() throws -> CompiledQuery {
        let database = FakeDatabase(collections: collections, fullTextIndexes: fullTextIndexes)
        return try isJSON ? database.compile(json: query) : database.compile(query)
    }

    static let all: [ConformanceRow] = ConformanceCase.files.flatMap { file -> [ConformanceRow] in
        guard let data = try? Data(contentsOf: file),
            let rows = try? JSONSerialization.jsonObject(with: data) as? [[String: Any]]
        else { return [] }
        return rows.compactMap(ConformanceRow.init)
    }

    private init?(_ row: [String: Any]) {
        guard let name = row["name"] as? String, let query = row["query"] else { return nil }
        self.name = name
        isJSON = row["language"] as? String == "json"
        if let text = query as? String {
            self.query = text
        } else {
            let options: JSONSerialization.WritingOptions = [.sortedKeys, .withoutEscapingSlashes]
            guard let data = try? JSONSerialization.data(withJSONObject: query, options: options) else { return nil }
            self.query = String(decoding: data, as: UTF8.self)
        }
        columns = row["columns"] as? [String]
        fails = row["error"] != nil
        stage = row["stage"] as? String
        code = row["code"] as? String
        errorPosition = row["errorPos"] as? Int
        message = row["message"] as? String
        collections = Set((row["collections"] as? [String: Any] ?? [:]).keys)
        let indexes = row["index"] as? [[String: Any]] ?? []
        fullTextIndexes = Set(indexes.filter { $0["type"] as? String == "fts" }.compactMap { $0["name"] as? String })
    }
}

@Suite("Compilation of the conformance queries")
struct ConformanceCompilationTests {
    @Test("the conformance file has 499 rows", .enabled(if: ConformanceCase.isSpecification, "another table is run"))
    func isRead() {
        #expect(ConformanceRow.all.count == 499)
    }

    @Test("a valid conformance query compiles with the expected column titles", arguments: ConformanceRow.all.filter { !$0.fails })
    func compiles(row: ConformanceRow) throws {
        let query = try row.compile()
        #expect(query.columnTitles == row.columns, "\(query.sql)")
    }

    /// The rows that the original rejects and this library accepts on purpose (Query 1.4, 2.1, 2.7, 3.14, A11).
    private static let lenient: Set<String> = ["syntax-13", "syntax-15", "agg-12", "more-alias-in-what"]

    @Test(
        "an invalid conformance query throws the expected error with its message and position",
        arguments: ConformanceRow.all.filter { $0.stage == "compile" && !lenient.contains($0.name) }
    )
    func refuses(row: ConformanceRow) {
        let error = #expect(throws: QueryError.self) { try row.compile() }
        #expect(error?.kind == (row.code == "missingIndex" ? .missingIndex : .invalidQuery))
        // The original calls the language by its former name.
        #expect(error?.message == row.message?.replacing("N1QL", with: "SQL++"))
        #expect(error?.offset == row.errorPosition)
    }
}
