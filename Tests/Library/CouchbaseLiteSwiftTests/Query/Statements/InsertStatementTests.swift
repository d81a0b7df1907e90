import CouchbaseLiteSwift
import Foundation
import TestSupport
import Testing

@Suite("INSERT and UPSERT statements")
struct InsertStatementTests {
    let folder: DatabaseFolder
    let database: Database
    let collection: Collection

    init() throws {
        folder = try DatabaseFolder()
        database = try folder.open()
        collection = try database.defaultCollection()
    }

    @discardableResult
    private func execute(_ text: String, _ parameters: [String: Any] = [:]) throws -> StatementResult {
        try database.execute(QueryText(verbatim: text), parameters: Parameters(parameters))
    }

    private func code(_ body: () throws -> Void) -> Int? {
        do {
            try body()
            return nil
        } catch let error as NSError {
            #expect(error.domain == CBLError.domain)
            return error.code
        }
    }

    @Test("INSERT creates documents")
    func insert() throws {
        let result = try execute(
            """
            INSERT INTO _ (KEY, VALUE)
            VALUES ('a', {'n': 1, 'list': [true, null]}), VALUES ('b' || $suffix, $body)
            RETURNING meta().id, n
            """,
            ["suffix": "c", "body": ["n": 2, "yes": true]]
        )
        #expect(result.changedCount == 2)
        #expect(result.rows.allResults().map { $0.toJSON() } == [#"{"id":"a","n":1}"#, #"{"id":"bc","n":2}"#])
        #expect(try collection.document(id: "a")?.toJSON() == #"{"n":1,"list":[true,null]}"#)
        #expect(try collection.document(id: "bc")?.value(forKey: "yes") as? Bool == true)
        #expect(try collection.document(id: "a")?.revisionID?.hasPrefix("1-") == true)
    }

    @Test("without KEY the documents get random IDs")
    func generated() throws {
        let rows = try execute("INSERT INTO _ (VALUE) VALUES ({'n': 1}), ({'n': 1}) RETURNING meta().id").rows.allResults()
        let ids = rows.compactMap { $0.string(at: 0) }
        #expect(Set(ids).count == 2)
        #expect(ids.allSatisfy { $0.count > 20 })
    }

    @Test("INSERT does not replace a document, and UPSERT does")
    func existing() throws {
        try execute("INSERT INTO _ (KEY, VALUE) VALUES ('a', {'n': 1})")
        #expect(code { try execute("INSERT INTO _ (KEY, VALUE) VALUES ('z', {}), ('a', {'n': 2})") } == CBLError.invalidParameter)
        #expect(collection.count == 1)
        #expect(try execute("UPSERT INTO _ (KEY, VALUE) VALUES ('a', {'m': 2}), ('b', {})").changedCount == 2)
        #expect(try collection.document(id: "a")?.toJSON() == #"{"m":2}"#)
        #expect(try collection.document(id: "a")?.revisionID?.hasPrefix("2-") == true)
    }

    @Test("INSERT creates a deleted document again")
    func deleted() throws {
        try execute("INSERT INTO _ (KEY, VALUE) VALUES ('a', {'n': 1})")
        try execute("DELETE FROM _")
        try execute("INSERT INTO _ (KEY, VALUE) VALUES ('a', {'n': 2})")
        #expect(try collection.document(id: "a")?.int(forKey: "n") == 2)
        #expect(try collection.document(id: "a")?.revisionID?.hasPrefix("3-") == true)
    }

    @Test("INSERT … SELECT creates documents from the rows of a query")
    func select() throws {
        let copies = try database.createCollection(name: "copies", scope: "other")
        for index in 0..<5 { try collection.save(document: MutableDocument(id: "d\(index)", data: ["n": index, "on": true])) }
        let result = try execute(
            "INSERT INTO other.copies (KEY k, VALUE v) SELECT 'copy-' || meta(d).id AS k, d AS v FROM _ AS d WHERE d.n > $n",
            ["n": 2]
        )
        #expect(result.changedCount == 2)
        #expect(try copies.document(id: "copy-d4")?.toJSON() == #"{"n":4,"on":true}"#)
        try execute("UPSERT INTO _ (KEY k, VALUE v) SELECT meta(d).id AS k, {'n': d.n + 1} AS v FROM _ AS d")
        #expect(try collection.document(id: "d4")?.toJSON() == #"{"n":5}"#)
        #expect(try execute("INSERT INTO other.copies (VALUE v) SELECT {} AS v FROM _").changedCount == 5)
        #expect(copies.count == 7)
    }

    @Test(
        "an invalid statement creates nothing",
        arguments: [
            "INSERT", "INSERT INTO", "INSERT INTO _", "INSERT INTO _ (KEY, VALUE)", "INSERT INTO _ (KEY, VALUE) VALUES",
            "INSERT INTO _ (KEY) VALUES ('a')", "INSERT INTO _ (KEY, VALUE) VALUES ('a')",
            "INSERT INTO _ (KEY, VALUE) VALUES ('a', {}, {})",
            "INSERT INTO _ (KEY, VALUE) VALUES ('a', 5)", "INSERT INTO _ (KEY, VALUE) VALUES ('a', [1])",
            "INSERT INTO _ (KEY, VALUE) VALUES (5, {})", "INSERT INTO _ (KEY, VALUE) VALUES (missing, {})",
            "INSERT INTO _ (KEY, VALUE) VALUES ('ok', {}), (null, {})", "INSERT INTO _ (KEY, VALUE) VALUES ('a', {'n': property})",
            "INSERT INTO _ (KEY, VALUE) VALUES ('a', {'n': meta().id})", "INSERT INTO nowhere (KEY, VALUE) VALUES ('a', {})",
            "INSERT INTO _ (KEY, VALUE) VALUES ('a', {}) WHERE 1", "INSERT INTO _ (KEY, VALUE) SELECT meta().id FROM _",
            "INSERT INTO _ (KEY k, VALUE v) SELECT n AS k FROM _", "INSERT INTO _ (KEY k, VALUE v) VALUES ('a', {})",
            "INSERT INTO _ (KEY, VALUE) VALUES ('a', count(*))", "UPSERT INTO _ (KEY, VALUE) VALUES ('a', {}) LIMIT 1",
        ]
    )
    func invalid(_ text: String) throws {
        try collection.save(document: MutableDocument(id: "n", data: ["n": 1]))
        #expect(code { try execute(text) } == CBLError.invalidQuery, "\(text)")
        #expect(collection.count == 1)
    }

    @Test("an invalid document ID and a reserved property are reported as such")
    func refused() throws {
        #expect(code { try execute("INSERT INTO _ (KEY, VALUE) VALUES ('', {})") } == CBLError.badDocID)
        #expect(code { try execute("INSERT INTO _ (KEY, VALUE) VALUES ('_x', {})") } == CBLError.badDocID)
        #expect(code { try execute("INSERT INTO _ (KEY, VALUE) VALUES ('a', {'_id': 'x'})") } == CBLError.invalidParameter)
        #expect(collection.count == 0)
    }

    @Test("nested expressions that are too deep are an error")
    func depth() throws {
        let deep = String(repeating: "[", count: 200) + String(repeating: "]", count: 200)
        #expect(code { try execute("INSERT INTO _ (KEY, VALUE) VALUES ('a', {'n': \(deep)})") } == CBLError.invalidQuery)
        #expect(code { try execute("UPDATE _ SET n = \(deep)") } == CBLError.invalidQuery)
    }
}
