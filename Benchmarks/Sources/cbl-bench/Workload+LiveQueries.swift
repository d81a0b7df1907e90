import CouchbaseLiteSwift
import Dispatch
import Foundation

extension Workload {
    private static let liveQueries = 100
    private static let observedDocuments = 100

    /// What queries that are observed cost somebody who saves: the floor is the library itself without them.
    static let live = [
        Workload("live_unrelated", ours: { try insertBesideLiveQueries($0) }, floor: { try insertEach($0.stage, fullSync: false).seconds })
    ]

    /// Saves documents, each in a transaction, beside queries of another collection that have listeners.
    private static func insertBesideLiveQueries(_ stage: Stage) throws -> Outcome {
        try insertEach(stage, fullSync: false) { database in
            let other = try database.createCollection(name: "other")
            for i in 0..<observedDocuments { try other.save(document: UserDocument.make(i)) }
            let queue = DispatchQueue(label: "live")
            let first = DispatchSemaphore(value: 0)
            for number in 0..<liveQueries {
                let query = try database.createQuery("SELECT meta().id, name FROM other WHERE age >= \(number)")
                query.addChangeListener(withQueue: queue) { _ in first.signal() }
            }
            for _ in 0..<liveQueries { first.wait() }
        }
    }
}
