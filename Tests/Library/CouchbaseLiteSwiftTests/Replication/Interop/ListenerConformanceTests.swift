#if Replication
import Foundation
import PeerSupport
import TestSupport
import TestTraits
import Testing

@testable import CouchbaseLiteSwift

@Suite("Listeners tested by an independent client", .urgentOnOwnThreads)
struct ListenerConformanceTests {
    @Test("a listener passes the conformance checks of an independent client for a passive peer", arguments: ["3", "2"])
    func conformance(protocolNumber: String) async throws {
        let served = try ServedDatabases(["db": [], "dbcoll": ["colA", "colB"]])
        let answer = try await IndependentPeer.run([
            "conformance", try served.url(), "--profile", "couchbase-lite", "--protocol", protocolNumber, "--big",
            "--coll-db", "dbcoll", "--coll-names", "colA,colB",
        ])
        #expect(answer.isGood, "\(answer.log)")
        #expect(answer.number("failed") == 0)
        #expect(try #require(answer.number("passed")) > 80)
        for name in ["db", "dbcoll"] { #expect(try served.folder.problems(name) == []) }
    }

    @Test("a listener of a database with version vectors passes the checks for protocol 4, and those for clients with revision trees")
    func versionVectors() async throws {
        let served = try ServedDatabases(["db": []]) { try $0.collections.first?.database.upgradeToVersionVectors() }
        let answer = try await IndependentPeer.run([
            "conformance", try served.url(), "--profile", "couchbase-lite", "--protocol", "4",
        ])
        #expect(answer.isGood, "\(answer.log)")
        #expect(try #require(answer.number("passed")) > 20)
        // Deltas have no base in a tree, and 20 MB of a document are checked above.
        let trees = try await IndependentPeer.run(["conformance", try served.url(), "--profile", "couchbase-lite", "--protocol", "3,2"])
        #expect(trees.isGood, "\(trees.log)")
        #expect(try served.folder.problems("db") == [])
    }

    @Test("a listener with a password authenticator passes the independent client's checks of credentials")
    func passwords() async throws {
        let served = try ServedDatabases(["db": []]) {
            $0.authenticator = ListenerPasswordAuthenticator { $0 == "john" && $1 == "pass" }
        }
        let answer = try await IndependentPeer.run([
            "conformance", try served.url(), "--profile", "couchbase-lite", "--only",
            "credentials|password|unknown user",
            "--user", "john", "--password", "pass", "--auth-db", "db",
        ])
        #expect(answer.isGood, "\(answer.log)")
    }

    @Test("documents pushed to a listener are pulled back unchanged, and the next runs transfer nothing", arguments: ["3", "2"])
    func roundTrip(protocolNumber: String) async throws {
        let served = try ServedDatabases(["db": []])
        let (source, copy) = (try DocumentLog(), try DocumentLog())
        for number in 0..<300 {
            // The message has several frames, and some blobs are equal.
            let blob = try source.addBlob(Data((0..<number % 7 * 9000 + 50).map { UInt8(truncatingIfNeeded: $0 &* 31) }))
            let body = #""n":\#(number),"text":"döc ☃","list":[\#(number),{"x":null}],"pic":\#(blob)"#
            try source.append([
                #"{"_id":"doc-\#(number)-é","_rev":"1-\#(String(format: "%04x", number))",\#(body)}"#
            ])
        }
        let both = ["--protocol", protocolNumber]
        let push = ["push", try served.url(), "--from", source.path] + both
        let pull = ["pull", try served.url(), "--to", copy.path] + both
        let pushed = try await IndependentPeer.run(push)
        #expect(pushed.isGood, "\(pushed.json) \(pushed.log)")
        #expect(pushed.number("pushed") == 300)
        let pulled = try await IndependentPeer.run(pull)
        #expect(pulled.isGood, "\(pulled.json) \(pulled.log)")
        #expect(try copy.documents() == source.documents())
        #expect(try #require(pulled.number("blobs_received")) >= 7)
        let again = try await IndependentPeer.run(push)
        #expect(again.number("pushed") == 0 && again.number("already") == 0)
        #expect(try await IndependentPeer.run(pull).number("pulled") == 0)
        #expect(try served.folder.problems() == [])
    }

    @Test("a listener stores pushed histories, deletions and blobs, and refuses a revision that conflicts", arguments: ["3", "2"])
    func pushed(protocolNumber: String) async throws {
        let served = try ServedDatabases(["db": []])
        let log = try DocumentLog()
        let blob = try log.addBlob(Data((0..<70_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }))
        try log.append([
            #"{"_id":"a","_rev":"3-cc","_history":["2-bb","1-aa"],"n":[1,2.5,null]}"#,
            #"{"_id":"gone","_rev":"1-aa","n":1}"#,
            #"{"_id":"gone","_rev":"2-dd","_history":["1-aa"],"_deleted":true}"#,
            #"{"_id":"pic","_rev":"1-ab","photo":\#(blob)}"#,
        ])
        let url = try served.url()
        let push = ["push", url, "--from", log.path, "--protocol", protocolNumber]
        let answer = try await IndependentPeer.run(push)
        #expect(answer.isGood, "\(answer.json) \(answer.log)")
        #expect(answer.number("pushed") == 3)
        #expect(answer.number("blobs_sent") == 1)
        let database = try served.database()
        let collection = try database.defaultCollection()
        #expect(try collection.document(id: "a")?.revisionID == "3-cc")
        #expect(try collection.document(id: "gone") == nil)
        let photo = try #require(try collection.document(id: "pic")?.blob(forKey: "photo"))
        #expect(photo.content?.count == 70_000)
        #expect(photo.contentType == "image/png")

        // A child of the pushed revision, and a revision that conflicts.
        try database.save("pic", #"{"later":true}"#)
        try log.append([
            #"{"_id":"a","_rev":"4-dd","_history":["3-cc","2-bb","1-aa"],"n":4}"#,
            #"{"_id":"pic","_rev":"2-ee","_history":["1-ab"],"n":4}"#,
        ])
        let second = try await IndependentPeer.run(push)
        #expect(second.number("pushed") == 1)
        #expect(try collection.document(id: "a")?.int(forKey: "n") == 4)
        #expect(try collection.document(id: "pic")?.boolean(forKey: "later") == true)
        #expect(second.json.contains(#""conflicts": [{"id": "pic", "rev": "2-ee""#))
    }

    @Test("several collections are replicated over one connection, and an unknown collection is not found")
    func collections() async throws {
        let served = try ServedDatabases(["db": ["colA", "colB"]])
        let database = try served.database()
        for (name, count) in [("colA", 3), ("colB", 5)] {
            let collection = try database.createCollection(name: name)
            for number in 0..<count { try collection.save(document: MutableDocument(id: "\(name)\(number)")) }
        }
        let log = try DocumentLog()
        try log.append([
            #"{"_id":"new","_rev":"1-aa","_collection":"_default.colA","in":"A"}"#,
            #"{"_id":"new","_rev":"1-bb","_collection":"_default.colB","in":"B"}"#,
        ])
        let arguments = [
            "sync", try served.url(), "--with", log.path, "--collection", "colA", "--collection", "colB",
        ]
        let answer = try await IndependentPeer.run(arguments)
        #expect(answer.isGood, "\(answer.json) \(answer.log)")
        #expect(answer.number("pulled") == 8)
        #expect(answer.number("pushed") == 2)
        #expect(try database.createCollection(name: "colA").document(id: "new")?.string(forKey: "in") == "A")
        #expect(try database.createCollection(name: "colB").document(id: "new")?.string(forKey: "in") == "B")
        let unknown = try await IndependentPeer.run([
            "pull", try served.url(), "--to", log.path, "--collection", "nosuch",
        ])
        #expect(!unknown.isGood)
        #expect(unknown.json.contains("not found"))
    }

    @Test("a client that refuses deltas gets the whole document")
    func refusedDeltas() async throws {
        let served = try ServedDatabases(["db": []]) { $0.enableDeltaSync = true }
        let database = try served.database()
        let text = String(repeating: "a long text, ", count: 40)
        try database.save("doc", #"{"text":"\#(text)","n":1}"#)
        let log = try DocumentLog()
        let pull = ["pull", try served.url(), "--to", log.path, "--deltas", "on"]
        #expect(try await IndependentPeer.run(pull).number("pulled") == 1)
        try database.save("doc", #"{"text":"\#(text)","n":2}"#)
        let answer = try await IndependentPeer.run(pull)
        #expect(answer.isGood, "\(answer.json) \(answer.log)")
        #expect(answer.number("pulled") == 1)
        #expect(try log.lines().last?.contains(#""n": 2"#) == true)
    }
}
#endif
