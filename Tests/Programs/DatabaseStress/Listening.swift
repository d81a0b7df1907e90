import CouchbaseLiteSwift
import Foundation
import Synchronization

/// The listeners of a process, and the notifications they have received.
final class Listening: Sendable {
    private let process: String
    private let things: Collection
    private let database: Database
    private let task: Task<Set<String>, Never>
    /// Checks the differences of a query, and returns the problems.
    private let rowTask: Task<[String], Never>
    private let state = Mutex(State())
    private let nextNumber = Atomic(0)
    private let queue = DispatchQueue(label: "listening")

    private struct State {
        var tokens: [ListenerToken] = []
        /// The IDs notified by the collection listener, except those of the ordered documents.
        var received: Set<String> = []
        /// The numbers of the ordered documents of this process and of the other one, in the order of the notifications.
        var ownOrder: [Int] = []
        var otherOrder: [Int] = []
        var counter = 0
        var problems: [String] = []
    }

    init(_ database: Database, process: String) throws {
        guard let things = try database.collection(name: "things") else { throw CocoaError(.fileNoSuchFile) }
        self.process = process
        self.things = things
        self.database = database
        let changes = things.changes()
        task = Task {
            var received: Set<String> = []
            for await change in changes { received.formUnion(change.documentIDs) }
            return received
        }
        rowTask = try Self.followTogether(database)
        let together = try database.createQuery(Self.togetherText)
        let tokens = [
            together.addChangeListener(withQueue: queue) { [weak self] change in
                self?.hear(together: change.results?.map { $0.int(forKey: "n") }, error: change.error)
            },
            things.addChangeListener(queue: queue) { [weak self] in self?.hear($0.documentIDs) },
            database.addDocumentChangeListener(withID: "counter", queue: queue) { [weak self] change in
                self?.hear(counter: change.collection["counter"]["n"].int)
            },
        ]
        state.withLock { $0.tokens = tokens }
    }

    /// Selects the documents to which every batch of the workers assigns the same number.
    private static let togetherText =
        "SELECT meta().id, n FROM things WHERE meta().id LIKE 'together-%' ORDER BY n, meta().id"

    /// Follows the differences of the query until the database is closed.
    private static func followTogether(_ database: Database) throws -> Task<[String], Never> {
        let differences = try database.createQuery(togetherText).differences()
        return Task {
            var rows: [String] = []
            var problems: [String] = []
            do {
                for try await difference in differences {
                    difference.apply(to: &rows) { $0.toJSON() }
                    let expected = difference.rows.map { $0.toJSON() }
                    if rows != expected { problems.append("differences lead to \(rows), not to \(expected)") }
                }
            } catch {
                problems.append("differences ended with \(error)")
            }
            return problems
        }
    }

    private func hear(together numbers: [Int]?, error: (any Error)?) {
        state.withLock { state in
            if let error { state.problems.append("a query could not be run: \(error)") }
            if let numbers, Set(numbers).count > 1 { state.problems.append("a query saw parts of a batch: \(numbers)") }
        }
    }

    /// Returns the number for the next ordered document. Must be called inside a batch.
    func nextOrder() -> Int {
        nextNumber.wrappingAdd(1, ordering: .relaxed).newValue
    }

    /// The number of ordered documents of this process.
    var ordered: Int { nextNumber.load(ordering: .relaxed) }

    func orderedID(_ number: Int) -> String { "order-\(process)-\(number)" }

    private func hear(_ ids: [String]) {
        state.withLock { state in
            if Set(ids).count != ids.count { state.problems.append("an ID came twice in a group") }
            if ids.count > 1000 { state.problems.append("a group had \(ids.count) IDs") }
            for id in ids {
                let parts = id.split(separator: "-")
                guard parts.first == "order", parts.count == 3, let number = Int(parts[2]) else {
                    state.received.insert(id)
                    continue
                }
                if parts[1] == process { state.ownOrder.append(number) } else { state.otherOrder.append(number) }
            }
        }
    }

    private func hear(counter: Int) {
        state.withLock { state in
            if counter < state.counter { state.problems.append("the counter went from \(state.counter) to \(counter)") }
            state.counter = counter
        }
    }

    /// Returns the problems of the listeners. Blocks until all notifications have been received.
    ///
    /// - Parameters:
    ///   - documents: The documents changed by this process.
    ///   - orderedElsewhere: The number of ordered documents of the other process; `nil` if it is not known yet.
    func listenerProblems(documents: Set<String>, orderedElsewhere: Int?) throws -> [String] {
        // Notifications have the order of the commits: after this one, none is pending.
        let end = DispatchSemaphore(value: 0)
        let token = things.addDocumentChangeListener(id: "end-\(process)", queue: queue) { _ in end.signal() }
        try things.save(document: MutableDocument(id: "end-\(process)"))
        end.wait()
        token.remove()
        queue.sync {}
        let state = state.withLock { $0 }
        for token in state.tokens { token.remove() }
        var problems = state.problems
        if state.ownOrder != Array((1...).prefix(ordered)) {
            problems.append("own commits were not heard once each in their order: \(state.ownOrder)")
        }
        let isComplete = orderedElsewhere.map { state.otherOrder == Array((1...).prefix($0)) } ?? true
        if !isComplete || state.otherOrder != Set(state.otherOrder).sorted() {
            problems.append("the other process's commits were not heard in their order: \(state.otherOrder)")
        }
        let missing = documents.subtracting(state.received)
        if !missing.isEmpty { problems.append("changes were not heard of: \(missing.sorted())") }
        return problems
    }

    /// Returns the problems of the asynchronous sequences. Must be called after the database was closed, which ends the sequences.
    func sequenceProblems(documents: Set<String>) async -> [String] {
        let missing = documents.subtracting(await task.value)
        let problems = await rowTask.value
        return problems + (missing.isEmpty ? [] : ["the sequence did not tell of: \(missing.sorted())"])
    }
}
