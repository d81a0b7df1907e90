import Synchronization

/// What is done with the documents that replication has stored, before its transaction is committed: nobody sees them as they arrived.
package final class ArrivalHandlers: Sendable {
    /// Receives the IDs of documents that were stored in a collection and are not in conflict, inside the transaction and on its thread. Its
    /// error rolls the transaction back.
    package typealias Handler = @Sendable (_ documentIDs: [String]) throws -> Void

    /// Identifies a handler that was added.
    package struct Token: Sendable {
        fileprivate let number: Int
    }

    private struct Entry {
        let collection: CollectionID
        let handle: Handler
    }

    private struct State {
        var entries: [(number: Int, entry: Entry)] = []
        var nextNumber = 0
    }

    private let state = Mutex(State())
    private let count = Atomic(0)

    /// Whether there are handlers. Otherwise arrivals need not be recorded.
    var isEmpty: Bool { count.load(ordering: .relaxed) == 0 }

    /// Adds a handler, which is called after those that were added before.
    package func add(to collection: CollectionID, _ handle: @escaping Handler) -> Token {
        state.withLock { state in
            state.nextNumber += 1
            state.entries.append((state.nextNumber, Entry(collection: collection, handle: handle)))
            count.store(state.entries.count, ordering: .relaxed)
            return Token(number: state.nextNumber)
        }
    }

    /// Removes a handler. A call that is running on another thread may end after this returns.
    package func remove(_ token: Token) {
        state.withLock { state in
            state.entries.removeAll { $0.number == token.number }
            count.store(state.entries.count, ordering: .relaxed)
        }
    }

    /// Calls the handlers for the documents that have arrived.
    func handle(_ arrivals: Arrivals) throws {
        let entries = state.withLock { $0.entries.map(\.entry) }
        for entry in entries {
            if let ids = arrivals.documents[entry.collection] { try entry.handle(ids) }
        }
    }
}

/// The documents that a transaction has received, in the order in which they arrived.
struct Arrivals {
    private(set) var documents: [CollectionID: [String]] = [:]

    mutating func note(_ documentID: String, in collection: CollectionID) { documents[collection, default: []].append(documentID) }

    /// The number of documents of each collection.
    var mark: [CollectionID: Int] { documents.mapValues(\.count) }

    mutating func undo(since mark: [CollectionID: Int]) {
        for (collection, ids) in documents { documents[collection] = Array(ids.prefix(mark[collection] ?? 0)) }
    }
}
