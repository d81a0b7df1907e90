import Foundation
import SQLiteEngine
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

    @Test("explain gives the command that creates a vector index")
    func advice() throws {
        let sorting = "SELECT n FROM _ ORDER BY euclidean_distance(v, [6, 0]) LIMIT 2"
        let command = "cblite index create db.cblite2 v --vector --dimensions 2 --centroids 2 --metric euclidean v"
        #expect(try tool.lines("explain", "db", sorting).last == "  " + command)
        let json = try object(#require(try tool.lines("explain", "--json", "db", sorting).first))
        let advice = try #require((json["advice"] as? [NSDictionary])?.first)
        #expect(advice["command"] as? String == command && advice["expressions"] as? [String] == ["v"])
        #expect(advice["dimensions"] as? Int == 2 && advice["centroids"] as? Int == 2 && advice["metric"] as? String == "euclidean")
        let result = try tool.run(command.split(separator: " ").dropFirst().map(String.init), input: "")
        #expect(result.exitCode == 0, "\(result.errorOutput)")
        #expect(try tool.lines("query", "--json", "db", query) == [#"{"id":"b"}"#, #"{"id":"c"}"#])
    }

    @Test("a salvaged database has no vector index, and the report names it")
    func salvage() throws {
        try tool.lines("index", "create", "db", "near", "v", "--vector", "--dimensions", "2", "--centroids", "8")
        try tool.lines("index", "create", "db", "by_n", "n")
        #expect(try tool.lines("salvage", "db", "copy").contains("Indexes to be created again: by_n, near"))
    }

    private func makeIndexes() throws {
        // Enough for training.
        let more = (0..<60).map { #"{"_id":"m\#($0)","v":[\#(20 + $0),1]}"# }
        try tool.lines("import", "db", "-", input: more.joined(separator: "\n"))
        try tool.lines("index", "create", "db", "near", "v", "--vector", "--dimensions", "2", "--centroids", "2")
        try tool.lines("index", "create", "db", "lazy", "n", "--vector", "--dimensions", "2", "--centroids", "2", "--lazy")
    }

    @Test("copies, backups, converted and compacted databases have the vector indexes, which answer as before")
    func copies() throws {
        try makeIndexes()
        let wanted = try tool.lines("query", "--json", "db", query)
        #expect(wanted == [#"{"id":"b"}"#, #"{"id":"c"}"#])
        try tool.lines("compact", "db")
        try tool.lines("cp", "db", "copied")
        try tool.lines("backup", "db", "file")
        try tool.lines("put", "db", "later", #"{"v":[6,0]}"#)
        try tool.lines("backup", "--incremental", "db", "file")
        try tool.lines("restore", "file", "restored")
        try tool.lines("restore", "file", "earlier", "--at", "1")
        try tool.lines("convert", "db", "older", "--release", "3.1")
        for name in ["copied", "earlier"] { #expect(try tool.lines("query", "--json", name, query) == wanted, "\(name)") }
        for name in ["db", "restored"] {
            #expect(try tool.lines("query", "--json", name, query).first == #"{"id":"later"}"#, "\(name)")
        }
        for name in ["db", "copied", "earlier", "restored"] {
            #expect(try tool.lines("check", name).last == "No problems found.", "\(name)")
            let listed = try tool.lines("index", "ls", "--json", name).map(object)
            #expect(listed.map { $0["name"] as? String } == ["lazy", "near"], "\(name)")
            #expect(listed.last?["trained"] as? Bool == true && listed.first?["lazy"] as? Bool == true, "\(name)")
            try tool.lines("put", name, "b", #"{"v":[900,0]}"#)
            #expect(try !tool.lines("query", "--json", name, query).contains(#"{"id":"b"}"#), "\(name)")
            #expect(try tool.lines("check", name).last == "No problems found.", "\(name)")
        }
        #expect(try tool.lines("check", "older").last == "No problems found.")
        #expect(try tool.lines("ls", "older").count == 65)
    }

    @Test("a repair says that it has rebuilt a vector index")
    func repair() throws {
        try makeIndexes()
        for damage in [
            "DROP TABLE \"kv_default:vector:near:cells\"", "DELETE FROM \"kv_default:vector:near:rows\"",
            "UPDATE \"kv_default:vector:near:cells\" SET data = zeroblob(3)",
        ] {
            let connection = try Connection(path: tool.directory.path("db.cblite2/db.sqlite3"), mode: .readWrite)
            try connection.execute(damage)
            try connection.close()
            let found = try tool.run("check", "db")
            #expect(found.output.contains("index \"near\" of _default._default"), "\(damage): \(found.output)")
            let repaired = try tool.lines("check", "--repair", "db")
            #expect(repaired.contains("Repaired: rebuilt 2 indexes."), "\(damage): \(repaired)")
            #expect(!repaired.contains("Nothing was to be repaired."))
            #expect(repaired.last == "No problems found.", "\(damage): \(repaired)")
            #expect(try tool.lines("query", "--json", "db", query) == [#"{"id":"b"}"#, #"{"id":"c"}"#])
        }
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
