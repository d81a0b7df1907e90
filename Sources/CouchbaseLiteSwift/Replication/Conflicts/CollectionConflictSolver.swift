#if Replication
import DocumentStore
import Replication
import SyncRuntime

/// Resolves the conflicts of a collection with the configured resolver.
struct CollectionConflictSolver: ConflictSolving {
    private enum Resolver {
        case sync(any ConflictResolverProtocol)
        case async(any AsyncConflictResolverProtocol)
    }

    private let collection: Collection
    private let resolver: Resolver

    /// Creates a solver that calls `asynchronous`, or if it is `nil`, `resolver`; if both are `nil`, the default resolver.
    init(_ collection: Collection, _ resolver: (any ConflictResolverProtocol)?, asynchronous: (any AsyncConflictResolverProtocol)?) {
        self.collection = collection
        self.resolver = asynchronous.map { .async($0) } ?? .sync(resolver ?? ConflictResolver.default)
    }

    var isAsync: Bool {
        if case .async = resolver { return true }
        return false
    }

    func conflict(of documentID: String) throws -> Conflict? { try collection.conflict(id: documentID) }

    func isStored(_ documentID: String) throws -> Bool { try collection.withReplica { try $0.change(of: documentID, remote: nil) } != nil }

    func answer(to conflict: Conflict) throws -> Document? {
        guard !conflict.isOfDeletions, case .sync(let resolver) = resolver else { return nil }
        return resolver.resolve(conflict: conflict)
    }

    func answerInTask(to conflict: Conflict) async throws -> Document? {
        guard !conflict.isOfDeletions, case .async(let resolver) = resolver else { return nil }
        return try await resolver.resolve(conflict: conflict)
    }

    func end(_ conflict: Conflict, with answer: Document?) throws -> ResolvedConflict? { try conflict.end(with: answer, in: collection) }
}
#endif
