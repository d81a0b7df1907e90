import BLIP
import DocumentStore
import SyncCore
import Testing

@testable import Replication

@Suite("Overtaken revisions")
struct OvertakenRevisionTests {
    @Test("an older peer revision changes nothing when the peer's current revision is stored already")
    func known() throws {
        let pull = try TestPull()
        pull.changes(#"[[1,"a","2-aa"]]"#)
        pull.rev("a", "2-aa", sequence: "1", #"{"n":1}"#)
        // The tombstone, and then the local revision again: as if a push after a tombstone crosses the tombstone.
        pull.changes(#"[[2,"a","5-bb",1]]"#)
        pull.changes(#"[[3,"a","2-aa"]]"#)
        #expect(pull.peer.summary(pull.rev("a", "5-bb", sequence: "2", "{}", ["deleted": "1"])) == "RES")
        #expect(try pull.json("a") == #"{"n":1}"#)
        #expect(try pull.remoteAncestor("a") == "2-aa")
        #expect(pull.conflicts.isEmpty && pull.progress.last == "3")
        try pull.check()
    }

    @Test("of two revisions received in reverse order, the later announced one stays current", arguments: [false, true])
    func swapped(_ isStoredBetween: Bool) throws {
        let pull = try TestPull()
        pull.changes(#"[[1,"a","5-aa",1],[2,"a","1-bb"],[3,"b","1-cc"]]"#)
        pull.rev("a", "1-bb", sequence: "2", #"{"n":2}"#)
        if isStoredBetween { pull.peer.advance(by: RevisionReceiver.batchDelay) }
        pull.rev("a", "5-aa", sequence: "1", "{}", ["deleted": "1"])
        pull.rev("b", "1-cc", sequence: "3")
        #expect(try pull.json("a") == #"{"n":2}"#)
        #expect(try pull.remoteAncestor("a") == "1-bb")
        #expect(pull.conflicts.isEmpty && pull.progress.last == "3")
        try pull.check()
    }

    @Test("a descendant of the stored revision is stored although a later change was announced")
    func descendant() throws {
        let pull = try TestPull()
        pull.changes(#"[[1,"a","1-aa"]]"#)
        pull.rev("a", "1-aa", sequence: "1", #"{"n":1}"#)
        pull.changes(#"[[2,"a","2-bb"],[3,"a","1-aa"]]"#)
        pull.rev("a", "2-bb", sequence: "2", history: "1-aa", #"{"n":2}"#)
        #expect(try pull.json("a") == #"{"n":2}"#)
        #expect(try pull.remoteAncestor("a") == "2-bb")
    }

    @Test("a revision received after its access was lost does not restore the document", arguments: [false, true])
    func accessLost(_ wasHere: Bool) throws {
        let pull = try TestPull()
        if wasHere {
            pull.changes(#"[[1,"a","1-aa"]]"#)
            pull.rev("a", "1-aa", sequence: "1")
        }
        pull.changes(#"[[2,"a","2-bb"]]"#)
        pull.changes(#"[[3,"a","2-bb",2]]"#)
        pull.rev("a", "2-bb", sequence: "2", history: "1-aa")
        #expect(try pull.revision("a") == nil)
        #expect(pull.progress.last == "3")
    }
}
