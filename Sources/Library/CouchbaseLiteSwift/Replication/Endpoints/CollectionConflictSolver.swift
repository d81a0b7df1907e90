#if Replication
import DocumentStore
import Replication
import SyncRuntime

/// Resolves the conflicts of a collection with the configured resolver.
struct CollectionConflictSolver: ConflictSolving {
    private let collection: Collection
    private let listeners: ReplicatorListeners?
    let resolver: ConflictAnswering<Conflict, Document?>

    /// Creates a solver that calls `asynchronous`, or if it is `nil`, `resolver`; if both are `nil`, the default resolver.
    ///
    /// - Parameter listeners: What is notified of resolved conflicts; `nil` if nothing is.
    init(
        _ collection: Collection,
        _ resolver: (any ConflictResolverProtocol)?,
        asynchronous: (any AsyncConflictResolverProtocol)?,
        noting listeners: ReplicatorListeners?
    ) {
        self.collection = collection
        self.listeners = listeners
        if let resolver = asynchronous {
            self.resolver = .inTask { $0.stored.isOfDeletions ? nil : try await resolver.resolve(conflict: $0) }
        } else {
            let resolver = resolver ?? ConflictResolver.default
            self.resolver = .onThread { $0.stored.isOfDeletions ? nil : resolver.resolve(conflict: $0) }
        }
    }

    func conflict(of documentID: String) throws -> Conflict? { try collection.conflict(id: documentID) }

    func isStored(_ documentID: String) throws -> Bool { try collection.withReplica { try $0.change(of: documentID, remote: nil) } != nil }

    func end(_ conflict: Conflict, with answer: Document?) throws -> ResolvedConflict? {
        let resolved = try conflict.end(with: answer, in: collection)
        if let resolved { listeners?.recorder?.add(conflict, answer, resolved, in: collection.store.id) }
        return resolved
    }
}
#endif
