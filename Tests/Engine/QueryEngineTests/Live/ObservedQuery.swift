package import Dispatch
package import DocumentStore
import Fleece
import QueryEngine
import QueryLanguage
import Synchronization
package import TestSupport

extension VirtualClock: SteadyClock {
    package func wake(at time: Int64, on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) -> ScheduledCall {
        ScheduledCall(cancel: schedule(at: time, on: queue, body))
    }
}

/// An observer of a query, and the notifications of its listeners: for each call all rows in one text, or the error.
final class ObservedQuery: Sendable {
    let observer: QueryObserver
    private let file: DatabaseFile
    private let clock: VirtualClock
    private let calls = Mutex<[String]>([])

    init(_ text: String, _ database: QueryDatabase, _ clock: VirtualClock) {
        let file = database.file
        self.file = file
        self.clock = clock
        observer = QueryObserver(file, parameters: .success(QueryParameters())) {
            try PreparedQuery(SQLPlusPlus.parse(text), on: file, databaseName: "db")
        }
    }

    /// Adds a listener, whose calls begin with `prefix`.
    @discardableResult
    func listen(_ prefix: String = "") -> Int {
        observer.addListener { [weak self] outcome in
            let text: String
            do {
                let rows = try outcome.get()
                text = try (0..<rows.count).map { try rows.json($0) }.joined(separator: ", ")
            } catch {
                text = (error as? QueryError)?.message ?? "\(error)"
            }
            self?.calls.withLock { $0.append(prefix + text) }
        }
    }

    /// The notifications since the last call, after all work that is due was done.
    func notified() -> [String] {
        clock.settle()
        file.watch.queue.sync {}
        return calls.withLock { calls in
            defer { calls = [] }
            return calls
        }
    }

    /// The notifications within this number of milliseconds.
    func notified(within milliseconds: Int64) -> [String] {
        clock.advance(by: milliseconds)
        return notified()
    }
}
