import CouchbaseLiteSwift
import Foundation
import Synchronization
import TestSupport

/// The work of one process: eight threads on two `Database` objects, and listeners that record their notifications.
final class Participant: Sendable {
    static let threads = 8

    private let name: String
    private let seed: UInt64
    private let databases: [Database]
    private let listening: Listening
    private let state = Mutex(State())

    private struct State {
        var counted = 0
        var operations = 0
        /// The documents of this process in the collection, with their expected numbers; `nil` for deleted ones.
        var documents: [String: Int?] = [:]
        var problems: [String] = []
    }

    /// The changes of a process that the other process can verify.
    struct Done {
        /// The number of increments of the counter.
        let counted: Int
        /// The number of ordered documents saved.
        let ordered: Int
    }

    var done: Done { Done(counted: state.withLock { $0.counted }, ordered: listening.ordered) }

    /// The number of operations.
    var operations: Int { state.withLock { $0.operations } }

    static func createDatabase(in directory: String) throws {
        let database = try open(directory)
        try Worker.createVectorIndex(of: database.createCollection(name: "things"), centroids: 2)
        try database.saveDocument(MutableDocument(id: "counter").setInt(0, forKey: "n"))
        try database.close()
    }

    /// Returns what is wrong with the vector index after both processes have finished.
    static func vectorProblems(in directory: String) throws -> [String] {
        let database = try open(directory)
        let distance = "APPROX_VECTOR_DISTANCE(vector, [0, 0])"
        func ids(_ query: String) throws -> Set<String> {
            Set(try database.createQuery(query).execute().compactMap { $0.string(at: 0) })
        }
        let wanted = try ids("SELECT meta().id FROM things WHERE vector IS VALUED")
        let found = try ids("SELECT meta().id FROM things WHERE \(distance) >= 0 AND vector IS VALUED")
        try database.close()
        return wanted == found ? [] : ["searches find \(found.count) instead of \(wanted.count) documents with vectors"]
    }

    private static func open(_ directory: String) throws -> Database {
        let config = DatabaseConfiguration()
        config.directory = directory
        return try Database(name: "db", config: config)
    }

    init(_ name: String, directory: String, seed: UInt64) throws {
        self.name = name
        self.seed = seed
        databases = try (0..<2).map { _ in try Self.open(directory) }
        listening = try Listening(databases[0], process: name)
    }

    /// Runs the threads for `seconds`, and waits for them.
    func work(seconds: Double) {
        let end = Date(timeIntervalSinceNow: seconds)
        let group = DispatchGroup()
        for number in 0..<Self.threads {
            group.enter()
            Thread.detachNewThread { [self] in
                do {
                    var worker = try Worker("\(name)-\(number)", databases[number % 2], listening, seed: seed &+ UInt64(number) &* 1000)
                    while Date() < end { try worker.step() }
                    state.withLock {
                        $0.counted += worker.counted
                        $0.operations += worker.operations
                        $0.documents.merge(worker.documents) { $1 }
                        $0.problems += worker.problems
                    }
                } catch {
                    state.withLock { $0.problems.append("\(name)-\(number): \(error)") }
                }
                group.leave()
            }
        }
        group.wait()
    }

    /// Checks the results after all threads have finished, closes the databases, and returns the problems.
    ///
    /// - Parameter elsewhere: The changes of the other process; `nil` if they are not known yet.
    func finish(elsewhere: Done?) async throws -> [String] {
        var (problems, documents) = state.withLock { ($0.problems, $0.documents) }
        guard let things = try databases[1].collection(name: "things") else { return problems + ["no collection"] }
        for (id, number) in documents.sorted(by: { $0.key < $1.key }) {
            let stored = try things.document(id: id)?.int(forKey: "n")
            if stored != number { problems.append("\(id) should have \(number as Any) and has \(stored as Any)") }
        }
        if let elsewhere {
            let (expected, found) = (done.counted + elsewhere.counted, databases[0]["counter"]["n"].int)
            if found != expected { problems.append("the counter should be \(expected) and is \(found)") }
        }
        let changed = Set(documents.keys)
        problems += try listening.listenerProblems(documents: changed, orderedElsewhere: elsewhere?.ordered)
        for database in databases { try database.close() }
        problems += await listening.sequenceProblems(documents: changed)
        return problems.map { "\(name): \($0)" }
    }
}
