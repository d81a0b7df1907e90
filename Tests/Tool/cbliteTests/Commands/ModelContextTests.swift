import Foundation
import TestSupport
import TestTraits
import Testing

@Suite("cblite mcp", .ownThreads)
struct ModelContextTests {
    private let tool: Tool
    private static let packages = PythonPackages(["mcp==2.3.0"])
    /// A query that would take hours.
    private static let endless =
        "SELECT count(*) FROM _ a JOIN _ b ON a.n != b.n JOIN _ c ON a.n != c.n JOIN _ d ON a.n != d.n WHERE a.n + d.n < 0"

    init() throws {
        tool = try Tool()
        try tool.makeDatabase(#"{"_id":"a","n":1,"text":"Hello world"}"#, #"{"_id":"b","n":2}"#, #"{"_id":"c","n":3}"#)
    }

    // MARK: Protocol

    @Test("the version that the client asks for is used, and the newest one if it is unknown")
    func versions() throws {
        let results = try respond(
            request(1, "initialize", #"{"protocolVersion":"2025-03-26"}"#),
            #"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            request(2, "initialize", #"{"protocolVersion":"1999-01-01"}"#)
        )
        #expect(results.map { $0["protocolVersion"] as? String } == ["2025-03-26", "2025-11-25"])
        #expect((results[0]["serverInfo"] as? [String: Any])?["name"] as? String == "cblite")
    }

    @Test("lines that are no messages, and unknown methods, are answered with the codes of JSON-RPC")
    func invalidMessages() throws {
        let lines = [
            "nonsense", #"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, #"{"jsonrpc":"2.0","id":[],"method":"ping"}"#, "[]",
            request(2, "tools/remove", "{}"), request(3, "tools/call", #"{"name":"drop"}"#), request(4, "tools/call", #"{"name":7}"#),
            request(5, "resources/read", #"{"uri":"file:///etc/passwd"}"#),
            request(6, "resources/read", #"{"uri":"cblite:///db/_default/zz"}"#),
            #"{"jsonrpc":"2.0","id":7,"result":{}}"#, #"{"jsonrpc":"2.0","method":"tools/remove"}"#, "", request(8, "ping", "{}"),
        ]
        let responses = try messages(lines)
        #expect(
            responses.compactMap { ($0["error"] as? [String: Any])?["code"] as? Int }.sorted() == [
                -32700, -32602, -32602, -32602, -32601, -32600, -32600, -32600, -32002,
            ]
        )
        #expect(responses.contains { $0["id"] as? Int == 8 && $0["result"] != nil })
    }

    @Test("a message that is too long is refused, and the next one is answered")
    func longMessage() throws {
        let responses = try messages([String(repeating: "x", count: 9 << 20), request(1, "ping", "{}")])
        #expect(responses.compactMap { ($0["error"] as? [String: Any])?["code"] as? Int } == [-32600])
        #expect(responses.contains { $0["id"] as? Int == 1 })
    }

    @Test("a query is cancelled by its client, and a ping is answered while it runs")
    func cancellation() throws {
        try makeManyDocuments()
        let session = try Session(tool, ["--timeout", "3600", "db"])
        defer { session.process.kill() }
        try session.send(call(1, "query", ["statement": Self.endless]), request(2, "ping", "{}"))
        #expect(try object(session.process.waitForOutput(lines: 1)[0])["id"] as? Int == 2)
        try session.send(
            call(3, "query", ["statement": Self.endless]),
            call(4, "document", ["id": "a"]),
            cancelled(3),
            cancelled(1)
        )
        // There is no response to requests that were cancelled, whether they ran or waited.
        #expect(try object(session.process.waitForOutput(lines: 2)[1])["id"] as? Int == 4)
        session.close()
        #expect(session.process.waitUntilExit().exitCode == 0)
    }

    @Test("a client that ends without reading ends the query that runs")
    func vanishedClient() throws {
        try makeManyDocuments()
        try tool.write("requests", call(1, "query", ["statement": Self.endless]) + "\n")
        // `head` ends as soon as the ping is answered, while the query runs.
        let result = try tool.shell(
            #"(cat requests; echo '{"jsonrpc":"2.0","id":2,"method":"ping"}') | cblite mcp --timeout 3600 db | head -n 1"#
        )
        #expect(try object(result.outputLines[0])["id"] as? Int == 2)
    }

    @Test("statements are compared by bytes with those of their previews")
    func bytesOfStatements() throws {
        let session = try Session(tool, ["--writable", "db"])
        defer { session.process.kill() }
        let composed = "UPDATE _ SET n = 7 WHERE text = '\u{E9}' OR n = 1"
        let code = try #require(try session.result(call(1, "change", ["statement": composed]))["confirm"] as? String)
        let decomposed = composed.replacing("\u{E9}", with: "e\u{301}")
        #expect(try session.text(call(2, "change", ["statement": decomposed, "confirm": code])).contains("another change"))
        #expect(try numbers() == [1, 2, 3])
    }

    @Test("a query ends at the time limit, with a hint")
    func timeLimit() throws {
        try makeManyDocuments()
        let error = try failure(call(1, "query", ["statement": Self.endless]), "--timeout", "0.1")
        #expect(error.contains("ended after 0.1 seconds") && error.contains("explain"))
    }

    @Test("requests are refused while too many others wait")
    func queueLimit() throws {
        try makeManyDocuments()
        let session = try Session(tool, ["--timeout", "3600", "db"])
        defer { session.process.kill() }
        try session.send(call(0, "query", ["statement": Self.endless]))
        try session.send((1...70).map { call($0, "document", ["id": "a"]) })
        // The one that runs may still be among those that wait.
        let refused = try session.process.waitForOutput(lines: 5).map { try object($0) }
        #expect(refused.allSatisfy { ($0["error"] as? [String: Any])?["code"] as? Int == -32000 })
        try session.send(cancelled(0))
        session.close()
        let all = session.process.waitUntilExit().outputLines
        #expect(try all.map { try object($0)["id"] as? Int ?? -1 }.sorted() == Array(1...70))
    }

    // MARK: Reading

    @Test("collections, schema, document, query and explain describe a database that they do not change")
    func reading() throws {
        try tool.lines("index", "create", "db", "byN", "n")
        let before = try tool.contents(of: "db.cblite2")
        let databases = try json(call(1, "collections", [:]))["databases"] as? [[String: Any]]
        #expect(databases?.first?["name"] as? String == "db")
        let schema = try json(call(1, "schema", ["collection": "_default"]))
        #expect((schema["properties"] as? [[String: Any]])?.map { $0["path"] as? String } == ["n", "text"])
        #expect((schema["indexes"] as? [[String: Any]])?.first?["name"] as? String == "byN")
        #expect(try json(call(1, "document", ["id": "b"]))["n"] as? Int == 2)
        let query = call(1, "query", ["statement": "SELECT n FROM _ WHERE n > $least", "parameters": ["least": 1]])
        #expect((try json(query)["rows"] as? [[String: Int]]) == [["n": 2], ["n": 3]])
        let plan = try json(call(1, "explain", ["statement": "SELECT n FROM _ WHERE n > 1"]))
        #expect((plan["steps"] as? [[String: Any]])?.first?["index"] as? String == "byN")
        #expect(try tool.contents(of: "db.cblite2") == before)
    }

    @Test("a long example of a property is cut")
    func longExample() throws {
        try tool.lines("import", "db", "-", input: #"{"_id":"long","long":"\#(String(repeating: "\\\"x", count: 300))"}"#)
        let properties = try json(call(1, "schema", [:]))["properties"] as? [[String: Any]]
        let example = properties?.first { $0["path"] as? String == "long" }?["example"] as? String
        #expect(example?.isEmpty == false && (example?.count ?? 0) < 300)
    }

    @Test("the rows of a query are limited in number and size")
    func rowLimits() throws {
        let limited = try json(call(1, "query", ["statement": "SELECT n FROM _ ORDER BY n"]), "--max-rows", "2")
        #expect((limited["rows"] as? [[String: Int]]) == [["n": 1], ["n": 2]] && limited["truncated"] as? Bool == true)
        let whole = try json(call(1, "query", ["statement": "SELECT n FROM _", "limit": 3]), "--max-rows", "3")
        #expect((whole["rows"] as? [Any])?.count == 3 && whole["truncated"] == nil)
        for id in ["big", "big2"] { try tool.lines("import", "db", "-", input: document(id, letters: 200_000)) }
        let large = try json(call(1, "query", ["statement": "SELECT text FROM _ WHERE META().id LIKE 'big%'"]))
        #expect((large["rows"] as? [Any])?.count == 1 && large["truncated"] as? Bool == true)
        try tool.lines("import", "db", "-", input: document("big", letters: 300_000))
        #expect(try failure(call(1, "document", ["id": "big"])).contains("more than the limit"))
    }

    @Test("search finds documents in the only full-text index, and says what exists otherwise")
    func search() throws {
        #expect(try failure(call(1, "search", ["words": "hello"])).contains("has no full-text index"))
        try tool.lines("index", "create", "db", "texts", "text", "--full-text")
        let found = try json(call(1, "search", ["words": "hello"]))["rows"] as? [[String: Any]]
        #expect(found?.map { $0["id"] as? String } == ["a"])
        #expect((found?.first?["snippet"] as? String)?.contains("**Hello**") == true, "\(found ?? [])")
        #expect(try failure(call(1, "search", ["words": "hello", "index": "text"])).contains("Did you mean 'texts'?"))
        try tool.lines("index", "create", "db", "other`s", "text", "--full-text")
        #expect(try failure(call(1, "search", ["words": "hello"])).contains("other`s, texts"))
        #expect((try json(call(1, "search", ["words": "world", "index": "other`s"]))["rows"] as? [Any])?.count == 1)
    }

    @Test("wrong arguments are errors that name the argument and the values that exist")
    func wrongArguments() throws {
        #expect(try failure(call(1, "query", ["statment": "SELECT 1"])).contains("Did you mean 'statement'?"))
        #expect(try failure(call(1, "query", [:])).contains("the argument statement is missing"))
        #expect(try failure(call(1, "query", ["statement": 5])).contains("must be a string"))
        #expect(try failure(call(1, "query", ["statement": "SELECT 1", "limit": 0])).contains("from 1 to 100"))
        #expect(
            try failure(call(1, "query", ["statement": "SELECT n FROM _ WHERE n = $x", "parameters": []])).contains("must be an object")
        )
        #expect(try failure(call(1, "query", ["statement": "DELETE FROM _"])).contains("--writable"))
        #expect(try failure(call(1, "schema", ["collection": "nothing"])).contains("Collections of the database"))
        #expect(try failure(call(1, "schema", ["database": "../db"])).contains("there is no database"))
        #expect(try failure(call(1, "document", ["id": "zz"])).contains("there is no document"))
    }

    @Test("the databases of a directory are served by their names")
    func directory() throws {
        #expect(try tool.shell("mkdir all && cblite cp db.cblite2 all/one.cblite2 && cblite cp db.cblite2 all/two.cblite2").exitCode == 0)
        let responses = try messages(
            [call(1, "collections", [:]), call(2, "document", ["id": "a"]), call(3, "document", ["id": "a", "database": "two"])],
            "all"
        )
        #expect(try text(responses[0]).contains(#""name":"one""#) && text(responses[1]).contains("The databases are: one, two"))
        #expect(try text(responses[2]).contains("Hello"))
    }

    @Test("collections and documents are resources, whatever their IDs")
    func resources() throws {
        try tool.lines("put", "db", "a/b ü%", #"{"n":5}"#)
        let list = try respond(request(1, "resources/list", "{}"))[0]["resources"] as? [[String: Any]]
        let uri = try #require(list?.first?["uri"] as? String)
        #expect(uri == "cblite:///db/_default._default")
        let contents = try respond(
            request(1, "resources/read", #"{"uri":"\#(uri)"}"#),
            request(2, "resources/read", #"{"uri":"\#(uri)/a%2Fb%20%C3%BC%25"}"#)
        ).map { ($0["contents"] as? [[String: Any]])?.first?["text"] as? String ?? "" }
        #expect((try object(contents[0])["ids"] as? [String]) == ["a", "a/b ü%", "b", "c"])
        #expect(try object(contents[1])["n"] as? Int == 5)
    }

    // MARK: Writing

    @Test("there is no tool that changes documents without --writable")
    func readOnly() throws {
        let tools = try respond(request(1, "tools/list", "{}"))[0]["tools"] as? [[String: Any]]
        #expect(tools?.map { $0["name"] as? String } == ["collections", "schema", "query", "explain", "search", "document"])
        #expect(try messages([call(1, "change", ["statement": "DELETE FROM _"])])[0]["error"] != nil)
    }

    @Test("documents are changed only with the code of a preview of the same change, once, and if nothing has changed since")
    func previews() throws {
        let session = try Session(tool, ["--writable", "db"])
        defer { session.process.kill() }
        let update = "UPDATE _ SET n = n + 10 WHERE n > 1"
        let preview = try session.result(call(1, "change", ["statement": update]))
        #expect(preview["wouldChange"] as? Int == 2)
        let example = (preview["examples"] as? [[String: Any]])?.first
        #expect((example?["before"] as? [String: Any])?["n"] as? Int == 2 && (example?["after"] as? [String: Any])?["n"] as? Int == 12)
        #expect(try numbers() == [1, 2, 3])
        let code = try #require(preview["confirm"] as? String)
        #expect(try session.text(call(2, "change", ["statement": update + " AND n < 3", "confirm": code])).contains("another change"))
        try tool.lines("put", "db", "d", #"{"n":4}"#)
        #expect(try session.text(call(3, "change", ["statement": update, "confirm": code])).contains("changed since the preview"))
        #expect(try numbers() == [1, 2, 3, 4])
        let second = try #require(try session.result(call(4, "change", ["statement": update]))["confirm"] as? String)
        #expect(try session.result(call(5, "change", ["statement": update, "confirm": second]))["changed"] as? Int == 3)
        #expect(try session.text(call(6, "change", ["statement": update, "confirm": second])).contains("no preview"))
        #expect(try numbers() == [1, 12, 13, 14])
        #expect(try session.text(call(7, "change", ["statement": "SELECT 1"])).contains("must be UPDATE"))
    }

    @Test("a document is saved after its preview, under any ID")
    func saves() throws {
        let session = try Session(tool, ["--writable", "db"])
        defer { session.process.kill() }
        let arguments: [String: Any] = ["id": "it's `new`", "document": ["n": 9, "deep": ["x": [1, NSNull()]]]]
        let preview = try session.result(call(1, "save", arguments))
        #expect((preview["examples"] as? [[String: Any]])?.first?["before"] is NSNull)
        #expect(try numbers() == [1, 2, 3])
        let confirmed = arguments.merging(["confirm": try #require(preview["confirm"])]) { $1 }
        #expect(try session.result(call(2, "save", confirmed))["changed"] as? Int == 1)
        #expect(try object(tool.lines("cat", "db", "it's `new`")[0])["n"] as? Int == 9)
        #expect(try session.text(call(3, "save", ["id": "x", "document": 5])).contains("must be an object"))
    }

    @Test("the official client uses all tools", .enabled(if: packages.obstacle == nil, "the client of PyPI is not installed"))
    func officialClient() async throws {
        try tool.lines("index", "create", "db", "texts", "text", "--full-text")
        let result = try await Self.packages.run("mcp_client.py", [tool.path, "db"], directory: tool.directory.url)
        #expect(result.exitCode == 0, "\(result.output) \(result.errorOutput.suffix(1000))")
    }

    // MARK: Helpers

    /// A process whose input stays open.
    private struct Session {
        let process: RunningProcess
        private let input: FileHandle

        init(_ tool: Tool, _ arguments: [String]) throws {
            let path = tool.directory.path("input")
            #expect(mkfifo(path, 0o600) == 0)
            let shell = ProcessRunner(executable: URL(fileURLWithPath: "/bin/sh"))
            process = try shell.start(["-c", #"exec "$0" mcp "$@" < input"#, tool.path] + arguments, directory: tool.directory.url)
            input = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        }

        func send(_ lines: String...) throws { try send(lines) }

        func send(_ lines: [String]) throws { try input.write(contentsOf: Data(lines.map { $0 + "\n" }.joined().utf8)) }

        func close() { try? input.close() }

        /// Sends a request whose ID is the number of responses until then, and returns the text of its response.
        func text(_ request: String) throws -> String {
            try send(request)
            let id = try #require(try object(request)["id"] as? Int)
            return try ModelContextTests.text(object(process.waitForOutput(lines: id)[id - 1]))
        }

        func result(_ request: String) throws -> NSDictionary { try object(text(request)) }
    }

    private func request(_ id: Int, _ method: String, _ parameters: String) -> String {
        #"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":\#(parameters)}"#
    }

    private func call(_ id: Int, _ tool: String, _ arguments: [String: Any]) -> String {
        let parameters: [String: Any] = ["name": tool, "arguments": arguments]
        let data = (try? JSONSerialization.data(withJSONObject: parameters)) ?? Data()
        return request(id, "tools/call", String(decoding: data, as: UTF8.self))
    }

    private func cancelled(_ id: Int) -> String {
        #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":\#(id)}}"#
    }

    /// Sends all lines at once, and returns the responses in the order in which they come.
    private func messages(_ lines: [String], _ arguments: String...) throws -> [NSDictionary] {
        let path = arguments.last.map { $0.hasPrefix("-") || Double($0) != nil ? "db" : $0 } ?? "db"
        let options = arguments.filter { $0 != path }
        let result = try tool.run(["mcp"] + options + [path], input: lines.joined(separator: "\n"))
        #expect(result.exitCode == 0 && result.errorOutput == "", "\(result.errorOutput)")
        return try result.outputLines.map { try object($0) }
    }

    private func respond(_ lines: String...) throws -> [[String: Any]] {
        try messages(lines).map { try #require($0["result"] as? [String: Any], "\($0)") }
    }

    private static func text(_ response: NSDictionary) throws -> String {
        let result = try #require(response["result"] as? [String: Any], "\(response)")
        return try #require((result["content"] as? [[String: Any]])?.first?["text"] as? String)
    }

    private func text(_ response: NSDictionary) throws -> String { try Self.text(response) }

    private func json(_ call: String, _ options: String...) throws -> NSDictionary {
        let response = try tool.run(["mcp"] + options + ["db"], input: call)
        return try object(text(object(try #require(response.outputLines.first, "\(response.errorOutput)"))))
    }

    /// Expects an error of the tool, and returns its text.
    private func failure(_ call: String, _ options: String...) throws -> String {
        let response = try object(try #require(try tool.run(["mcp"] + options + ["db"], input: call).outputLines.first))
        #expect((response["result"] as? [String: Any])?["isError"] as? Bool == true, "\(response)")
        return try text(response)
    }

    private func makeManyDocuments() throws {
        try tool.lines("import", "db", "-", input: (10...400).map { #"{"_id":"m\#($0)","n":\#($0)}"# }.joined(separator: "\n"))
    }

    private func document(_ id: String, letters: Int) -> String { #"{"_id":"\#(id)","text":"\#(String(repeating: "x", count: letters))"}"# }

    /// The numbers of all documents, in the order of their IDs.
    private func numbers() throws -> [Int] {
        try tool.lines("query", "--json", "db", "SELECT n FROM _ ORDER BY META().id").map { try #require(try object($0)["n"] as? Int) }
    }
}
