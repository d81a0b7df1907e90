import CouchbaseLiteSwift
import Dispatch
import Floor
import Foundation

extension Workload {
    /// Sending all documents to an empty database. The floor is SQLite inserting the same rows: what the receiver must at least do.
    static let replication = [
        Workload("repl_local", ours: { try replicate($0, .push, over: .memory) }, floor: { floor_insert_batch($0.freshFile, try $0.rows) }),
        Workload(
            "repl_loopback_push",
            ours: { try replicate($0, .push, over: .socket(roundTrip: 0)) },
            floor: { floor_insert_batch($0.freshFile, try $0.rows) }
        ),
        Workload(
            "repl_loopback_pull",
            ours: { try replicate($0, .pull, over: .socket(roundTrip: 0)) },
            floor: { floor_insert_batch($0.freshFile, try $0.rows) }
        ),
        Workload("repl_again", ours: replicateAgain),
        Workload(
            "repl_push_50ms",
            ours: { try replicate($0, .push, over: .socket(roundTrip: 50)) },
            floor: { floor_insert_batch($0.freshFile, try $0.rows) }
        ),
        Workload(
            "repl_pull_50ms",
            ours: { try replicate($0, .pull, over: .socket(roundTrip: 50)) },
            floor: { floor_insert_batch($0.freshFile, try $0.rows) }
        ),
        Workload(
            "repl_push_100ms",
            ours: { try replicate($0, .push, over: .socket(roundTrip: 100)) },
            floor: { floor_insert_batch($0.freshFile, try $0.rows) }
        ),
        Workload(
            "repl_pull_100ms",
            ours: { try replicate($0, .pull, over: .socket(roundTrip: 100)) },
            floor: { floor_insert_batch($0.freshFile, try $0.rows) }
        ),
    ]

    /// What lies between the two databases.
    enum Path {
        case memory
        /// A connection over the loopback interface, with so many milliseconds added to each round trip.
        case socket(roundTrip: Int)
    }

    /// Times a one-shot replication of all documents from the database that has them to an empty one.
    static func replicate(_ stage: Stage, _ type: ReplicatorType, over path: Path) throws -> Outcome {
        try stage.withCopyOfDocuments { full in
            try stage.withFreshDatabase(named: "empty") { empty in
                // The one that dials is the active side.
                let (active, passive) = type == .push ? (full, empty) : (empty, full)
                let seconds: Double
                switch path {
                case .memory:
                    seconds = try run(active, DatabaseEndpoint(database: passive), type)
                case .socket(let roundTrip):
                    seconds = try withListener(for: passive, roundTrip: roundTrip) { url in
                        try run(active, URLEndpoint(url: url), type)
                    }
                }
                try expect(empty.defaultCollection().count, toBe: UInt64(stage.documents), "replicated documents")
                return Outcome(seconds: seconds)
            }
        }
    }

    /// Times a one-shot replication in both directions after one that has transferred all documents, and one that was offered them back.
    private static func replicateAgain(_ stage: Stage) throws -> Outcome {
        try stage.withCopyOfDocuments { full in
            try stage.withFreshDatabase(named: "empty") { empty in
                let seconds = try withListener(for: empty, roundTrip: 0) { url in
                    _ = try run(full, URLEndpoint(url: url), .pushAndPull)
                    _ = try run(full, URLEndpoint(url: url), .pushAndPull, reset: false)
                    return try run(full, URLEndpoint(url: url), .pushAndPull, reset: false)
                }
                try expect(empty.defaultCollection().count, toBe: UInt64(stage.documents), "replicated documents")
                return Outcome(seconds: seconds)
            }
        }
    }

    private static func withListener(for database: Database, roundTrip: Int, _ body: (URL) throws -> Double) throws -> Double {
        let configuration = URLEndpointListenerConfiguration(collections: [try database.defaultCollection()])
        configuration.disableTLS = true
        let listener = URLEndpointListener(config: configuration)
        try listener.start()
        defer { listener.stop() }
        guard var port = listener.port else { throw WorkloadError.wrongResult("the listener has no port") }
        var proxy: DelayingProxy?
        if roundTrip > 0 {
            proxy = try DelayingProxy(to: port, oneWay: .milliseconds(roundTrip / 2))
            port = proxy?.port ?? port
        }
        defer { proxy?.stop() }
        guard let url = URL(string: "ws://127.0.0.1:\(port)/\(database.name)") else {
            throw WorkloadError.wrongResult("the database's name cannot be part of a URL")
        }
        return try body(url)
    }

    private static func run(
        _ database: Database,
        _ target: any Endpoint,
        _ type: ReplicatorType,
        reset: Bool = true
    ) throws -> Double {
        let collection = CollectionConfiguration(collection: try database.defaultCollection())
        let configuration = ReplicatorConfiguration(collections: [collection], target: target)
        configuration.replicatorType = type
        let replicator = Replicator(config: configuration)
        let end = DispatchSemaphore(value: 0)
        let queue = DispatchQueue(label: "replication")
        replicator.addChangeListener(withQueue: queue) { change in
            if change.status.activity == .stopped { end.signal() }
        }
        let seconds = try timed {
            replicator.start(reset: reset)
            end.wait()
        }
        if let error = replicator.status.error { throw error }
        return seconds
    }
}
