import BLIP
import DocumentStore
import Fleece
import SyncCore
import Testing

@testable import Replication

@Suite("Pulling with lost access")
struct LostAccessTests {
    /// A pull of a document `a`, which is then stored locally.
    private func pull(_ change: (inout PullOptions) -> Void = { _ in }) throws -> TestPull {
        let pull = try TestPull(nil, change)
        pull.changes(#"[[1,"a","1-aa"]]"#)
        pull.rev("a", "1-aa", sequence: "1", #"{"n":1}"#)
        #expect(try pull.json("a") == #"{"n":1}"#)
        return pull
    }

    @Test("a row with a lost-access flag purges the document and requests no revision", arguments: [2, 3, 4, 6, 7])
    func rows(_ flags: Int) throws {
        let pull = try pull()
        #expect(pull.changes("[[25,\"a\",\"1-aa\",\(flags)]]") == "RES maxHistory=50 blobs=true []")
        #expect(try pull.revision("a") == nil)
        #expect(pull.ended.last == (flags & 1 == 0 ? "a removed" : "a deleted removed"))
        #expect(pull.progress == ["1", "25"])
        // No change remains that could be pushed.
        #expect(try pull.replica.collection().changes(after: 0, limit: 10, remote: 1).isEmpty)
        try pull.check()
    }

    @Test("lost access purges a damaged document too, and the pull of the others continues", arguments: ["extra", "version"])
    func damaged(column: String) throws {
        let pull = try pull()
        try pull.replica.damage("a", column: column)
        #expect(pull.changes(#"[[25,"a","1-aa",2],[26,"b","1-bb"]]"#) == "RES maxHistory=50 blobs=true [0,[]]")
        #expect(try pull.revision("a") == nil)
        #expect(pull.ended.last == "a removed")
    }

    @Test("a row with a deletion flag requests the tombstone and does not purge the document", arguments: [1, 5])
    func deletions(_ flags: Int) throws {
        let pull = try pull()
        #expect(pull.changes("[[25,\"a\",\"2-bb\",\(flags)]]") == #"RES maxHistory=50 blobs=true [["1-aa"]]"#)
        #expect(try pull.revision("a") == "1-aa")
    }

    @Test("a removal that the database temporarily cannot store is not completed")
    func unwritable() throws {
        let isUnwritable = Box(false)
        let replica = try TestReplica { if isUnwritable.value, $0 == .before { throw SyncError(.posix, 5) } }
        let pull = try TestPull(replica)
        pull.changes(#"[[1,"a","1-aa"]]"#)
        isUnwritable.value = true
        let reply = pull.rev("a", "1-aa", sequence: "1", #"{"_removed":true}"#)
        isUnwritable.value = false
        #expect(pull.peer.summary(reply) == "POSIX/5")
        #expect(pull.ended == ["a POSIX/5 again"] && pull.progress.isEmpty)
        try pull.check()
    }

    @Test("lost access purges a document together with its local changes")
    func localChanges() throws {
        let pull = try pull()
        try pull.replica.save("a", #"{"n":2}"#)
        pull.changes(#"[[25,"a","1-aa",2]]"#)
        #expect(try pull.revision("a") == nil)
    }

    @Test("lost access to a document that is not in the local database is reported")
    func unknown() throws {
        let pull = try pull()
        pull.changes(#"[[25,"b","1-aa",4]]"#)
        #expect(pull.ended.last == "b removed" && pull.progress.last == "25")
    }

    @Test("lost access is reported without a purge when purging is disabled")
    func notPurged() throws {
        let pull = try pull { $0.session.purgesOnLostAccess = false }
        pull.changes(#"[[25,"a","1-aa",2]]"#)
        #expect(try pull.revision("a") == "1-aa")
        #expect(pull.ended.last == "a removed")
    }

    @Test("the pull filter is called with an empty body on lost access and can keep the document")
    func filter() throws {
        let seen = Box<[String]>([])
        let pull = try pull {
            $0.collection.pullFilter = { revision in
                let isEmpty = revision.body.root?.dictionary?.pairCount == 0
                seen.value.append("\(revision.documentID) \(revision.revision) \(revision.isAccessRemoved) \(isEmpty)")
                return !revision.isAccessRemoved
            }
        }
        pull.changes(#"[[25,"a","1-aa",2]]"#)
        #expect(seen.value == ["a 1-aa false false", "a 1-aa true true"])
        #expect(try pull.revision("a") == "1-aa")
        #expect(pull.ended.last == "a removed" && pull.progress.last == "25")
    }

    @Test("a body with _removed purges the document, with and without a history property", arguments: [nil, "1-aa"])
    func bodies(_ history: String?) throws {
        let pull = try pull()
        pull.changes(#"[[2,"a","2-bb"]]"#)
        let reply = pull.rev("a", "2-bb", sequence: "2", history: history, #"{"_removed":true}"#)
        #expect(pull.peer.summary(reply) == "RES")
        #expect(try pull.revision("a") == nil)
        #expect(pull.ended.last == "a removed" && pull.progress == ["1", "2"])
    }

    @Test("lost access also purges a revision that was received just before")
    func order() throws {
        let pull = try TestPull()
        pull.changes(#"[[1,"a","1-aa"],[2,"b","1-bb"]]"#)
        pull.rev("a", "1-aa", sequence: "1", #"{"n":1}"#)
        pull.changes(#"[[3,"a","1-aa",2]]"#)
        pull.rev("b", "1-bb", sequence: "2")
        pull.peer.advance(by: .seconds(1))
        #expect(try pull.revision("a") == nil && pull.revision("b") == "1-bb")
        #expect(pull.progress.last == "3")
    }

    @Test("a document stays removed if an earlier revision of it still waits for a blob then", arguments: [false, true])
    func waitingForBlob(isInBody: Bool) throws {
        let pull = try TestPull()
        pull.changes(#"[[1,"a","1-aa"]]"#)
        let blob = #"{"@type":"blob","digest":"sha1-ArH2IhJgRp/90GRqSAdAfa750BE=","length":12}"#
        let reply = pull.rev("a", "1-aa", sequence: "1", #"{"p":\#(blob)}"#)
        let request = try pull.peer.dequeueOne("getAttachment")
        if isInBody {
            pull.changes(#"[[2,"a","2-bb"]]"#)
            pull.rev("a", "2-bb", sequence: "2", history: "1-aa", #"{"_removed":true}"#)
        } else {
            pull.changes(#"[[2,"a","1-aa",2]]"#)
        }
        #expect(pull.ended == ["a removed"])
        pull.peer.respond(to: request, [:], "Hello, blob!")
        pull.peer.advance(by: .seconds(1))
        #expect(try pull.revision("a") == nil)
        #expect(pull.peer.summary(reply) == "RES" && pull.progress.last == "2")
        try pull.check()
    }

    @Test("a document is pulled again when access is regained")
    func regained() throws {
        let pull = try pull()
        pull.changes(#"[[25,"a","1-aa",2]]"#)
        #expect(pull.changes(#"[[26,"a","1-aa"]]"#) == "RES maxHistory=50 blobs=true [[]]")
        pull.rev("a", "1-aa", sequence: "26", #"{"n":1}"#)
        #expect(try pull.json("a") == #"{"n":1}"#)
    }
}
