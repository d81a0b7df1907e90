#if Replication
    import BLIP
    import DocumentStore
    import Foundation
    import Replication
    import Synchronization
    import TestSupport
    import TestTraits
    import Testing

    @testable import CouchbaseLiteSwift

    /// A resolver that records what it was asked, and answers as the test says.
    private final class TestResolver: ConflictResolverProtocol, AsyncConflictResolverProtocol, Sendable {
        let asked = Recorder<String>()
        private let answer: @Sendable (Conflict) throws -> Document?
        private let gate: Gate?

        /// Lets tasks through once it is open.
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

    @Suite("Resolving conflicts while replicating", .ownThreads)
    struct ConflictResolvingTests {
        private func driven(
            _ resolver: TestResolver? = nil,
            async: TestResolver? = nil
        ) throws -> (DrivenReplicator, ConflictedDocuments) {
            var config = CollectionConfiguration()
            config.conflictResolver = resolver
            config.asyncConflictResolver = async
            let driven = try DrivenReplicator(continuous: true, config)
            driven.start()
            try driven.open()
            return (driven, ConflictedDocuments(collection: driven.collection))
        }

        /// Waits until the session knows that the conflict is settled. Gives way meanwhile: resolvers may need the test's own threads.
        private func waitForSettled(_ id: String, _ driven: DrivenReplicator) async throws {
            let session = try driven.connection.session
            await wait { session.told.contains("settled \(id)") }
            driven.settle()
        }

        /// Looks every two milliseconds. Resolvers that are tasks may wait until all tests that came before them in the pool are through.
        private func wait(until isDone: () -> Bool) async {
            let deadline = Date(timeIntervalSinceNow: 900)
            while !isDone(), Date() < deadline {
                usleep(2000)
                await Task.yield()
            }
            #expect(isDone())
        }

        @Test("the resolver is asked, the session told, and the document reported without an error")
        func resolved() async throws {
            let resolver = TestResolver()
            let (driven, documents) = try driven(resolver)
            try documents.make("x")
            let ended = EndedDocument(
                collection: .default,
                documentID: "x",
                isPush: false,
                error: SyncError(.liteCore, 8),
                isTransient: true
            )
            try driven.report(.documents([ended]), .conflict(collection: .default, documentID: "x"))
            try await waitForSettled("x", driven)
            #expect(try documents.winner("x") == "remote")
            driven.advance(by: 200)
            let told = driven.documents.all.flatMap(\.documents)
            #expect(told.map(\.id) == ["x"])
            #expect(told.allSatisfy { $0.error == nil })
            #expect(resolver.asked.all == ["x"])
        }

        @Test("without a resolver the default one decides")
        func byDefault() async throws {
            let (driven, documents) = try driven()
            try documents.make("x", local: nil)
            try driven.report(.conflict(collection: .default, documentID: "x"))
            try await waitForSettled("x", driven)
            #expect(try driven.collection.document(id: "x") == nil)
            driven.advance(by: 200)
            #expect(driven.documents.all.first?.documents.first?.flags == .deleted)
        }

        @Test("when both sides have deleted the document nobody is asked")
        func bothDeleted() async throws {
            let resolver = TestResolver()
            let (driven, documents) = try driven(resolver)
            try documents.make("x", local: nil, remote: nil)
            try driven.report(.conflict(collection: .default, documentID: "x"))
            try await waitForSettled("x", driven)
            #expect(resolver.asked.all.isEmpty)
            #expect(try driven.collection.conflictedDocumentIDs().isEmpty)
        }

        @Test("a wrong answer is reported with the document, whose conflict stays")
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

        @Test("a replicator is busy while conflicts are being resolved, and stops when they are")
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
            await wait { driven.statuses.all.last?.activity == .stopped }
            #expect(try documents.winner("x") == "remote")
        }

        @Test("tasks resolve conflicts beside each other")
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
            // All three have been asked about before one is answered.
            await wait { resolver.asked.all.count == 3 }
            await gate.open()
            for id in ["a", "b", "c"] { try await waitForSettled(id, driven) }
            #expect(try driven.collection.conflictedDocumentIDs().isEmpty)
        }

        @Test("what a task throws is reported, and the conflict stays")
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

        @Test("stop does not wait for tasks, and nothing comes of what they answer later")
        func stopWithTasks() async throws {
            let gate = TestResolver.Gate()
            let resolver = TestResolver(gate: gate)
            let (driven, documents) = try driven(async: resolver)
            try documents.make("x")
            try driven.report(.conflict(collection: .default, documentID: "x"))
            await wait { resolver.asked.all.count == 1 }
            driven.stop()
            #expect(driven.replicator.status.activity == .stopped)
            await gate.open()
            driven.settle()
            #expect(try driven.collection.conflictedDocumentIDs() == ["x"])
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
            await wait { closed.all.count == 1 }
            await wait { driven.statuses.all.last?.activity == .stopped }
            #expect(driven.database.path == nil)
        }
    }
#endif
