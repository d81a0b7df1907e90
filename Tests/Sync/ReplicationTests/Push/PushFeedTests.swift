import BLIP
import DocumentStore
import Fleece
import SQLiteEngine
import SyncCore
import Synchronization
import Testing

@testable import Replication

@Suite("Selection of documents to push")
struct PushFeedTests {
    private func proposedIDs(_ request: IncomingRequest) throws -> [String] {
        try FleeceData.parsing(json: request.body).withRoot { root in
            guard let rows = root.array else { return [] }
            return (0..<rows.count).compactMap { rows[$0]?.array?[0]?.string }
        } ?? []
    }

    @Test("a push with document IDs proposes only those documents")
    func documentIDs() throws {
        let side = try PushingSide()
        for id in ["a", "b", "c"] { try side.replica.save(id, "{}") }
        side.options.collections[0].documentIDs = ["c", "a", "z"]
        let peer = try side.connect()
        #expect(try proposedIDs(peer.next("proposeChanges")) == ["a", "c"])
    }

    @Test("the push filter gets bodies and deletions, and only accepted documents are proposed")
    func filter() throws {
        let side = try PushingSide()
        try side.replica.save("a", #"{"push":true}"#)
        try side.replica.save("b", #"{"push":false}"#)
        try side.replica.save("c", #"{"push":true}"#)
        try side.replica.delete("c")
        side.options.collections[0].pushFilter = { revision in
            #expect(!revision.isAccessRemoved)
            if revision.isDeleted { return revision.documentID == "c" }
            let value = revision.body.withRoot { root in
                root.dictionary?.value(for: "push", sharedKeys: revision.sharedKeys)?.boolean
            }
            return value == true
        }
        let peer = try side.connect()
        let proposal = try peer.next("proposeChanges")
        #expect(try proposedIDs(proposal) == ["a", "c"])
        // Revisions that the filter rejects are completed.
        peer.respond(to: proposal, [:], "[304,304]")
        #expect(try peer.handleCheckpoint() == #"{"time":1700000000,"local":4}"#)
    }

    @Test("a damaged document that the push filter cannot read is reported, and the others are pushed")
    func damagedDocument() throws {
        let side = try PushingSide()
        for id in ["a", "b", "c"] { try side.replica.save(id, "{}") }
        try side.replica.damage("b")
        side.options.collections[0].pushFilter = { _ in true }
        let peer = try side.connect()
        #expect(try proposedIDs(peer.next("proposeChanges")) == ["a", "c"])
        #expect(peer.closure == nil)
        #expect(peer.documents.map(\.documentID) == ["b"])
        #expect(peer.documents.first?.error != nil)
    }

    @Test(
        "a document whose revision ID is damaged is reported, and the others are pushed",
        arguments: [nil, ["a", "b", "c", "d"], ["b", "c"]]
    )
    func damagedRevisionID(chosen: [String]?) throws {
        let side = try PushingSide()
        for id in ["a", "b", "c", "d"] { try side.replica.save(id, "{}") }
        for id in ["b", "d"] { try side.replica.damage(id, column: "version") }
        side.options.collections[0].documentIDs = chosen ?? []
        let peer = try side.connect()
        let proposal = try peer.next("proposeChanges")
        #expect(try proposedIDs(proposal) == (chosen ?? ["a", "c"]).filter { ["a", "c"].contains($0) })
        #expect(peer.closure == nil)
        #expect(peer.documents.map(\.documentID) == (chosen ?? ["b", "d"]).filter { ["b", "d"].contains($0) })
        #expect(peer.documents.allSatisfy { $0.error?.isEngine(.corruptRevisionData) == true })
    }

    @Test("documents that were pushed or pulled since the first checkpoint are not proposed")
    func alreadyThere() throws {
        let side = try PushingSide()
        let first = try side.connect()
        #expect(try first.next("proposeChanges").text == "[]")
        first.disconnect()
        let json = #"{"time":1700000000}"#
        try side.replica.database.setCheckpoint(side.checkpointName(), Array(json.utf8))
        let remote = try side.replica.database.file.remoteID(for: PushingSide.url)
        _ = try side.replica.collection().insert([side.replica.received("pulled", ["1-aa"])], remote: remote)
        let synced = try side.replica.save("pushed", "{}")
        try side.replica.collection().markSynced([("pushed", synced)], remote: remote)
        try side.replica.save("new", "{}")
        let peer = try side.connect(peerCheckpoint: json)
        let proposal = try peer.next("proposeChanges")
        #expect(try proposedIDs(proposal) == ["new"])
        peer.respond(to: proposal, [:], "[304]")
        #expect(try peer.handleCheckpoint() == #"{"time":1700000000,"local":3}"#)
    }

    @Test("a change to a pulled document is proposed with the pulled revision as its parent")
    func editOfPulled() throws {
        let side = try PushingSide()
        let remote = try side.replica.database.file.remoteID(for: PushingSide.url)
        _ = try side.replica.collection().insert([side.replica.received("a", ["1-aa"])], remote: remote)
        let edit = try side.replica.save("a", #"{"n":2}"#)
        let peer = try side.connect()
        let proposal = try peer.next("proposeChanges")
        #expect(proposal.text.hasPrefix(#"[["a","\#(edit)","1-aa","#))
        peer.respond(to: proposal, [:], "[]")
        #expect(try peer.next("rev").properties["history"] == "1-aa")
    }

    /// Returns a side that has pushed the document `a`, and its revision.
    private func pushed() throws -> (PushingSide, RevisionID) {
        let side = try PushingSide()
        let revision = try side.replica.save("a", "{}")
        let first = try side.connect()
        first.respond(to: try first.next("proposeChanges"), [:], "[]")
        first.respond(to: try first.next("rev"))
        try first.handleCheckpoint()
        first.disconnect()
        return (side, revision)
    }

    private func expectCheckpoint(_ peer: ScriptedPeer, replacing token: String) throws {
        let save = try peer.next("setCheckpoint")
        #expect(save.properties["rev"] == token)
        #expect(save.text == #"{"time":1700000000,"local":1}"#)
        peer.respond(to: save, ["rev": "0-2"])
        #expect(peer.closure?.code == 1000)
    }

    @Test("everything is proposed when the peer's checkpoint is missing")
    func distrust() throws {
        let (side, revision) = try pushed()
        let peer = try side.connect()
        let proposal = try peer.next("proposeChanges")
        #expect(proposal.text.hasPrefix(#"[["a","\#(revision)","","#))
        peer.respond(to: proposal, [:], "[304]")
        try expectCheckpoint(peer, replacing: "")
    }

    @Test("a reset replication proposes everything again, also what the peer is recorded to have")
    func reset() throws {
        let (side, revision) = try pushed()
        let checkpoint = try side.storedCheckpoint()
        try side.replica.database.discardCheckpoints(side.options)
        let peer = try side.connect(peerCheckpoint: checkpoint)
        let proposal = try peer.next("proposeChanges")
        #expect(proposal.text.hasPrefix(#"[["a","\#(revision)","","#))
        peer.respond(to: proposal, [:], "[304]")
        try expectCheckpoint(peer, replacing: "0-1")
    }

    @Test("documents are proposed in lists of 200, with up to five lists unanswered")
    func batches() throws {
        let side = try PushingSide()
        for index in 0..<1500 { try side.replica.save("doc-\(index)", "{}") }
        let peer = try side.connect()
        #expect(peer.waiting == Array(repeating: "proposeChanges", count: 5))
        var ids: [String] = []
        while peer.waiting.first == "proposeChanges" {
            let proposal = try peer.next("proposeChanges")
            let batch = try proposedIDs(proposal)
            #expect(batch.count == (ids.count == 1400 ? 100 : 200))
            ids += batch
            peer.respond(to: proposal, [:], "[" + Array(repeating: "304", count: batch.count).joined(separator: ",") + "]")
        }
        #expect(ids == (0..<1500).map { "doc-\($0)" })
        #expect(try peer.handleCheckpoint() == #"{"time":1700000000,"local":1500}"#)
        #expect(peer.status.completedDocuments == peer.status.totalDocuments)
    }

    @Test("no more changes are read while many revisions are waiting to be sent")
    func queue() throws {
        let side = try PushingSide()
        let body = #"{"x":"\#(String(repeating: "x", count: 5000))"}"#
        for index in 0..<2000 { try side.replica.save("doc-\(index)", body) }
        let peer = try side.connect()
        for _ in 0..<5 { peer.respond(to: try peer.first("proposeChanges"), [:], "[]") }
        // Each answer may permit one more list, until enough revisions are queued.
        var lists = 0
        while peer.waiting.contains("proposeChanges") {
            peer.respond(to: try peer.first("proposeChanges"), [:], "[]")
            lists += 1
        }
        #expect(lists == 3)
        #expect(peer.waiting.count < 60)
        var count = 0
        while let profile = peer.waiting.first {
            let request = try peer.next(profile)
            guard profile != "setCheckpoint" else {
                peer.respond(to: request, ["rev": "0-1"])
                continue
            }
            peer.respond(to: request, [:], profile == "rev" ? "" : "[]")
            if profile == "rev" { count += 1 }
        }
        #expect(count == 2000 && peer.closure?.code == 1000)
    }

    @Test("a filter that rejects everything is called for 200 documents at a time, so that a stop takes effect")
    func rejectingFilter() throws {
        let side = try PushingSide()
        try side.replica.file.transaction { _ in
            for index in 0..<2000 { try side.replica.save("doc-\(index)", "{}") }
        }
        let asked = Asked()
        side.options.collections[0].pushFilter = { _ in
            asked.count.withLock { $0 += 1 }
            return false
        }
        let stopped = try side.connect()
        #expect(asked.count.withLock { $0 } == 200)
        stopped.tell(.stop)
        #expect(try stopped.handleCheckpoint() == #"{"time":1700000000,"local":200,"unverified":2000}"#)
        #expect(stopped.closure?.code == 1000 && asked.count.withLock { $0 } == 200)
        stopped.disconnect()
        // Without a stop, the whole feed is read.
        let peer = try side.connect(peerCheckpoint: side.storedCheckpoint())
        #expect(peer.status.isBusy)
        peer.advance(by: .zero)
        #expect(asked.count.withLock { $0 } == 2000)
        #expect(try peer.next("proposeChanges").text == "[]")
        #expect(try peer.handleCheckpoint() == #"{"time":1700000000,"local":2000}"#)
        #expect(peer.closure?.code == 1000)
    }

    @Test("a filter that rejects 100,000 documents is called for 200 of them per turn, and a stop between two turns takes effect")
    func longRejection() throws {
        let side = try PushingSide()
        try side.replica.save("doc-1", "{}")
        // Copies of one row, because saving so many documents takes seconds.
        try side.replica.file.transaction { writer in
            try writer.connection.execute(
                """
                INSERT INTO kv_default (key, sequence, flags, version, body, extra)
                WITH RECURSIVE numbers(n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM numbers WHERE n < 100000)
                SELECT 'doc-' || n, n, flags, version, body, extra FROM numbers, kv_default WHERE key = 'doc-1'
                """
            )
        }
        let asked = Asked()
        side.options.collections[0].pushFilter = { asked.reject($0) }
        let peer = try side.connect()
        #expect(asked.value == 200)
        for turn in 2...5 {
            #expect(peer.fireDueTimer())
            #expect(asked.value == turn * 200)
        }
        peer.tell(.stop)
        #expect(try peer.handleCheckpoint() == #"{"time":1700000000,"local":1000}"#)
        #expect(peer.closure?.code == 1000)
        while peer.fireDueTimer() {}
        #expect(asked.value == 1000)
    }

    @Test("a filter that rejects documents chosen by their IDs is called for 200 of them per turn")
    func rejectionOfChosen() throws {
        let side = try PushingSide()
        try side.replica.file.transaction { _ in
            for index in 0..<700 { try side.replica.save("doc-\(index)", "{}") }
        }
        let asked = Asked()
        side.options.collections[0].documentIDs = (0..<600).map { "doc-\($0)" }
        side.options.collections[0].pushFilter = { asked.reject($0) }
        let peer = try side.connect()
        #expect(asked.value == 200)
        for count in [400, 600] {
            #expect(peer.fireDueTimer())
            #expect(asked.value == count)
        }
        #expect(try peer.next("proposeChanges").text == "[]")
    }

    @Test("the filters of several collections share the number of calls per turn")
    func rejectionInCollections() throws {
        let side = try PushingSide()
        let asked = Asked()
        side.options.collections = try ["a", "b", "c", "d"].map { try rejected($0, count: 300, by: asked, in: side.replica) }
        let peer = try side.connect(answeringCheckpoint: false)
        peer.respond(to: try peer.next("getCollections"), [:], "[{},{},{},{}]")
        #expect(asked.value == 200)
        var before = 200
        while peer.fireDueTimer() {
            // The rest of a collection may leave some of the budget to the next collection.
            #expect(asked.value - before < 400)
            before = asked.value
        }
        #expect(asked.value == 1200)
        #expect(peer.dequeue("proposeChanges").map(\.text) == ["[]", "[]", "[]", "[]"])
    }

    @Test("collections read their feeds in turn, also when other events are handled between the turns")
    func turns() throws {
        let side = try PushingSide()
        let asked = [Asked(), Asked()]
        side.options.collections = try zip(["a", "b"], asked).map { try rejected($0, count: 400, by: $1, in: side.replica) }
        let peer = try side.connect(answeringCheckpoint: false)
        peer.respond(to: try peer.next("getCollections"), [:], "[{},{}]")
        #expect(asked.map(\.value).sorted() == [0, 200])
        for counts in [[200, 200], [200, 400], [400, 400]] {
            peer.tell(.databaseChanged([]))
            #expect(peer.fireDueTimer())
            #expect(asked.map(\.value).sorted() == counts)
        }
    }

    /// Creates a collection with documents that a filter rejects.
    private func rejected(_ name: String, count: Int, by filter: Asked, in replica: TestReplica) throws -> CollectionOptions {
        let id = try CollectionID(name: name)
        _ = try replica.file.createCollection(id)
        try replica.file.transaction { _ in
            for index in 0..<count { try replica.save("doc-\(index)", "{}", in: id) }
        }
        var options = CollectionOptions(id)
        options.pushFilter = { filter.reject($0) }
        return options
    }

    /// How often a filter was asked.
    private final class Asked: Sendable {
        let count = Mutex(0)

        var value: Int { count.withLock { $0 } }

        /// Counts a call of the filter, which rejects everything.
        func reject(_ revision: FilteredRevision) -> Bool {
            count.withLock { $0 += 1 }
            return false
        }
    }

    @Test("a continuous push with document IDs proposes their later changes and ignores other documents")
    func documentIDsLater() throws {
        let side = try PushingSide(.continuous)
        try side.replica.file.transaction { _ in
            for index in 0..<3000 { try side.replica.save("doc-\(index)", "{}") }
        }
        side.options.collections[0].documentIDs = ["doc-7", "doc-2999", "doc-8"]
        let peer = try side.connect()
        let proposal = try peer.next("proposeChanges")
        #expect(try proposedIDs(proposal) == ["doc-7", "doc-8", "doc-2999"])
        peer.respond(to: proposal, [:], "[304,304,304]")
        #expect(try peer.handleCheckpoint() == #"{"time":1700000000,"local":3000}"#)
        for id in ["doc-1", "doc-8", "doc-9"] { try side.replica.save(id, #"{"n":2}"#) }
        peer.tell(.databaseChanged([.default]))
        let next = try peer.next("proposeChanges")
        #expect(try proposedIDs(next) == ["doc-8"])
        peer.respond(to: next, [:], "[304]")
        #expect(try peer.handleCheckpoint("0-2") == #"{"time":1700000000,"local":3003}"#)
    }

    @Test("a one-shot replication does not push documents that are saved after it has read the feed")
    func oneShot() throws {
        let side = try PushingSide()
        try side.replica.save("a", "{}")
        let peer = try side.connect()
        let proposal = try peer.next("proposeChanges")
        try side.save("b", "{}", telling: peer)
        peer.respond(to: proposal, [:], "[304]")
        try peer.handleCheckpoint()
        #expect(peer.closure?.code == 1000 && peer.waiting == [])
    }

    @Test("a continuous replication pushes saved documents and is idle in between")
    func continuous() throws {
        let side = try PushingSide(.continuous)
        let peer = try side.connect()
        #expect(peer.nextLine() == "REQ 2 UN {Profile:proposeChanges, conflictIncludesRev:true} []")
        #expect(!peer.status.isBusy && peer.waiting == [] && peer.closure == nil)
        let revision = try side.save("doc3", #"{"x":1}"#, telling: peer)
        #expect(peer.status.isBusy)
        let proposal = try peer.next("proposeChanges")
        #expect(proposal.number == 3 && proposal.isUrgent)
        peer.respond(to: proposal, [:], "[]")
        #expect(
            peer.nextLine()
                == #"REQ 4 {Profile:rev, id:doc3, rev:\#(revision), sequence:1, noconflicts:1} {"x":1}"#
        )
        #expect(peer.status.isBusy)
    }
}
