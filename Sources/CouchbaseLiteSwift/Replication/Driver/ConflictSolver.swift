#if Replication
import DocumentStore
import Replication
import Synchronization

/// Resolves the conflicts of a collection as configured.
struct ConflictSolver: @unchecked Sendable {
    // Unchecked: the resolver is code of the app, documented to be called on other threads.
    enum Resolver {
        case sync(any ConflictResolverProtocol)
        case async(any AsyncConflictResolverProtocol)
    }

    let collection: Collection
    let resolver: Resolver

    /// The most attempts to resolve a conflict of a document that is changed concurrently.
    private static let rounds = 10

    init(_ collection: Collection, _ config: CollectionConfiguration) {
        self.collection = collection
        if let asynchronous = config.asyncConflictResolver {
            resolver = .async(asynchronous)
        } else {
            resolver = .sync(config.conflictResolver ?? ConflictResolver.default)
        }
    }

    var isAsync: Bool {
        if case .async = resolver { return true }
        return false
    }

    /// Resolves the conflict of a document and calls the resolver on this thread. Does not call an asynchronous resolver.
    func solve(_ documentID: String) -> ConflictSettlement {
        do {
            for round in 0..<Self.rounds {
                guard let conflict = try collection.conflict(id: documentID) else {
                    return try settlementWithoutConflict(documentID, hasBegun: round > 0)
                }
                var answer: Document?
                if !conflict.isOfDeletions, case .sync(let resolver) = resolver {
                    answer = resolver.resolve(conflict: conflict)
                }
                if let settlement = try end(conflict, with: answer) { return settlement }
            }
            throw tooManyChanges(documentID)
        } catch {
            return .failed(publicError(error))
        }
    }

    /// Resolves the conflict of a document and calls the resolver in this task.
    ///
    /// - Parameter storing: The permit to store the resolver's result. Without it the result is discarded, and nothing is reported.
    func solveInTask(_ documentID: String, _ storing: StoringPermit) async -> ConflictSettlement {
        do {
            for round in 0..<Self.rounds {
                if Task.isCancelled { return .none }
                guard let conflict = try collection.conflict(id: documentID) else {
                    return try settlementWithoutConflict(documentID, hasBegun: round > 0)
                }
                var answer: Document?
                if !conflict.isOfDeletions, case .async(let resolver) = resolver {
                    answer = try await resolver.resolve(conflict: conflict)
                }
                guard storing.begin() else { return .none }
                if let settlement = try end(conflict, with: answer) { return settlement }
                storing.end()
            }
            throw tooManyChanges(documentID)
        } catch {
            return .failed(publicError(error))
        }
    }

    /// Returns the settlement of a document that has no conflict any more.
    ///
    /// - Parameter hasBegun: Whether the document had a conflict when resolving began.
    /// - Throws: `notFound` if the document has been purged since.
    private func settlementWithoutConflict(_ documentID: String, hasBegun: Bool) throws -> ConflictSettlement {
        guard hasBegun, try collection.withReplica({ try $0.change(of: documentID, remote: nil) }) == nil else { return .none }
        throw NSError.couchbaseLite(
            code: CBLError.notFound,
            message: "document \"\(documentID)\" was purged while its conflict was being resolved"
        )
    }

    /// Returns `nil` if the document still has a conflict, or has a new one.
    private func end(_ conflict: Conflict, with answer: Document?) throws -> ConflictSettlement? {
        try collection.withReplica { replica in
            guard case .resolved(let resolved) = try conflict.end(with: answer, in: collection, replica) else { return nil }
            return resolved.isStillConflicted ? nil : .resolved(isDeleted: resolved.isDeleted)
        }
    }

    private func tooManyChanges(_ documentID: String) -> NSError {
        .couchbaseLite(
            code: CBLError.conflict,
            message: "document \"\(documentID)\" was changed too often while its conflict was being resolved"
        )
    }
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
    func end() {
        state.withLock { $0.isStoring = false }
    }

    /// Revokes the permit. Returns `false` if a result is being stored.
    func revoke() -> Bool {
        state.withLock { state in
            state.isRevoked = true
            return !state.isStoring
        }
    }
}

/// The outcome of resolving a reported conflict.
enum ConflictSettlement: Sendable {
    case resolved(isDeleted: Bool)
    /// The document has no conflict any more, or the replicator was stopped.
    case none
    /// The conflict remains.
    case failed(NSError)
}
#endif
