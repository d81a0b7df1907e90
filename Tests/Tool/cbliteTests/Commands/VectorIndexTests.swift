import Foundation
import TestSupport
import Testing

/// `cblite index create --vector` (Vector search VA-8).
@Suite("vector indexes of cblite")
struct VectorIndexTests {
    private let tool: Tool

    init() throws {
        tool = try Tool()
        try tool.makeDatabase(
            #"{"_id":"a","v":[1,0]}"#,
            #"{"_id":"b","v":[5,0],"n":1}"#,
            #"{"_id":"c","v":[9,0],"n":2}"#,
            #"{"_id":"d","v":"no vector"}"#
        )
    }

    private let query = "SELECT meta().id FROM _ ORDER BY APPROX_VECTOR_DISTANCE(v, [6, 0]) LIMIT 2"

    @Test("a vector index can be created, used, listed, checked and deleted")
    func index() throws {
        try tool.expectFailure(66, "requires a vector index on [\".v\"]", "query", "db", query)
        try tool.lines("index", "create", "db", "near", "v", "--vector", "--dimensions", "2", "--centroids", "8", "--metric", "euclidean")
        #expect(try tool.lines("query", "--json", "db", query) == [#"{"id":"b"}"#, #"{"id":"c"}"#])
        let listed = try object(#require(try tool.lines("index", "ls", "--json", "db").first))
        #expect(
            listed["kind"] as? String == "vector" && listed["metric"] as? String == "euclidean" && listed["encoding"] as? String == "sq8"
        )
        #expect(listed["dimensions"] as? Int == 2 && listed["centroids"] as? Int == 8 && listed["vectors"] as? Int == 3)
        #expect(listed["trained"] as? Bool == false && listed["probes"] is NSNull)
        let line = try tool.lines("index", "ls", "db").last ?? ""
        #expect(line.contains("2 dimensions, 8 centroids, sq8, euclidean, 3 vectors, not trained"), "\(line)")
        #expect(try tool.lines("explain", "db", query).contains { $0.contains("vector index near, which is not trained") })
        let hybrid = "SELECT n FROM _ WHERE n > 0 AND APPROX_VECTOR_DISTANCE(v, [6, 0]) < 2"
        #expect(try tool.lines("query", "--json", "db", hybrid) == [#"{"n":1}"#])
        #expect(try tool.lines("explain", "db", hybrid).contains { $0.contains("looks up the distance in vector index near") })
        try tool.lines("check", "db")
        try tool.lines("index", "delete", "db", "near")
        #expect(try tool.lines("index", "ls", "--json", "db") == [])
    }

    @Test("a salvaged database has no vector index, and the report names it")
    func salvage() throws {
        try tool.lines("index", "create", "db", "near", "v", "--vector", "--dimensions", "2", "--centroids", "8")
        try tool.lines("index", "create", "db", "by_n", "n")
        #expect(try tool.lines("salvage", "db", "copy").contains("Indexes to be created again: by_n, near"))
    }

    @Test("options that do not fit are refused")
    func refused() throws {
        let cases: [(String, [String])] = [
            ("needs --dimensions and --centroids", ["v", "--vector"]),
            ("exactly one expression", ["v", "w", "--vector", "--dimensions", "2", "--centroids", "8"]),
            ("--dimensions must be from 2", ["v", "--vector", "--dimensions", "1", "--centroids", "8"]),
            ("--encoding must be none", ["v", "--vector", "--dimensions", "2", "--centroids", "8", "--encoding", "sq5"]),
            ("divisor of the 3 dimensions", ["v", "--vector", "--dimensions", "3", "--centroids", "8", "--encoding", "pq2x8"]),
            ("number of probes", ["v", "--vector", "--dimensions", "2", "--centroids", "8", "--probes", "9"]),
            ("not more than one", ["v", "--vector", "--full-text", "--dimensions", "2", "--centroids", "8"]),
            ("cannot have a condition", ["v", "--vector", "--dimensions", "2", "--centroids", "8", "--where", "n > 1"]),
            ("are for a --vector index", ["v", "--lazy"]),
        ]
        for (message, arguments) in cases {
            let result = try tool.run(["index", "create", "db", "near"] + arguments, input: "")
            #expect(result.exitCode == 64 && result.errorOutput.contains(message), "\(arguments): \(result.errorOutput)")
        }
    }
}
