import DocumentStore
import Fleece
import SyncCore
import Synchronization
import TestSupport
import Testing

@testable import Replication

@Suite("Replica collections")
struct ReplicaCollectionTests {
    @Test("a batch is stored in one commit, and invalid revisions do not affect the others")
    func batch() throws {
        let replica = try TestReplica()
        let commits = Mutex<[[String]]>([])
        let token = replica.file.changes.addObserver { changes in
            commits.withLock { $0.append(changes.documents[.default] ?? []) }
        }
        defer { replica.file.changes.removeObserver(token) }
        var refused = try replica.received("a", ["2-cc"])
        refused.allowsConflict = false
        let outcomes = try replica.collection().insert(
            [
                replica.received("a", ["2-bb", "1-aa"]),
                replica.received("a", ["2-bb", "1-aa"]),
                replica.received("a", ["1-aa"]),
                replica.received("b", ["1-aa", "2-aa"]),
                replica.received("_c", ["1-aa"]),
                refused,
                replica.received("d", ["1-aa"], #"{"_rev":1}"#),
                replica.received("e", ["1-aa"]),
            ],
            remote: 1
        )
        #expect(outcomes[0...2] == [.inserted(sequence: 1, isConflict: false), .known, .ignoredAsLate])
        let codes = outcomes.map { if case .failed(let error) = $0 { error.code } else { 0 } }
        #expect(codes == [0, 0, 0, 4, 29, 8, 9, 0])
        #expect(outcomes[7] == .inserted(sequence: 2, isConflict: false))
        #expect(commits.withLock { $0 } == [["a", "e"]])
        #expect(try replica.collection().insert([], remote: 1) == [])
        try replica.checkAndClose()
    }

    @Test("offered revisions that exist are marked as synced, and a commit happens only if that changes anything")
    func compare() throws {
        let commits = Mutex(0)
        let replica = try TestReplica { if $0 == .after { commits.withLock { $0 += 1 } } }
        let first = try replica.save("a", #"{"n":1}"#)
        let second = try replica.save("b", #"{"n":2}"#)
        let collection = try replica.collection()
        let offers = [
            OfferedRevision(documentID: "a", revision: first),
            OfferedRevision(documentID: "c", revision: first),
            OfferedRevision(documentID: "b", revision: second),
        ]
        let isNews = try collection.compare(offers, OfferOptions(remote: 1, needsBodies: true))
        #expect(
            isNews == [
                .have(isRemoteAncestorMoved: true, isConflictBranch: false), .want(ancestors: []),
                .have(isRemoteAncestorMoved: true, isConflictBranch: false),
            ]
        )
        #expect(commits.withLock { $0 } == 1)
        #expect(try collection.change(of: "b", remote: 1)?.remoteAncestor == second)
        let isKnown = try collection.compare(offers, OfferOptions(remote: 1, needsBodies: true))
        #expect(isKnown[0] == .have(isRemoteAncestorMoved: false, isConflictBranch: false))
        _ = try collection.compare(offers, OfferOptions(remote: nil, needsBodies: true))
        #expect(commits.withLock { $0 } == 1)
        try replica.checkAndClose()
    }

    @Test("marking pushed revisions as synced does not change their sequences")
    func markSynced() throws {
        let replica = try TestReplica()
        let revisions = try (0..<20).map { number in
            (documentID: "\(number)", revision: try replica.save("\(number)", #"{"n":\#(number)}"#))
        }
        let collection = try replica.collection()
        let before = try collection.changes(after: 0, limit: 100, remote: 1)
        try collection.markSynced(revisions, remote: 1)
        let after = try collection.changes(after: 0, limit: 100, remote: 1)
        #expect(after.map(\.sequence) == before.map(\.sequence))
        #expect(before.allSatisfy { !$0.isAtRemote } && after.allSatisfy(\.isAtRemote))
        try replica.checkAndClose()
    }

    @Test("pending documents are those that are neither synced nor filtered out")
    func pending() throws {
        let replica = try TestReplica()
        let collection = try replica.collection()
        for number in 1...2100 { try replica.save("\(number)", "{}") }
        try collection.markSynced([("7", try replica.save("7", #"{"n":1}"#))], remote: 1)
        let pending = try collection.pendingDocuments(after: 5, remote: 1) {
            $0.sequence % 2 == 0 || $0.documentID == "9"
        }
        #expect(pending.count == 1049)
        #expect(Array(pending.prefix(4)) == ["6", "8", "9", "10"])
        #expect(try collection.pendingDocuments(after: 2100, remote: nil) { _ in true } == ["7"])
        #expect(try collection.pendingDocuments(after: 2100, remote: 1) { _ in true } == [])
    }

    @Test("conflicts are listed, read and resolved")
    func conflicts() throws {
        let replica = try TestReplica()
        let collection = try replica.collection()
        #expect(try collection.conflictedDocuments() == [])
        try replica.save("a", #"{"n":1}"#)
        #expect(
            try collection.insert([replica.received("a", ["1-aa"])], remote: 1) == [
                .inserted(sequence: 2, isConflict: true)
            ]
        )
        #expect(try collection.conflictedDocuments() == ["a"])
        let conflict = try #require(try collection.conflict(in: "a"))
        let resolved = try #require(try collection.resolve(conflict, with: .merged(replica.body(#"{"n":3}"#))))
        #expect(resolved.isNew)
        #expect(try replica.json("a") == #"{"n":3}"#)
        #expect(try collection.purge("a"))
        #expect(try !collection.purge("a"))
        #expect(try collection.isEmpty())
        try replica.checkAndClose()
    }

    @Test(
        "existing databases accept received revisions and resolve their conflicts",
        arguments: ["v2.7", "v2.8", "v3.0-names-deleted", "wal", "travel-sample"]
    )
    func fixtures(_ name: String) throws {
        let replica = try TestReplica(fixture: name)
        let collection = try replica.collection()
        let changes = try collection.changes(after: 0, limit: 60, remote: 1)
        #expect(!changes.isEmpty)
        var revisions: [ReceivedRevision] = []
        for (number, change) in changes.enumerated() {
            let next = "\(change.revision.generation + 1)-00ff"
            let history = number % 3 == 0 ? [next, "\(change.revision)"] : ["1-0\(number % 10)"]
            revisions.append(try replica.received(change.documentID, history, #"{"theNewKey":{"n":\#(number)}}"#))
        }
        let outcomes = try collection.insert(revisions, remote: 1)
        for (number, outcome) in outcomes.enumerated() {
            guard case .inserted(_, let isConflict) = outcome else {
                Issue.record("\(changes[number].documentID): \(outcome)")
                continue
            }
            #expect(isConflict == (number % 3 != 0))
        }
        for id in try collection.conflictedDocuments() {
            let conflict = try #require(try collection.conflict(in: id))
            #expect(try collection.resolve(conflict, with: .remote)?.revision == conflict.remote.id)
        }
        #expect(try collection.conflictedDocuments() == [])
        let pushed = try collection.changes(after: 0, limit: 10_000, remote: 1).suffix(30)
        try collection.markSynced(pushed.map { ($0.documentID, $0.revision) }, remote: 2)
        try replica.checkAndClose()
    }
}
