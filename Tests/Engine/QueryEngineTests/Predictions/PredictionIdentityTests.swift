import DocumentStore
import QueryEngine
import QueryLanguage
import SQLiteEngine
import TestSupport
import Testing

/// Which calls of models share a table (Vector search PI-4, PI-12).
@Suite("Identity of predictions")
struct PredictionIdentityTests {
    @Test(
        "fields of meta() in the input are the same in SQL++ and as the builder writes them",
        arguments: ["id", "sequence", "revisionID"]
    )
    func metadata(field: String) throws {
        let database = try QueryDatabase()
        let model = TestModel.echo()
        for number in 0..<3 { try database.save("doc\(number)", "{}") }
        let inputs = [#"["._\#(field)"]"#, #"["_.",["meta()"],".\#(field)"]"#]
        let calls = ["", "d"].map { "PREDICTION(\(model.name), {'x': meta(\($0)).\(field)}).x" }
        let queries = zip(calls, ["_", "_ AS d"]).map { "SELECT \($0) FROM \($1) WHERE \($0) IS VALUED ORDER BY \($0)" }
        let json = #"{"WHAT":[["PREDICTION()","\#(model.name)",{"x":["._\#(field)"]},".x"]]}"#
        func rows() throws -> [[String]] {
            let built = try database.prepare(json: json).run(on: database.file, parameters: QueryParameters())
            return try queries.map { try database.rows($0) } + [(0..<built.count).map { try built.json($0) }.sorted()]
        }
        let wanted = try rows()
        #expect(wanted[0].count == 3 && wanted.allSatisfy { $0.sorted() == wanted[0].sorted() })
        for (number, input) in inputs.enumerated() {
            try database.indexes.create(
                IndexDefinition(
                    name: "index \(number)",
                    kind: .predictive,
                    source: .json(#"[["PREDICTION()","\#(model.name)",{"x":\#(input)}]]"#)
                ),
                on: try database.collection()
            )
            let count = model.count
            #expect(try rows() == wanted)
            #expect(model.count == count, "the table of index \(number) answers all forms")
        }
        let tables = try database.file.read {
            try $0.connection.texts("SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE '%:predict:%'")
        }
        #expect(tables.count == 1)
        #expect(try BundleChecker(database.file).findings() == [])
    }
}
