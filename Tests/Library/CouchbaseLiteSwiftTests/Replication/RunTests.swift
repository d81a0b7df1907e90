#if Replication
import DocumentStore
import Foundation
import SyncCore
import SyncRuntime
import TestSupport
import TestTraits
import Testing

@testable import CouchbaseLiteSwift
@testable import Replication

@Suite("A run of a replicator", .ownThreads)
struct RunTests {
    let folder: DatabaseFolder
    let near: Database
    let far: Database

    init() throws {
        folder = try DatabaseFolder()
        near = try folder.open("near")
        far = try folder.open("far")
    }

    private func replicator(
        _ resolver: (any ConflictResolverProtocol)? = nil,
        configure: (ReplicatorConfiguration) -> Void = { _ in }
    ) throws -> Replicator {
        var collection = CollectionConfiguration()
        collection.conflictResolver = resolver
        let config = ReplicatorConfiguration(target: DatabaseEndpoint(database: far))
        config.addCollection(try near.defaultCollection(), config: collection)
        configure(config)
        return Replicator(config: config)
    }

    private func save(_ id: String, _ json: String = #"{"a":1}"#, in database: Database) throws {
        let document = database.document(withID: id)?.toMutable() ?? MutableDocument(id: id)
        try database.saveDocument(document.setJSON(json))
    }

    /// Runs a replicator with a scripted session, whose task is returned when it has started.
    private func running(_ driven: DrivenReplicator) async -> Task<ReplicatorReport, any Error> {
        @Sendable func starts(_ statuses: [Replicator.Status]) -> Int { statuses.count { $0.activity == .connecting } }
        let before = starts(driven.statuses.all)
        let task = Task { [replicator = driven.replicator] in try await replicator.run() }
        #expect(await driven.statuses.reaches { starts($0) > before })
        return task
    }

    @Test("the report of a run lists what was pushed and pulled")
    func report() async throws {
        for number in 0..<3 { try save("near\(number)", in: near) }
        try save("far", in: far)
        let replicator = try replicator()
        let report = try await replicator.run()
        #expect(report.pushed.count == 3 && report.pulled.count == 1)
        #expect(report.pushed.first.map(\.id).sorted() == ["near0", "near1", "near2"])
        #expect(report.pulled.first.map { "\($0.scope).\($0.collection).\($0.id)" } == ["_default._default.far"])
        #expect(report.conflicts.isEmpty && report.refused.isEmpty)
        #expect(replicator.status.activity == .stopped)
        try near.deleteDocument(#require(near.document(withID: "near0")))
        let second = try await replicator.run()
        #expect(second.pushed.first.map(\.flags) == [.deleted] && second.pulled.isEmpty)
        let reset = try await replicator.run(reset: true)
        #expect(reset.pushed.isEmpty && reset.pulled.isEmpty)
    }

    @Test("the report of a run lists the resolved conflicts with their resolutions")
    func conflicts() async throws {
        struct ByName: ConflictResolverProtocol {
            func resolve(conflict: Conflict) -> Document? {
                switch conflict.documentID {
                case "local": conflict.localDocument
                case "remote": conflict.remoteDocument
                case "merged": conflict.localDocument?.toMutable().setInt(3, forKey: "a")
                default: nil
                }
            }
        }
        let ids = ["local", "remote", "merged", "deleted"]
        for id in ids { try save(id, in: near) }
        let replicator = try replicator(ByName())
        _ = try await replicator.run()
        for id in ids {
            try save(id, #"{"a":2}"#, in: near)
            try save(id, #"{"a":4}"#, in: far)
        }
        let report = try await replicator.run()
        #expect(report.conflicts.count == 4 && report.pulled.count == 4 && report.pushed.isEmpty)
        for conflict in report.conflicts.first {
            #expect("\(conflict.resolution)" == conflict.id && conflict.scope == "_default" && conflict.collection == "_default")
        }
        #expect(far.document(withID: "merged")?.int(forKey: "a") == 3)
    }

    @Test("the report of a run lists refused documents with the reasons, and does not list those that a filter rejects")
    func refusals() async throws {
        let driven = try DrivenReplicator()
        let task = await running(driven)
        try driven.open()
        func ended(_ id: String, _ error: SyncError?, isPush: Bool = true, isTransient: Bool = false) -> EndedDocument {
            EndedDocument(collection: .default, documentID: id, isPush: isPush, error: error, isTransient: isTransient)
        }
        try driven.report(
            .documents([
                ended("refused", SyncError(.webSocket, 403, "no")), ended("retried", SyncError(.webSocket, 503), isTransient: true),
                ended("filtered", .rejectedByPullFilter, isPush: false), ended("large", SyncError(.webSocket, 413, "large"), isPush: false),
            ])
        )
        driven.advance(by: 200)
        try driven.report(.documents([ended("retried", nil), ended("refused", SyncError(.webSocket, 403, "still no"))]))
        try driven.end(nil)
        let report = try await task.value
        #expect(report.refused.count == 2 && report.pushed.first.map(\.id) == ["retried"])
        // Listeners are notified of pulled documents first.
        #expect(report.refused.first.map(\.id) == ["large", "refused"] && report.refused.first.map(\.isPush) == [false, true])
        #expect(report.refused.first.map(\.error.localizedDescription) == ["large", "still no"])
        #expect(report.refused.first.map { ($0.error as NSError).code } == [10413, 10403])
    }

    @Test("a list of a report counts all documents, and has the first thousand")
    func bounded() async throws {
        let driven = try DrivenReplicator()
        let task = await running(driven)
        try driven.open()
        for number in 0..<1200 {
            let error = number % 2 == 0 ? nil : SyncError(.webSocket, 403)
            let documents = (0..<2).map { EndedDocument(collection: .default, documentID: "\(number)-\($0)", isPush: true, error: error) }
            try driven.report(.documents(documents))
        }
        try driven.end(nil)
        let report = try await task.value
        #expect(report.pushed.count == 1200 && report.pushed.first.count == 1000)
        #expect(report.refused.count == 1200 && report.refused.first.count == 1000)
        #expect(report.refused.first.first?.id == "1-0")
    }

    @Test("a run throws the error that has stopped the replicator")
    func failure() async throws {
        let replicator = try replicator { config in
            guard let other = try? near.createCollection(name: "other") else { return }
            config.addCollection(other)
        }
        #expect(await thrown { _ = try await replicator.run() } == .couchbaseLite(CBLError.httpNotFound))
        #expect((replicator.status.error as NSError?)?.code == CBLError.httpNotFound)
    }

    @Test("a run needs a replicator that is not continuous, is not running, and has an open database")
    func misuse() async throws {
        let continuous = try replicator { $0.continuous = true }
        #expect(await thrown { _ = try await continuous.run() } == .couchbaseLite(CBLError.unsupported))
        #expect(continuous.status.activity == .stopped)

        let driven = try DrivenReplicator()
        driven.start()
        #expect(await thrown { _ = try await driven.replicator.run() } == .busy)
        driven.stop()
        let task = await running(driven)
        #expect(await thrown { _ = try await driven.replicator.run() } == .busy)
        try driven.end(nil)
        _ = try await task.value

        let replicator = try replicator()
        try near.close()
        #expect(await thrown { _ = try await replicator.run() } == .notOpen)
    }

    @Test("cancelling the task of a run stops the replicator, and the run throws when it has stopped")
    func cancelled() async throws {
        let driven = try DrivenReplicator()
        let task = await running(driven)
        try driven.open()
        try driven.connection.channel.ignoreClosing()
        task.cancel()
        driven.settle()
        #expect(driven.replicator.status.activity == .busy)
        try driven.end(nil)
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(driven.replicator.status.activity == .stopped)
        // A task that is cancelled already starts nothing.
        let late = Task { [replicator = driven.replicator] in
            _ = withUnsafeCurrentTask { $0?.cancel() }
            return try await replicator.run()
        }
        await #expect(throws: CancellationError.self) { try await late.value }
        #expect(driven.connector.connections.count == 1)
    }

    @Test("a run that stop() ends throws, because not everything was replicated")
    func stopped() async throws {
        let driven = try DrivenReplicator()
        let task = await running(driven)
        driven.stop()
        await #expect(throws: CancellationError.self) { try await task.value }
        let second = await running(driven)
        try driven.open()
        try driven.end(nil)
        #expect(try await second.value.pushed.isEmpty)
    }

    @Test("listeners are notified during a run as after start()")
    func listeners() async throws {
        let driven = try DrivenReplicator()
        let task = await running(driven)
        try driven.open()
        try driven.report(.documents([EndedDocument(collection: .default, documentID: "a", isPush: true)]))
        try driven.end(nil)
        _ = try await task.value
        driven.settle()
        #expect(driven.notified == ["connecting", "busy", "stopped"])
        #expect(driven.documents.all.map { $0.replicator === driven.replicator } == [true])
    }
}
#endif
