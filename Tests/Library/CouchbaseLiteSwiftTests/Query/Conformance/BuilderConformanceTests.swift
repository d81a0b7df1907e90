import ConformanceSupport
import CouchbaseLiteSwift
import Fleece
import Foundation
import QueryLanguage
import TestSupport
import Testing

/// The rows of the conformance file, with their queries expressed with the query builder.
@Suite("Conformance of the query builder")
struct BuilderConformanceTests {
    /// The builder cannot express rows about the creation of an index.
    private static let rows = ConformanceCase.toRun.filter { $0.row.root?["stage"]?.string != "index" }

    @Test("a query expressed with the builder returns the expected rows", arguments: rows)
    func conforms(test: ConformanceCase) throws {
        try test.row.withRoot { row in
            guard let select = try Self.select(row) else { return }
            // Dates without a zone are local.
            setenv("TZ", "UTC", 1)
            let folder = try DatabaseFolder()
            let database = try folder.open()
            try Self.fill(database, with: row)
            let query: Query
            do {
                query = try BuilderTranslation(to: database).query(select)
            } catch let error as NotExpressible {
                #expect(Self.notExpressible.contains(error.what), "\(test.name)")
                return
            }
            let parameters = Parameters()
            for (name, value) in row["params"]?.entries ?? [] {
                parameters.setValue(try Self.plain(value), forName: name)
            }
            query.parameters = parameters
            if row["error"] != nil {
                #expect(throws: NSError.self) { try query.execute() }
                return
            }
            let found = try query.execute().allResults()
            let rows = try found.map { try JSON.fleece($0.toJSON()) }
            let titles = row["columns"]?.items.compactMap(\.string) ?? []
            if let first = found.first { #expect(first.keys == titles) }
            let difference = ExpectedRows(row).difference(count: rows.count, titles: titles) { index, column in
                rows[index].root?[titles[column]]
            }
            #expect(difference == nil, "\(query)\nfound \(found.map { $0.toJSON() })")
        }
    }

    @Test(
        "the builder can express most queries of the conformance file",
        .enabled(if: ConformanceCase.isSpecification, "another table is run")
    )
    func coverage() throws {
        let folder = try DatabaseFolder()
        defer { withExtendedLifetime(folder) {} }
        let database = try folder.open()
        let expressed = try Self.rows.count { test in
            try test.row.withRoot { row -> Bool in
                for (name, _) in row["collections"]?.entries ?? [] {
                    let parts = name.split(separator: ".").map(String.init)
                    _ = try database.createCollection(name: parts[parts.count - 1], scope: parts[0])
                }
                guard let select = try Self.select(row) else { return false }
                return (try? BuilderTranslation(to: database).query(select)) != nil
            } ?? false
        }
        #expect(expressed >= 340)
    }

    /// Queries that the builder of the product cannot express.
    private static let notExpressible: Set<String> = [
        "MISSING", "BLOB", "EXISTS", "CASE", "UNNEST", "||", "IN an expression", "meta() as a whole",
        "a pattern that is no text", "a path in the value of an expression", "the negative of an expression",
        "a function of SQL++ alone",
        // Errors that cannot be made with the builder.
        "an unknown function", "a wrong number of arguments", "a cross join with a condition",
        "HAVING without GROUP BY",
        "an unknown field of meta()", "an unknown source of meta()", "an unknown collection",
    ]

    /// The query of a row; nil if its text is not a query.
    private static func select(_ row: Value) throws -> SelectStatement? {
        do {
            if row["language"]?.string == "json", let query = row["query"] {
                return try QueryJSON.parse(try JSON.string(query))
            }
            return try SQLPlusPlus.parse(row["query"]?.string ?? "")
        } catch {
            guard row["error"] != nil else { throw error }
            return nil
        }
    }

    static func fill(_ database: Database, with row: Value) throws {
        func save(_ documents: Value?, in collection: Collection) throws {
            for (id, body) in documents?.entries ?? [] {
                try collection.save(document: MutableDocument(id: id, json: try JSON.string(body)))
            }
        }
        let collection = try database.defaultCollection()
        try save(row["docs"], in: collection)
        for id in row["deleted"]?.items.compactMap(\.string) ?? [] {
            if let document = try collection.document(id: id) { try collection.delete(document: document) }
        }
        for (name, documents) in row["collections"]?.entries ?? [] {
            let parts = name.split(separator: ".").map(String.init)
            try save(documents, in: try database.createCollection(name: parts[parts.count - 1], scope: parts[0]))
        }
        for index in row["index"]?.items ?? [] where index["type"]?.string != "array" {
            let expressions = [index["n1ql"]?.string ?? ""]
            let condition = index["where"]?.string
            let config: any IndexConfiguration =
                index["type"]?.string == "value"
                ? ValueIndexConfiguration(expressions, where: condition)
                : FullTextIndexConfiguration(
                    expressions,
                    where: condition,
                    ignoreAccents: index["ignoreAccents"]?.boolean,
                    language: index["language"]?.string ?? ""
                )
            do {
                try collection.createIndex(withName: index["name"]?.string ?? "", config: config)
            } catch {
                guard row["error"] != nil else { throw error }
            }
        }
    }

    static func plain(_ value: Value) throws -> Any? {
        try MutableDictionaryObject(json: "{\"value\": \(try JSON.string(value))}").value(forKey: "value")
    }
}
