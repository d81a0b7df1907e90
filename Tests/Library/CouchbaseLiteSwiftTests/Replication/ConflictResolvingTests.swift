#if Replication
import SyncCore
import DocumentStore
import Foundation
import Synchronization
import TestSupport
import TestTraits
import Testing

@testable import CouchbaseLiteSwift
@testable import Replication

/// A resolver that records the conflicts, and resolves them as the test specifies.
private final class TestResolver: ConflictResolverProtocol, AsyncConflictResolverProtocol, Sendable {
    let asked = Recorder<String>()
    private let answer: @Sendable (Conflict) throws -> Document?
    private let gate: Gate?

    /// Lets tasks continue when it is open.
    actor Gate {
        private var isOpen = false
        private var waiting: [CheckedContinuation<Void, Never>] = []

        func open() {
            isOpen = true
            for continuation in waiting { continuation.resume() }
            waiting = []
        }

        func pass() async {
            if isOpen { return }
            await withCheckedContinuation { waiting.append($0) }
        }
    }

    init(gate: Gate? = nil, _ answer: @escaping @Sendable (Conflict) throws -> Document? = { $0.remoteDocument }) {
        self.gate = gate
        self.answer = answer
    }

    func resolve(conflict: Conflict) -> Document? {
        asked.append(conflict.documentID)
        return try? answer(conflict)
    }

    func resolve(conflict: Conflict) async throws -> Document? {
        asked.append(conflict.documentID)
        await gate?.pass()
        return try answer(conflict)
    }
}

@Suite("Conflict resolution during replication", .ownThreads)
struct ConflictResolvingTests {
    private func driven(_ resolver: TestResolver? = nil, async: TestResolver? = nil) throws -> (DrivenReplicator, ConflictedDocuments) {
        var config = CollectionConfiguration()
        config.conflictResolver = resolver
        config.asyncConflictResolver = async
        let driven = try DrivenReplicator(continuous: true, config)
        driven.start()
        try driven.open()
        return (driven, ConflictedDocuments(collection: driven.collection))
    }

    /// Waits until the session is notified that the conflict is settled.
    private func waitForSettled(_ id: String, _ driven: DrivenReplicator) async throws {
        let session = try driven.connection.session
        #expect(await session.settled.reaches { $0.contains(id) })
        driven.settle()
    }

    /// Waits until the replicator has reported a status with this activity.
    private func wait(for activity: Replicator.ActivityLevel, _ driven: DrivenReplicator) async {
        #expect(await driven.statuses.reaches { $0.last?.activity == activity })
    }

    @Test("a resolved conflict is acknowledged to the session and its document is reported without an error")
    func resolved() async throws {
        let resolver = TestResolver()
        let (driven, documents) = try driven(resolver)
        try documents.make("x")
        let ended = EndedDocument(collection: .default, documentID: "x", isPush: false, error: SyncError(.liteCore, 8), isTransient: true)
        try driven.report(.documents([ended]), .conflict(collection: .default, documentID: "x"))
        try await waitForSettled("x", driven)
        #expect(try documents.winner("x") == "remote")
        driven.advance(by: 200)
        let notified = driven.documents.all.flatMap(\.documents)
        #expect(notified.map(\.id) == ["x"])
        #expect(notified.allSatisfy { $0.error == nil })
        #expect(resolver.asked.all == ["x"])
    }

    @Test("the default resolver is used when no resolver is configured")
    func byDefault() async throws {
        let (driven, documents) = try driven()
        try documents.make("x", local: nil)
        try driven.report(.conflict(collection: .default, documentID: "x"))
        try await waitForSettled("x", driven)
        #expect(try driven.collection.document(id: "x") == nil)
        driven.advance(by: 200)
        #expect(driven.documents.all.first?.documents.first?.flags == .deleted)
    }

    @Test("a conflict in which both sides deleted the document is resolved without calling the resolver")
    func bothDeleted() async throws {
        let resolver = TestResolver()
        let (driven, documents) = try driven(resolver)
        try documents.make("x", local: nil, remote: nil)
        try driven.report(.conflict(collection: .default, documentID: "x"))
        try await waitForSettled("x", driven)
        #expect(resolver.asked.all.isEmpty)
        #expect(try driven.collection.conflictedDocumentIDs().isEmpty)
    }

    @Test("a resolver's result from another collection is reported as an error of the document, whose conflict is kept")
    func wrongAnswer() async throws {
        let (driven, documents) = try driven(
            TestResolver { conflict in
                let document = MutableDocument(id: conflict.documentID)
                let other = conflict.localDocument?.collection?.database
                document.collection = try other?.createCollection(name: "other")
                return document
            }
        )
        try documents.make("x")
        try driven.report(.conflict(collection: .default, documentID: "x"))
        try await waitForSettled("x", driven)
        driven.advance(by: 200)
        let error = driven.documents.all.first?.documents.first?.error as NSError?
        #expect(error?.code == CBLError.conflict)
        #expect(try driven.collection.conflictedDocumentIDs() == ["x"])
    }

    @Test("a replicator is busy while conflicts are being resolved, and stops only after their resolution")
    func busy() async throws {
        let gate = DispatchSemaphore(value: 0)
        let (driven, documents) = try driven(
            TestResolver {
                gate.wait()
                return $0.remoteDocument
            }
        )
        try documents.make("x")
        try driven.report(.status(SessionStatus(isBusy: false)))
        try driven.report(.conflict(collection: .default, documentID: "x"))
        #expect(driven.replicator.status.activity == .busy)
        driven.stop()
        #expect(driven.replicator.status.activity == .busy)
        gate.signal()
        await wait(for: .stopped, driven)
        #expect(try documents.winner("x") == "remote")
    }

    /// Lets threads continue when enough of them are waiting.
    private final class Meeting: Sendable {
        private let condition = NSCondition()
        private let count: Int
        private let present = Mutex(0)

        init(of count: Int) {
            self.count = count
        }

        func wait() {
            condition.withLock {
                present.withLock { $0 += 1 }
                condition.broadcast()
                while present.withLock({ $0 }) < count { condition.wait() }
            }
        }
    }

    @Test("synchronous resolvers run concurrently without waiting for one another")
    func threads() async throws {
        let ids = (0..<8).map { "d\($0)" }
        let meeting = Meeting(of: ids.count)
        let (driven, documents) = try driven(
            TestResolver {
                meeting.wait()
                return $0.remoteDocument
            }
        )
        for id in ids { try documents.make(id) }
        for id in ids { try driven.report(.conflict(collection: .default, documentID: id)) }
        for id in ids { try await waitForSettled(id, driven) }
        #expect(try driven.collection.conflictedDocumentIDs().isEmpty)
    }

    @Test("a slow resolver delays only its own document, and a stopping replicator waits for the resolver to finish")
    func slowResolver() async throws {
        let gate = DispatchSemaphore(value: 0)
        let (driven, documents) = try driven(
            TestResolver {
                if $0.documentID == "slow" { gate.wait() }
                return $0.remoteDocument
            }
        )
        for id in ["slow", "quick"] { try documents.make(id) }
        for id in ["slow", "quick"] { try driven.report(.conflict(collection: .default, documentID: id)) }
        try await waitForSettled("quick", driven)
        #expect(try driven.collection.conflictedDocumentIDs() == ["slow"])
        driven.stop()
        #expect(driven.replicator.status.activity == .busy)
        gate.signal()
        await wait(for: .stopped, driven)
        #expect(try documents.winner("slow") == "remote")
    }

    @Test("a document that is reported again while its conflict is being resolved is resolved only once")
    func reportedAgain() async throws {
        let gate = DispatchSemaphore(value: 0)
        let resolver = TestResolver {
            gate.wait()
            return $0.remoteDocument
        }
        let (driven, documents) = try driven(resolver)
        try documents.make("x")
        try driven.report(.conflict(collection: .default, documentID: "x"))
        #expect(await resolver.asked.reaches { $0.count == 1 })
        try driven.report(.conflict(collection: .default, documentID: "x"))
        try driven.report(.status(SessionStatus(isBusy: false)))
        #expect(driven.replicator.status.activity == .busy)
        gate.signal()
        await wait(for: .idle, driven)
        #expect(resolver.asked.all == ["x"])
        driven.advance(by: 200)
        #expect(driven.documents.all.flatMap(\.documents).map(\.id) == ["x"])
    }

    /// The error with which a document is reported.
    private func failure(of id: String, _ driven: DrivenReplicator, _ documents: ConflictedDocuments) async throws
        -> NSError?
    {
        try documents.make(id)
        try driven.report(.conflict(collection: .default, documentID: id))
        try await waitForSettled(id, driven)
        driven.advance(by: 200)
        let notified = driven.documents.all.flatMap(\.documents)
        #expect(notified.map(\.id) == [id])
        return notified.first?.error as NSError?
    }

    @Test("resolving with a blob saved to another database is an error of the document, whose conflict stays")
    func foreignBlob() async throws {
        let folder = try DatabaseFolder()
        let other = try folder.open("other")
        let blob = Blob(contentType: "text/plain", data: Data("elsewhere".utf8))
        try other.saveBlob(blob: blob)
        let (driven, documents) = try driven(
            TestResolver { conflict in
                MutableDocument(id: conflict.documentID).setValue(["list": [blob]], forKey: "deep")
            }
        )
        let error = try #require(try await failure(of: "x", driven, documents))
        #expect(error.domain == CBLError.domain && error.code == CBLError.unexpectedError)
        #expect(
            error.localizedDescription
                == "A document contains a blob that was saved to a different database. The save operation cannot complete."
        )
        #expect(try driven.collection.conflictedDocumentIDs() == ["x"])
        #expect(try documents.winner("x") == "local")
    }

    @Test("resolving with a blob of a document read from another database is an error of the document")
    func foreignDocument() async throws {
        let folder = try DatabaseFolder()
        let other = try folder.open("other")
        let blob = Blob(contentType: "text/plain", data: Data("elsewhere".utf8))
        try other.saveDocument(MutableDocument(id: "b").setBlob(blob, forKey: "blob"))
        let stored = try #require(other.document(withID: "b")).toMutable()
        let (driven, documents) = try driven(
            TestResolver { conflict in
                let document = MutableDocument(id: conflict.documentID)
                return document.setValue(stored.blob(forKey: "blob"), forKey: "blob")
            }
        )
        #expect(try await failure(of: "x", driven, documents)?.code == CBLError.unexpectedError)
    }

    @Test("a document purged while its conflict is being resolved is reported as not found and stays purged")
    func purgedMeanwhile() async throws {
        let (driven, documents) = try driven(
            TestResolver { conflict in
                try conflict.localDocument?.collection?.purge(id: conflict.documentID)
                return conflict.remoteDocument
            }
        )
        let error = try #require(try await failure(of: "x", driven, documents))
        #expect(error.domain == CBLError.domain && error.code == CBLError.notFound)
        #expect(try driven.collection.document(id: "x") == nil)
        #expect(try driven.collection.conflictedDocumentIDs().isEmpty)
    }

    @Test("asynchronous resolvers run concurrently")
    func tasks() async throws {
        let gate = TestResolver.Gate()
        let resolver = TestResolver(gate: gate)
        let (driven, documents) = try driven(async: resolver)
        for id in ["a", "b", "c"] { try documents.make(id) }
        try driven.report(
            .conflict(collection: .default, documentID: "a"),
            .conflict(collection: .default, documentID: "b"),
            .conflict(collection: .default, documentID: "c")
        )
        // All three resolvers are called before one returns.
        #expect(await resolver.asked.reaches { $0.count == 3 })
        await gate.open()
        for id in ["a", "b", "c"] { try await waitForSettled(id, driven) }
        #expect(try driven.collection.conflictedDocumentIDs().isEmpty)
    }

    @Test("an error thrown by an asynchronous resolver is reported with the document, whose conflict stays")
    func throwingTask() async throws {
        struct NoIdea: LocalizedError {
            var errorDescription: String? { "no idea" }
        }
        let (driven, documents) = try driven(async: TestResolver { _ in throw NoIdea() })
        try documents.make("x")
        try driven.report(.conflict(collection: .default, documentID: "x"))
        try await waitForSettled("x", driven)
        driven.advance(by: 200)
        let error = driven.documents.all.first?.documents.first?.error as NSError?
        #expect(error?.localizedDescription == "no idea")
        #expect(try driven.collection.conflictedDocumentIDs() == ["x"])
    }

    @Test("stopping a replicator does not wait for asynchronous resolvers, whose later results are ignored")
    func stopWithTasks() async throws {
        let gate = TestResolver.Gate()
        let resolver = TestResolver(gate: gate)
        let (driven, documents) = try driven(async: resolver)
        try documents.make("x")
        try driven.report(.conflict(collection: .default, documentID: "x"))
        #expect(await resolver.asked.reaches { $0.count == 1 })
        driven.stop()
        #expect(driven.replicator.status.activity == .stopped)
        await gate.open()
        driven.settle()
        #expect(try driven.collection.conflictedDocumentIDs() == ["x"])
    }

    @Test("a replicator that is stopped while the result of an asynchronous resolver is stored waits until it is stored")
    func stopWhileStoring() async throws {
        let reads = Recorder<Void>()
        let gate = DispatchSemaphore(value: 0)
        // The contents of a new blob are read while the result is stored.
        let resolver = TestResolver { conflict in
            let stream = GeneratedContent(count: 10).stream {
                reads.append(())
                if reads.all.count == 1 { gate.wait() }
            }
            let document = try #require(conflict.remoteDocument).toMutable()
            return document.setBlob(Blob(contentType: "text/plain", contentStream: stream), forKey: "blob")
        }
        let (driven, documents) = try driven(async: resolver)
        try documents.make("x")
        try driven.report(.conflict(collection: .default, documentID: "x"))
        #expect(await reads.reaches { !$0.isEmpty })
        driven.stop()
        #expect(driven.replicator.status.activity == .busy)
        gate.signal()
        await wait(for: .stopped, driven)
        #expect(try driven.collection.conflictedDocumentIDs().isEmpty)
        #expect(try documents.winner("x") == "remote")
    }

    @Test("after a restart, a document is passed to an asynchronous resolver only when the earlier call for it has returned")
    func restartWithTasks() async throws {
        let gate = TestResolver.Gate()
        let resolver = TestResolver(gate: gate)
        let (driven, documents) = try driven(async: resolver)
        for id in ["x", "y"] { try documents.make(id) }
        try driven.report(.conflict(collection: .default, documentID: "x"))
        #expect(await resolver.asked.reaches { $0 == ["x"] })
        driven.stop()
        #expect(driven.replicator.status.activity == .stopped)
        driven.start()
        try driven.open()
        for id in ["x", "y"] { try driven.report(.conflict(collection: .default, documentID: id)) }
        #expect(await resolver.asked.reaches { $0.contains("y") })
        #expect(resolver.asked.all == ["x", "y"])
        await gate.open()
        for id in ["x", "y"] { try await waitForSettled(id, driven) }
        #expect(resolver.asked.all == ["x", "y", "x"])
        #expect(try driven.collection.conflictedDocumentIDs().isEmpty)
    }

    @Test("a resolver may close the database")
    func closing() async throws {
        let closed = Recorder<Void>()
        let (driven, documents) = try driven(
            TestResolver { conflict in
                try? conflict.localDocument?.collection?.database.close()
                closed.append(())
                return nil
            }
        )
        try documents.make("x")
        try driven.report(.conflict(collection: .default, documentID: "x"))
        #expect(await closed.reaches { $0.count == 1 })
        await wait(for: .stopped, driven)
        #expect(driven.database.path == nil)
    }
}
#endif
