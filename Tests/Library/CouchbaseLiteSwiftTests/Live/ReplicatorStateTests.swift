#if Replication
import Foundation
import TestSupport
import Testing

@testable import CouchbaseLiteSwift

@MainActor
@Suite("Observable states of replicators")
struct ReplicatorStateTests {
    let folder: DatabaseFolder
    let source: Database
    let target: Database

    init() throws {
        folder = try DatabaseFolder()
        source = try folder.open("source")
        target = try folder.open("target")
        for number in 1...3 { try source.saveDocument(MutableDocument(id: "\(number)")) }
    }

    private func replicator(to endpoint: (any Endpoint)? = nil) throws -> Replicator {
        let config = ReplicatorConfiguration(target: endpoint ?? DatabaseEndpoint(database: target))
        config.maxAttempts = 1
        config.addCollection(try source.defaultCollection())
        return Replicator(config: config)
    }

    @Test("the state of a replicator follows its activity and progress")
    func follows() async throws {
        let replicator = try replicator()
        let state = ReplicatorState(replicator)
        #expect(state.activity == .stopped && state.fractionCompleted == 0 && state.replicator === replicator)
        replicator.start()
        await observe({ state.progress }, until: { $0.completed == 3 && $0.total == 3 })
        await observe({ state.activity }, until: { $0 == .stopped })
        #expect(state.fractionCompleted == 1 && state.error == nil)
        #expect(try target.defaultCollection().count == 3)
    }

    @Test("the state of a replicator has the error that stopped it")
    func error() async throws {
        // Nothing listens on this port.
        let replicator = try replicator(to: URLEndpoint(validating: #require(URL(string: "ws://127.0.0.1:1/db"))))
        let state = ReplicatorState(replicator)
        replicator.start()
        await observe({ state.error as NSError? }, until: { $0 != nil })
        await observe({ state.activity }, until: { $0 == .stopped })
    }

    @Test("the state of a replicator can be released while the replicator runs")
    func released() throws {
        let replicator = try replicator()
        weak var released: ReplicatorState?
        do {
            let state = ReplicatorState(replicator)
            released = state
            #expect(released != nil && state.activity == .stopped)
        }
        #expect(released == nil)
    }
}
#endif
