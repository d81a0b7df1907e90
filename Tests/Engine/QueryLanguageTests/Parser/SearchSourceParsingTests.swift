import QueryLanguage
import Testing

@Suite("Grammar of searches in FROM")
struct SearchSourceParsingTests {
    private static let words = #""text": $w, "in": "texts""#

    private func source(_ arguments: String) throws -> SearchSource {
        let select = try SQLPlusPlus.parse("SELECT id FROM search({\(arguments)})")
        guard case .search(let search)? = select.sources.first?.origin else { throw QueryError.invalidQuery("no search") }
        return search
    }

    @Test("a search has arguments, an alias, and a place among other sources")
    func grammar() throws {
        let search = try source(#""of": "shop.notes", \#(Self.words), "vector": $v, "by": "a.b""#)
        #expect(search.collection == CollectionPath(scope: "shop", name: "notes"))
        #expect(search.textIndex == "texts" && search.vectorExpression == .property([.key("a"), .key("b")]))
        let select = try SQLPlusPlus.parse("SELECT s.id FROM a JOIN Search ({\(Self.words)}) s ON s.id = a.x UNNEST s.document.t AS u")
        #expect(select.sources.count == 3 && select.sources[1].alias == "s" && select.sources[1].join == .inner)
        #expect(try SQLPlusPlus.parse("SELECT id FROM search({\(Self.words)})").sources[0].alias == nil)
    }

    @Test("a query with a search is the same as JSON and back")
    func json() throws {
        let text = #"SELECT s.id FROM search({\#(Self.words), "where": n > 1, "limit": 5, "k": 1.5}) AS s WHERE s.score > 0"#
        let select = try SQLPlusPlus.parse(text)
        let json = QueryJSON.text(of: select)
        #expect(
            json.contains(#""FROM":[{"SEARCH":{"in":"texts","k":1.5,"limit":5,"text":["$w"],"where":[">",[".n"],1]},"AS":"s"}]"#),
            "\(json)"
        )
        #expect(QueryJSON.text(of: try QueryJSON.parse(json)) == json)
        let near = QueryJSON.text(of: try SQLPlusPlus.parse(#"SELECT id FROM search({"vector": $v, "by": "a.b"})"#))
        #expect(near.contains(#"{"by":[".a.b"],"vector":["$v"]}"#))
        #expect(QueryJSON.text(of: try QueryJSON.parse(near)) == near)
        #expect(throws: QueryError.self) { try QueryJSON.parse(#"{"FROM":[{"SEARCH":{"vector":["$v"],"by":"a"}}]}"#) }
        #expect(throws: QueryError.self) { try QueryJSON.parse(#"{"WHAT":["id"],"FROM":[{"SEARCH":["texts"]}]}"#) }
        #expect(throws: QueryError.self) { try QueryJSON.parse(#"{"WHAT":["id"],"FROM":[{"SEARCH":{"tex":1}}]}"#) }
    }

    @Test(
        "arguments that are unknown, missing, or cannot have their value are errors that name them",
        arguments: [
            (#""txt": "a""#, "search() has no argument 'txt'"), ("", "search() needs the argument 'text' with 'in', or 'vector' with 'by'"),
            (#""text": "a""#, "search() needs the argument 'in', the full-text index"),
            (#""in": "texts""#, "search() needs the argument 'text'"),
            (#""vector": $v"#, "search() needs the argument 'by'"), (#""by": "v""#, "search() needs the argument 'vector'"),
            (#""text": "a", "in": $i"#, "the argument 'in' of search() must be a text"), (#""text": "a", "in": """#, "the argument 'in'"),
            (#""vector": $v, "by": v"#, "the argument 'by' of search() must be a text"),
            (#""vector": $v, "by": ")(""#, "the argument 'by' of search() is no expression"),
            (words + #", "of": notes"#, "the argument 'of' of search() must be a text"), (words + #", "of": "a.b.c""#, "the argument 'of'"),
            (words + #", "of": "a.""#, "the argument 'of'"),
            (words + #", "limit": "5""#, "the argument 'limit' of search() must be an integer"),
            (words + #", "limit": -1"#, "the argument 'limit'"), (words + #", "limit": 10001"#, "the argument 'limit'"),
            (words + #", "candidates": 1.5"#, "the argument 'candidates'"), (words + #", "k": "x""#, "the argument 'k'"),
            (words + #", "textWeight": -1"#, "the argument 'textWeight'"), (words + #", "fusion": "sum""#, "the argument 'fusion'"),
            (words + #", "fusion": "weighted", "k": 1"#, "the argument 'k' of search() belongs to the fusion 'rrf'"),
            (words + #", "limit": n"#, "the argument 'limit' of search() must not depend on documents"),
            (#""text": title, "in": "texts""#, "the argument 'text' of search() must not depend on documents"),
            (#""vector": (v), "by": "v""#, "the argument 'vector' of search() must not depend on documents"),
        ]
    )
    func wrongArguments(arguments: String, message: String) throws {
        let error = #expect(throws: QueryError.self) { try source(arguments) }
        #expect(error?.message.hasPrefix(message) ?? false, "\(error?.message ?? "")")
    }

    @Test("a misspelt argument is answered with the one that is probably meant, and the place in the query")
    func hint() throws {
        let error = #expect(throws: QueryError.self) { try source(#""text": "a", "in": "i", "limt": 5"#) }
        #expect(error?.hint.contains("did you mean 'limit'?") ?? false)
        #expect(error?.excerpt.contains("^") ?? false, "\(error?.excerpt ?? "")")
    }

    @Test("an error after a search has its own place in the query")
    func place() {
        let query = "SELECT id FROM search({\(Self.words)}) AS 5"
        let error = #expect(throws: QueryError.self) { try SQLPlusPlus.parse(query) }
        #expect(error?.offset == query.utf8.count - 1)
        #expect(error?.hint.contains("found \"5\"") ?? false, "\(error?.hint ?? "")")
    }

    @Test("a variable that a source hides is a property of the source, which a limit cannot be")
    func hiddenVariable() throws {
        func query(_ alias: String) -> String {
            let search = #"search({\#(Self.words), "limit": s.n}) AS q"#
            return
                "SELECT n FROM a WHERE ANY s IN t SATISFIES EXISTS (SELECT 1 FROM b AS \(alias) WHERE EXISTS (SELECT id FROM \(search))) END"
        }
        _ = try SQLPlusPlus.parse(query("other"))
        let error = #expect(throws: QueryError.self) { try SQLPlusPlus.parse(query("s")) }
        #expect(error?.message == "the argument 'limit' of search() must not depend on documents")
    }

    @Test("anything but one object is a syntax error", arguments: ["search()", "search($a)", "search({}, {})", "search({}.a)", "search({"])
    func notOneObject(source: String) {
        #expect(throws: QueryError.self) { try SQLPlusPlus.parse("SELECT id FROM \(source)") }
    }
}
