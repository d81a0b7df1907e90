import ConformanceSupport
import CouchbaseLiteSwift
import Fleece
import TestSupport
import Testing

@Suite("Predicate queries of the conformance file")
struct PredicateQueryConformanceTests {
    @Test(
        "a predicate query of the conformance file returns the expected rows",
        arguments: ConformanceCase.all.filter { $0.name.hasPrefix("pred") }
    )
    func conforms(test: ConformanceCase) throws {
        let folder = try DeprecatedFolder()
        defer { withExtendedLifetime(folder) {} }
        let database = try folder.database()
        try test.row.withRoot { row in
            for (id, body) in row["docs"]?.entries ?? [] {
                try database.save(MutableDocument(id: id, json: JSON.string(body)))
            }
            let returning = row["returning"]?.items.compactMap(\.string) ?? ["_id"]
            let query = database.createQuery(
                where: row["predicate"]?.string,
                returning: returning,
                orderBy: row["sortKey"]?.string.map { [$0] }
            )
            for (name, value) in row["params"]?.entries ?? [] {
                query.parameters[name] = try JSONSerialization.jsonObject(with: Data(JSON.string(value).utf8))
            }
            let titles = try #require(row["columns"]).items.compactMap(\.string)
            let rows = try Array(query.run())
            let texts = try rows.map { row in
                try JSONSerialization.data(withJSONObject: titles.indices.map { row.value(at: $0) ?? NSNull() })
            }
            let found = try texts.map { try JSON.fleece(String(decoding: $0, as: UTF8.self)) }
            let difference = ExpectedRows(row).difference(count: found.count, titles: titles) { index, column in
                found[index].root?.items[column]
            }
            #expect(difference == nil)
        }
    }
}
