#if Replication
package import DocumentStore
import Base
import SyncCore
import Synchronization

/// Resolves the conflicts of a collection as configured.
///
/// The requirements are the steps of an attempt, which ``solve(_:)`` and ``solveInTask(_:_:)`` repeat.
package protocol ConflictSolving: Sendable {
    /// A conflict that was read.
    associatedtype Conflict: Sendable
    /// The result of a resolver.
    associatedtype Answer

    /// What returns the result for a conflict.
    var resolver: ConflictAnswering<Conflict, Answer> { get }

    /// Returns the conflict of a document; `nil` if it has none.
    func conflict(of documentID: String) throws -> Conflict?

    /// Returns whether the document is stored, deleted or not.
    func isStored(_ documentID: String) throws -> Bool

    /// Stores a result. Returns `nil` if the document was changed concurrently, so that its conflict has to be read again.
    func end(_ conflict: Conflict, with answer: Answer) throws -> ResolvedConflict?
}

/// A resolver of the app.
package enum ConflictAnswering<Conflict, Answer>: Sendable {
    /// Called on a thread that it may block.
    case onThread(@Sendable (Conflict) throws -> Answer)
    /// Called in a task.
    case inTask(@Sendable (Conflict) async throws -> Answer)
}

/// The most attempts to resolve a conflict of a document that is changed concurrently.
private let maximumAttempts = 10

extension ConflictSolving {
    /// Whether conflicts are resolved in tasks, by ``solveInTask(_:_:)``.
    var isAsync: Bool {
        if case .inTask = resolver { true } else { false }
    }

    /// Resolves the conflict of a document and calls the resolver on this thread.
    func solve(_ documentID: String) -> ConflictSettlement {
        do {
            for attempt in 0..<maximumAttempts {
                guard let conflict = try self.conflict(of: documentID) else {
                    return try settlementWithoutConflict(documentID, hasBegun: attempt > 0)
                }
                guard case .onThread(let answer) = resolver else { return .none }
                if let settlement = try self.settlement(of: conflict, with: answer(conflict)) { return settlement }
            }
            throw tooManyChanges(documentID)
        } catch {
            return .failed(error)
        }
    }

    /// Resolves the conflict of a document and calls the resolver in this task.
    ///
    /// - Parameter storing: The permit to store the resolver's result. Without it the result is discarded, and nothing is reported.
    func solveInTask(_ documentID: String, _ storing: StoringPermit) async -> ConflictSettlement {
        do {
            for attempt in 0..<maximumAttempts {
                if Task.isCancelled { return .none }
                guard let conflict = try self.conflict(of: documentID) else {
                    return try settlementWithoutConflict(documentID, hasBegun: attempt > 0)
                }
                guard case .inTask(let answer) = resolver else { return .none }
                let result = try await answer(conflict)
                guard storing.begin() else { return .none }
                if let settlement = try self.settlement(of: conflict, with: result) { return settlement }
                storing.end()
            }
            throw tooManyChanges(documentID)
        } catch {
            return .failed(error)
        }
    }

    /// Returns the settlement of a document that has no conflict any more.
    ///
    /// - Parameter hasBegun: Whether the document had a conflict when resolving began.
    /// - Throws: `notFound` if the document has been purged since.
    private func settlementWithoutConflict(_ documentID: String, hasBegun: Bool) throws -> ConflictSettlement {
        guard hasBegun, try !isStored(documentID) else { return .none }
        throw SyncError(engine: .notFound, "document \"\(documentID)\" was purged while its conflict was being resolved")
    }

    /// Stores a result. Returns `nil` if the document still has a conflict, or has a new one.
    private func settlement(of conflict: Conflict, with answer: Answer) throws -> ConflictSettlement? {
        guard let resolved = try end(conflict, with: answer) else { return nil }
        return resolved.isStillConflicted ? nil : .resolved(isDeleted: resolved.isDeleted)
    }

    private func tooManyChanges(_ documentID: String) -> SyncError {
        SyncError(engine: .conflict, "document \"\(documentID)\" was changed too often while its conflict was being resolved")
    }
}

/// Identifies a document in dictionaries and sets.
struct DocumentKey: Hashable {
    private let collection: CollectionID
    private let documentID: ExactString

    init(_ documentID: String, in collection: CollectionID) {
        self.collection = collection
        self.documentID = ExactString(documentID)
    }
}

/// The outcome of resolving a reported conflict.
enum ConflictSettlement: Sendable {
    case resolved(isDeleted: Bool)
    /// The document has no conflict any more, or the replicator was stopped.
    case none
    /// The conflict remains.
    case failed(any Error)
}

/// Decides between a task that stores a result and a replicator that stops: nothing is stored after the replicator has stopped.
final class StoringPermit: Sendable {
    private struct State {
        var isStoring = false
        var isRevoked = false
    }

    private let state = Mutex(State())

    /// Begins to store a result. Returns `false` if the permit was revoked.
    func begin() -> Bool {
        state.withLock { state in
            state.isStoring = !state.isRevoked
            return state.isStoring
        }
    }

    /// Ends storing without a result, because the document was changed concurrently. After a stored result it is not called: the task is
    /// about to report it.
    func end() { state.withLock { $0.isStoring = false } }

    /// Revokes the permit. Returns `false` if a result is being stored.
    func revoke() -> Bool {
        state.withLock { state in
            state.isRevoked = true
            return !state.isStoring
        }
    }
}
#endif
