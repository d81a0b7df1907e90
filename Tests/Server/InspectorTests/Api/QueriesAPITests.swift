import CouchbaseLiteSwift
import Fleece
import Foundation
import QueryEngine
import TestSupport
import TestTraits
import Testing

@testable import Inspector

@Suite("Queries in the inspector's API", .ownThreads)
struct QueriesAPITests {
    private let sample: SampleDatabase
    private let api: Calls

    /// A query with 124⁴ combinations, which takes hours.
    private static let endless =
        "SELECT count(*) FROM _ AS a JOIN _ AS b ON a.x IS MISSING JOIN _ AS c ON b.x IS MISSING JOIN _ AS d ON c.x IS MISSING"

    init() throws {
        sample = try SampleDatabase()
        api = Calls(try sample.open())
    }

    private func query(_ text: String, _ members: String = "") -> (status: Int, answer: [String: Any]) {
        let text = String(decoding: JSONWriter.text(of: text), as: UTF8.self)
        return api.call("POST", "query", body: #"{"text":\#(text)\#(members)}"#)
    }

    @Test("a query returns its columns and rows, and tells which values are missing")
    func rows() throws {
        let (status, answer) = query(
            "SELECT meta().id, age, nothing FROM _ WHERE team = $team AND age < $age ORDER BY age",
            #", "parameters": {"team": "red", "age": 30}"#
        )
        #expect(status == 200, "\(answer)")
        #expect(answer["columns"] as? [String] == ["id", "age", "nothing"])
        let rows = try #require(answer["rows"] as? [[Any]])
        #expect(rows.count == 8)
        #expect((answer["missing"] as? [Int])?.first == 2)
        #expect(answer["truncated"] as? Bool == false)
    }

    @Test(
        "a result tells which columns have documents that are written as *",
        arguments: [
            ("SELECT * FROM _", [0]), ("SELECT meta().id, * FROM _", [1]), ("SELECT e.*, e.name FROM _ AS e", [0]),
            ("SELECT e FROM _ AS e", []),
            ("SELECT * AS all FROM _", []), ("SELECT a.*, b.* FROM _ AS a JOIN _ AS b ON meta(a).id = meta(b).id", [0, 1]),
            ("SELECT name FROM _", []),
        ]
    )
    func documents(text: String, columns: [Int]) throws {
        let (status, answer) = query(text)
        #expect(status == 200, "\(answer)")
        #expect(answer["documents"] as? [Int] == columns)
    }

    @Test("a result ends after as many rows as are wanted, and tells that there are more")
    func limit() throws {
        let (_, answer) = query("SELECT name FROM _", #", "limit": 5"#)
        #expect((answer["rows"] as? [Any])?.count == 5)
        #expect(answer["truncated"] as? Bool == true)
    }

    @Test(
        "a member of a wrong type, or a number outside of its range, is an error that names the member",
        arguments: [
            ("limit", "1e300"), ("limit", "-1e300"), ("limit", "0"), ("limit", #""5""#), ("limit", "true"), ("seconds", "0"),
            ("seconds", "601"), ("seconds", "[]"), ("parameters", "[1]"), ("parameters", #""x""#), ("name", "1"),
        ]
    )
    func wrongMembers(name: String, value: String) throws {
        let (status, answer) = query("SELECT name FROM _", #", "\#(name)": \#(value)"#)
        #expect(status == 400)
        #expect((answer["error"] as? String)?.hasPrefix("the member \"\(name)\" is not ") == true, "\(answer)")
    }

    @Test("a member that is null counts as missing")
    func nullMembers() {
        #expect(query("SELECT name FROM _", #", "limit": null, "seconds": null, "parameters": null, "name": null"#).status == 200)
    }

    @Test("a query that takes longer than its limit is ended")
    func timeLimit() {
        let (status, answer) = query(Self.endless, #", "seconds": 0.05"#)
        #expect(status == 408, "\(answer)")
        // The connections are free again.
        #expect(query("SELECT count(*) FROM _").status == 200)
    }

    @Test("running queries can be cancelled by name, and their number is limited")
    func cancelling() async throws {
        let api = api
        let statuses = await withTaskGroup(of: Int.self, returning: [Int].self) { group in
            for number in 0..<3 {
                group.addTask {
                    await withCheckedContinuation { continuation in
                        Thread.detachNewThread {
                            let body = #"{"name":"query \#(number)","text":"\#(Self.endless)"}"#
                            // The query below may take its place for a moment.
                            var status = 429
                            while status == 429 { status = api.call("POST", "query", body: body).status }
                            continuation.resume(returning: status)
                        }
                    }
                }
            }
            // Until all of them run, another one is possible.
            while api.call("POST", "query", body: #"{"name":"other","text":"SELECT 1 FROM _ LIMIT 1"}"#).status != 429 {
                await Task.yield()
            }
            for number in 0..<3 {
                let answer = api.call("POST", "cancel", body: #"{"name":"query \#(number)"}"#).answer
                #expect(answer["cancelled"] as? Bool == true)
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses == [499, 499, 499])
        #expect(api.call("POST", "cancel", body: #"{"name":"query 1"}"#).answer["cancelled"] as? Bool == false)
    }

    @Test("the databases of an inspector share the limit on running queries, and each has names of its own")
    func sharedLimit() throws {
        let queries = RunningQueries()
        let database = try sample.open()
        let calls = ["a", "b"].map { name in
            Calls(InspectedSource(name: name) { try database.openFile() }, queries: queries)
        }
        let body = #"{"name":"q","text":"SELECT 1 FROM _ LIMIT 1"}"#
        let running = try [("q", "a"), ("q", "c")].map { name, database in try queries.begin(name, of: database) }
        #expect(calls[0].call("POST", "query", body: body).status == 429)
        #expect(calls[1].call("POST", "query", body: body).status == 200)
        _ = try queries.begin("r", of: "c")
        #expect(calls[1].call("POST", "query", body: body).status == 429)
        #expect(calls[0].call("POST", "cancel", body: #"{"name":"q"}"#).answer["cancelled"] as? Bool == true)
        #expect(running.map(\.isCancelled) == [true, false])
    }

    @Test(
        "invalid queries are refused with a reason",
        arguments: ["", "SELECT", "SELECT x FROM nowhere", "DROP TABLE kv_default", "SELECT $x FROM _ WHERE a = 1; SELECT 2"]
    )
    func invalid(_ text: String) {
        let (status, answer) = query(text)
        #expect(status == 400, "\(answer)")
        #expect((answer["error"] as? String)?.isEmpty == false)
    }

    @Test("no query begins after the server was told to stop")
    func stop() {
        api.inspected.queries.stop()
        #expect(query("SELECT 1 FROM _").status == 499)
    }

    @Test("a statement that changes documents runs only if the request confirms it")
    func statements() {
        let (status, answer) = query("UPDATE _ SET checked = true WHERE team = 'red'")
        #expect(status == 409)
        #expect(answer["statement"] as? Bool == true)
        #expect(query("SELECT 1 FROM _ WHERE checked = true").answer["rows"] as? [[Int]] == [])
        #expect(query("UPDATE _ SET checked = true WHERE team = 'red'", #", "write": true"#).answer["changed"] as? Int == 40)
    }

    @Test("the answer for a statement has the number of documents that are skipped because no assignment applies")
    func skipped() {
        let answer = query("UPDATE _ SET name.first = 'x' WHERE team = 'red'", #", "write": true"#).answer
        #expect(answer["changed"] as? Int == 0)
        #expect(answer["skipped"] as? Int == 40)
    }

    @Test("the plan is described in words, and the advised index can be created and deleted")
    func plan() throws {
        let body = #"{"text":"SELECT name FROM _ WHERE team = 'red'"}"#
        let plan = api.succeed("POST", "explain", body: body)
        #expect((plan["steps"] as? [[String: Any]])?.first?["kind"] as? String == "scan")
        let advice = try #require((plan["advice"] as? [[String: Any]])?.first)
        let name = try #require(advice["name"] as? String)
        let definition = #"{"collection":"_default._default","name":"\#(name)","expressions":["team"]}"#
        _ = api.succeed("POST", "indexes", body: definition)
        let step = try #require((api.succeed("POST", "explain", body: body)["steps"] as? [[String: Any]])?.first)
        #expect(step["index"] as? String == name)
        _ = api.succeed("DELETE", "indexes", ["name": name])
        api.fail(404, "DELETE", "indexes", ["name": name])
        let names = (api.succeed("GET", "indexes")["indexes"] as? [[String: Any]])?.compactMap { $0["name"] as? String }
        #expect(names == ["by_age"])
    }

    @Test("the advised vector index can be created, and one that makes no sense is refused")
    func vectorIndex() throws {
        let body = #"{"text":"SELECT name FROM _ ORDER BY euclidean_distance(v, [1, 2]) LIMIT 3"}"#
        let advice = try #require((api.succeed("POST", "explain", body: body)["advice"] as? [[String: Any]])?.first)
        #expect(advice["dimensions"] as? Int == 2 && advice["metric"] as? String == "euclidean")
        let centroids = try #require(advice["centroids"] as? Int)
        let start = #"{"collection":"_default._default","name":"v","kind":"vector","expressions":["v"],"#
        api.fail(400, "POST", "indexes", body: start + #""dimensions":1,"centroids":2}"#)
        api.fail(400, "POST", "indexes", body: start + #""dimensions":2,"centroids":2,"metric":"other"}"#)
        _ = api.succeed("POST", "indexes", body: start + #""dimensions":2,"centroids":\#(centroids),"metric":"euclidean"}"#)
        let kinds = (api.succeed("GET", "indexes")["indexes"] as? [[String: Any]])?.compactMap { $0["kind"] as? String }
        #expect(kinds?.contains("vector") == true)
    }

    @Test("full-text and array indexes can be created, and invalid ones are refused")
    func indexes() {
        let start = #"{"collection":"_default._default","name":"i","#
        _ = api.succeed("POST", "indexes", body: start + #""kind":"full-text","expressions":["note"],"language":"en"}"#)
        _ = api.succeed("POST", "indexes", body: start + #""kind":"array","path":"tags"}"#)
        api.fail(400, "POST", "indexes", body: start + #""expressions":["FROM"]}"#)
        api.fail(400, "POST", "indexes", body: start + #""kind":"other","expressions":["a"]}"#)
        api.fail(400, "POST", "indexes", body: #"{"name":"i"}"#)
    }
}
