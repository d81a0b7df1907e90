import Fleece
import TestSupport
import Testing

@testable import DocumentStore

@Suite("Replication model")
struct ReplicatingModelTests {
    @Test("a randomly changed and replicated database matches the model after every step", arguments: [UInt64(0), 1, 2])
    func random(_ offset: UInt64) throws {
        let seed = TestSeed.forThisTest() &+ offset
        let run = try RandomReplication(seed: seed, remote: offset == 2 ? 2 : 1)
        for step in 0..<700 {
            try run.step()
            let difference = try run.difference()
            try #require(difference == nil, "seed \(seed), step \(step): \(difference ?? "")")
        }
        // Every kind of step must have occurred.
        #expect(run.counts.count == RandomReplication.Event.allCases.count, "\(run.counts)")
        try run.database.checkAndClose()
    }
}

private func zip<First, Second>(_ first: First?, _ second: Second?) -> (First, Second)? {
    if let first, let second { (first, second) } else { nil }
}

/// A database and a server, some documents, and their expected states.
private final class RandomReplication {
    enum Event: CaseIterable {
        case saved, deleted, purged, pulled, conflict, late, known, pushed, noted, switched, resolved
    }

    let database: TestDatabase
    private(set) var counts: [Event: Int] = [:]
    private let remote: Int
    private var random: SeededGenerator
    private var local: [String: ModelDocument] = [:]
    private var server: [String: ModelServerDocument] = [:]
    private var counter = 0
    /// The document of the last step, whether it must have a new sequence, and its previous sequence.
    private var last = (id: "", isChanged: false, sequence: UInt64(0))

    init(seed: UInt64, remote: Int) throws {
        database = try TestDatabase()
        random = SeededGenerator(seed: seed)
        self.remote = remote
    }

    func step() throws {
        let id = ["a", "b", "c", "d"][Int.random(in: 0..<4, using: &random)]
        last = (id, false, try database.collection().lastSequence())
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<4: try save(id)
        case 4: try delete(id)
        case 5..<8: changeServer(id)
        case 8: switchServer(id)
        case 9..<13: try pull(id)
        case 13: try pullOld(id)
        case 14..<17: try push(id)
        case 17: try noteOld(id)
        case 18: try resolve(id)
        default: if (local[id]?.revisions.count ?? 0) > 12 { try purge(id) }
        }
    }

    private func count(_ event: Event) { counts[event, default: 0] += 1 }

    private func nextJSON() -> String {
        counter += 1
        return #"{"v":\#(counter)}"#
    }

    // MARK: Local steps

    private func save(_ id: String) throws {
        let json = nextJSON()
        let revision = try #require(try database.save(id, json).revision)
        local[id, default: ModelDocument()].save(revision, json, isDeleted: false)
        last.isChanged = true
        count(.saved)
    }

    private func delete(_ id: String) throws {
        guard let revision = try database.delete(id).revision else { return }
        local[id]?.save(revision, "{}", isDeleted: true)
        last.isChanged = true
        count(.deleted)
    }

    private func purge(_ id: String) throws {
        #expect(try database.purge(id))
        local[id] = nil
        server[id] = nil
        count(.purged)
    }

    private func resolve(_ id: String) throws {
        let collection = try database.collection()
        guard let conflict = try collection.conflict(in: id) else { return }
        let json = nextJSON()
        let (resolution, result): (ConflictResolution, (String, isDeleted: Bool)?) =
            switch Int.random(in: 0..<4, using: &random) {
            case 0: (.remote, nil)
            case 1: (.local, (local[id]?.revisions[conflict.local.id]?.json ?? "", conflict.local.isDeleted))
            case 2: (.merged(try database.body(json)), (json, false))
            default: (.deleted, ("{}", true))
            }
        let resolved = try #require(try database.file.transaction { try collection.resolve(conflict, with: resolution, in: $0) })
        #expect(resolved.isNew == (result != nil))
        // If there was a third branch, the new revision need not be the current one.
        let made = try collection.revisions(of: id)?.first { $0.parent == conflict.remote.id }?.id
        #expect((made != nil) == (result != nil))
        local[id]?.resolve(
            local: conflict.local.id,
            remote: conflict.remote.id,
            result: zip(made, result).map { ($0, $1.0, isDeleted: $1.isDeleted) }
        )
        last.isChanged = true
        count(.resolved)
    }

    // MARK: Steps at the server

    private func serverRevision(after parent: RevisionID?) -> RevisionID {
        var digest = [UInt8](repeating: 0, count: 16)
        for index in digest.indices { digest[index] = UInt8.random(in: .min ... .max, using: &random) }
        // Digests of this length are within the limits.
        return digest.withUnsafeBytes { .tree(TreeRevisionID(generation: (parent?.generation ?? 0) + 1, digest: $0)!) }
    }

    private func changeServer(_ id: String) {
        var document = server[id] ?? ModelServerDocument()
        let isDeleted = document.current != nil && Int.random(in: 0..<5, using: &random) == 0
        let revision = serverRevision(after: document.current)
        document.change(revision, on: document.current, isDeleted ? "{}" : nextJSON(), isDeleted: isDeleted)
        server[id] = document
    }

    private func switchServer(_ id: String) {
        guard var document = server[id],
            let parent = document.parents.keys.sorted().randomElement(using: &random)
        else { return }
        document.change(serverRevision(after: parent), on: parent, nextJSON(), isDeleted: false)
        server[id] = document
        count(.switched)
    }

    // MARK: Replication

    private func pull(_ id: String) throws {
        guard let document = server[id], let current = document.current else { return }
        try receive(id, current, document)
    }

    private func pullOld(_ id: String) throws {
        guard let document = server[id],
            let revision = document.contents.keys.sorted().randomElement(using: &random)
        else { return }
        try receive(id, revision, document)
    }

    private func receive(_ id: String, _ revision: RevisionID, _ document: ModelServerDocument) throws {
        guard let content = document.contents[revision] else { return }
        var history = document.history(of: revision)
        // Servers omit the revisions before an ancestor that the client has reported.
        if Bool.random(using: &random),
            let known = history.firstIndex(where: { local[id]?.revisions[$0] != nil })
        {
            history.removeSubrange((known + 1)...)
        }
        let expected = local[id, default: ModelDocument()].receive(history, content.json, isDeleted: content.isDeleted)
        let outcome = try database.receive(id, history, content.json, isDeleted: content.isDeleted, remote: remote)
        switch (expected, outcome) {
        case (.known, .known): count(.known)
        case (.late, .ignoredAsLate): count(.late)
        case (.inserted(let isConflict), .inserted(_, let found)) where found == isConflict:
            last.isChanged = true
            count(isConflict ? .conflict : .pulled)
        default: Issue.record("\(id): \(expected) was expected, but it is \(outcome)")
        }
    }

    private func push(_ id: String) throws {
        guard let document = local[id], let current = document.current,
            let revision = document.revisions[current], let json = revision.json
        else { return }
        let history = document.history(of: current)
        if let serverCurrent = server[id]?.current {
            guard document.remote == serverCurrent, current != serverCurrent, history.contains(serverCurrent) else { return }
        }
        server[id, default: ModelServerDocument()].adopt(history, json, isDeleted: revision.isDeleted)
        try database.note(current, of: id, remote: remote)
        _ = local[id]?.note(current)
        count(.pushed)
    }

    private func noteOld(_ id: String) throws {
        guard let revision = local[id]?.revisions.keys.sorted().randomElement(using: &random) else { return }
        try database.note(revision, of: id, remote: remote)
        _ = local[id]?.note(revision)
        count(.noted)
    }

    // MARK: Comparing

    /// Returns the differences from the expected state.
    func difference() throws -> String? {
        let collection = try database.collection()
        for (id, model) in local {
            let change = try #require(try collection.change(of: id, remote: remote))
            guard change.revision == model.current else { return "\(id) is at \(change.revision)" }
            let current = try #require(model.revisions[change.revision])
            guard change.isDeleted == current.isDeleted else { return "\(id) is deleted: \(change.isDeleted)" }
            guard change.isConflicted == model.isConflicted else { return "\(id) is in conflict: \(change.isConflicted)" }
            guard change.remoteAncestor == model.remote else {
                return "\(id) has the remote ancestor \(String(describing: change.remoteAncestor))"
            }
            let leaves = try #require(try collection.revisions(of: id)).filter(\.isLeaf)
            guard leaves.map(\.id) == model.leaves else { return "\(id) has the leaves \(leaves)" }
            for leaf in leaves {
                guard leaf.isConflict == model.revisions[leaf.id]?.isConflict else { return "\(leaf)" }
                let sent = try collection.revision(leaf.id, of: id)
                guard try sent?.json == model.revisions[leaf.id]?.json else { return "\(id) has another body" }
                guard sent?.history == Array(model.history(of: leaf.id).dropFirst()) else { return "\(id): history" }
            }
            if let remote = model.remote, let base = try collection.revision(remote, of: id) {
                guard try base.json == model.revisions[remote]?.json else { return "\(id) has another base" }
            }
        }
        let changes = try collection.changes(after: 0, limit: 100, remote: nil)
        guard Set(changes.map(\.documentID)) == Set(local.keys) else { return "there are other documents" }
        let conflicts = local.filter(\.value.isConflicted).keys.sorted()
        guard try collection.conflictedDocuments().sorted() == conflicts else { return "there are other conflicts" }
        let sequence = try collection.lastSequence()
        guard sequence == last.sequence + (last.isChanged ? 1 : 0) else { return "the sequence is \(sequence)" }
        guard !last.isChanged || changes.last?.documentID == last.id else { return "\(last.id) is not the latest" }
        return nil
    }
}
