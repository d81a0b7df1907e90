import Base
import ConformanceSupport
import DocumentStore
import Fleece
import Foundation
import QueryEngine
import QueryLanguage
import SQLiteEngine
import TestSupport
import TestTraits
import Testing

@Suite("Indexes created by Couchbase Lite")
struct OriginalIndexTests {
    /// A copy of the file. If it is opened for reading, its indexes are those of the original; for writing, they are rebuilt.
    private func copy(isReadOnly: Bool) throws -> (QueryDatabase, URL) {
        let directory = try TemporaryDirectory()
        let copy = try directory.copy(RealDatabase.url(OriginalIndexFile.name))
        return (try QueryDatabase(path: copy.path, directory: directory, isReadOnly: isReadOnly), copy)
    }

    /// Rows of texts.
    private func rows(_ sql: String, on connection: Connection) throws -> [[String]] {
        let statement = try connection.prepare(sql)
        defer { statement.finalize() }
        var found: [[String]] = []
        while try statement.step() { found.append((0..<statement.columnCount).map { statement.text(at: $0) }) }
        return found
    }

    /// SQL literals in SQLite's notation.
    private func normalized(_ literals: ArraySlice<String>, on connection: Connection) throws -> [String] {
        try rows("SELECT \(literals.map { "quote(\($0))" }.joined(separator: ", "))", on: connection)[0]
    }

    /// The keys of an index, computed from the rows of its table, in the order of the index.
    private func keys(of index: OriginalIndexFile.Index, on connection: Connection) throws -> [[String]] {
        let (table, columns, condition) = try #require(OriginalIndexFile.parse(index.sql))
        let quoted = columns.map { "quote(\($0))" }.joined(separator: ", ")
        let order = columns.joined(separator: ", ")
        guard index.type == "array" else {
            return try rows("SELECT key, \(quoted) FROM \(table) NOT INDEXED\(condition) ORDER BY \(order), rowid", on: connection)
        }
        // From the innermost table up to the documents.
        var numbers = ["t0.i"]
        var joins = "\(table) AS t0 NOT INDEXED"
        let path = index.text("path") ?? ""
        let prefix = "kv_" + (index.collection == "_default._default" ? "default" : "." + index.collection)
        let levels = path.components(separatedBy: "[].")
        for level in 1..<max(levels.count, 1) {
            let name = StoreName.mangled(prefix) + ":unnest:" + levels.dropLast(level).joined(separator: "[].")
            joins += " JOIN \"\(IndexTables.hashedName(name))\" AS t\(level) ON t\(level).rowid = t\(level - 1).docid"
            numbers.insert("t\(level).i", at: 0)
        }
        joins += " JOIN \"\(StoreName.mangled(prefix))\" AS d ON d.rowid = t\(levels.count - 1).docid"
        let ofElement = { (sql: String) in sql.replacing("(body", with: "(t0.body") }
        return try rows(
            """
            SELECT d.key, \(numbers.joined(separator: ", ")), \(ofElement(quoted)) FROM \(joins)
            ORDER BY \(ofElement(order)), t0.rowid
            """,
            on: connection
        )
    }

    private func expectKeys(of index: OriginalIndexFile.Index, in database: QueryDatabase, isOrdered: Bool) throws {
        try database.file.read { context in
            let connection = context.connection
            _ = try connection.scalar("SELECT 1 FROM kv_info LIMIT 1")
            try context.refreshSharedKeys()
            let found = try keys(of: index, on: connection)
            let columns = OriginalIndexFile.parse(index.sql)?.columns.count ?? 0
            let wanted = try index.keys.map { row in
                Array(row.dropLast(columns)) + (try normalized(row.suffix(columns), on: connection))
            }
            if isOrdered {
                #expect(found == wanted)
            } else {
                #expect(
                    found.map { $0.joined(separator: " ") }.sorted()
                        == wanted.map { $0.joined(separator: " ") }.sorted()
                )
            }
        }
    }

    @Test(
        "value and array index keys match the keys that Couchbase Lite has stored",
        arguments: OriginalIndexFile.indexes.filter { $0.type != "fts" }
    )
    func keys(index: OriginalIndexFile.Index) throws {
        let (database, _) = try copy(isReadOnly: true)
        try expectKeys(of: index, in: database, isOrdered: true)
    }

    @Test("a check of the Couchbase Lite file finds no problems before or after its indexes are rebuilt")
    func isClean() throws {
        let (original, _) = try copy(isReadOnly: true)
        #expect(try BundleChecker(original.file).findings() == [])
        let (renewed, url) = try copy(isReadOnly: false)
        #expect(try BundleChecker(renewed.file).findings() == [])
        #expect(try DatabaseChecker.check(url).problems == [])
    }

    @Test("indexes created here have the SQL and keys of Couchbase Lite and are maintained on changes")
    func madeHere() throws {
        let (database, url) = try copy(isReadOnly: false)
        for index in OriginalIndexFile.indexes {
            try database.indexes.delete(index.name, on: try database.collection(index.collection))
        }
        for index in OriginalIndexFile.indexes {
            try database.indexes.create(index.definition, on: try database.collection(index.collection))
        }
        try database.file.read { context in
            for index in OriginalIndexFile.indexes {
                let name = index.objectName
                let found = try rows("SELECT sql FROM sqlite_master WHERE name = \(name.quotedLiteral)", on: context.connection)
                #expect(found == [[index.sql]], "\(index)")
                let registry = try rows(
                    "SELECT expression, whereClause FROM indexes WHERE name = \(index.name.quotedLiteral)",
                    on: context.connection
                )
                let wanted = ["expression", "whereClause"].map { key in
                    (index.entry.withRoot { $0["registry"]?[key]?.string } ?? nil) ?? ""
                }
                #expect(registry == [wanted], "\(index)")
            }
        }
        for index in OriginalIndexFile.indexes where index.type != "fts" {
            try expectKeys(of: index, in: database, isOrdered: false)
        }
        try database.save("item-01", #"{"v":[70000,{"zip":94040}],"tags":["red",null],"nums":[-5000,1.5],"note":null}"#)
        try database.save(
            "new",
            #"{"v":5000,"price":12.345,"name":"Ünï","rows":[{"parts":[1,null,{"id":3000}],"sku":"n"}]}"#
        )
        try database.delete("item-02")
        try database.purge("item-03")
        #expect(try BundleChecker(database.file).findings() == [])
        #expect(try DatabaseChecker.check(url).problems == [])
    }

    @Test("full-text indexes have the same terms as in Couchbase Lite", arguments: OriginalIndexFile.indexes.filter { $0.type == "fts" })
    func terms(index: OriginalIndexFile.Index) throws {
        let (database, _) = try copy(isReadOnly: true)
        let table = try #require(index.table)
        let documents = "kv_" + (index.collection == "_default._default" ? "default" : "." + index.collection)
        let analyzer = FullTextAnalyzer(statement: index.sql)
        var found: [ExactString: [String: Set<Int>]] = [:]
        try database.file.read { context in
            let statement = try context.connection.prepare(
                """
                SELECT d.key, t.* FROM \(table.quotedIdentifier) AS t
                JOIN \(StoreName.mangled(documents).quotedIdentifier) AS d ON d.rowid = t.docid
                """
            )
            defer { statement.finalize() }
            while try statement.step() {
                let id = statement.text(at: 0)
                for column in 1..<statement.columnCount {
                    analyzer.forEachTerm(of: statement.textBytes(at: column)) { term in
                        let word = ExactString(String(decoding: term, as: UTF8.self))
                        found[word, default: [:]][id, default: []].insert(column - 1)
                    }
                }
            }
        }
        #expect(found.mapValues { $0.mapValues { $0.sorted() } } == index.terms)
    }

    /// Queries whose rows the original takes from keys that differ from the values: of null in an array, and of a number above the range of
    /// `Int64` (Query 5.13).
    private static let deviations = [
        "d.tags AS t WHERE t IS NULL", "d.tags AS t WHERE t IS MISSING", "WHERE abs(big) > 9000000000000000000",
        "d.rows AS r WHERE r > 'x'",
    ]

    @Test(
        "queries return the same rows as in Couchbase Lite",
        arguments: OriginalIndexFile.queries.filter { query in !deviations.contains { "\(query)".contains($0) } }
    )
    func rows(query: OriginalIndexFile.Query) throws {
        let (database, _) = try copy(isReadOnly: true)
        try query.entry.withRoot { entry in
            let select =
                entry["language"]?.string == "json"
                ? try QueryJSON.parse(try JSON.string(try #require(entry["query"])))
                : try SQLPlusPlus.parse(entry["query"]?.string ?? "")
            let parameters = try entry["params"].map { try QueryParameters(json: try JSON.string($0)) }
            let prepared = try PreparedQuery(select, on: database.file, databaseName: "db")
            let found = try prepared.run(on: database.file, parameters: parameters ?? QueryParameters())
            #expect(found.columnTitles == entry["columns"]?.items.compactMap(\.string))
            let wanted = entry["rows"]?.items.map(\.items) ?? []
            func isRow(_ row: Int, _ cells: [Value]) -> Bool {
                cells.indices.allSatisfy { column in
                    let value = found.value(row: row, column: column)
                    let isMissing = cells[column]["@"]?.string == "MISSING"
                    return isMissing ? value == nil : value.map { $0.matches(cells[column]) } ?? false
                }
            }
            let text = try (0..<found.count).map { try found.json($0) }
            guard found.count == wanted.count else {
                Issue.record("\(found.count) rows in place of \(wanted.count): \(text)")
                return
            }
            if entry["ordered"]?.boolean == true {
                #expect(wanted.indices.allSatisfy { isRow($0, wanted[$0]) }, "\(text)")
            } else {
                var left = Array(wanted.indices)
                for row in wanted {
                    guard let match = left.firstIndex(where: { isRow($0, row) }) else {
                        Issue.record("a row is missing: \(text)")
                        return
                    }
                    left.remove(at: match)
                }
            }
        }
    }
}
