#if Replication
import DocumentStore
import Replication
import SyncRuntime

/// Resolves the conflicts of a collection with the configured resolver.
struct CollectionConflictSolver: ConflictSolving {
    private let collection: Collection
    let resolver: ConflictAnswering<Conflict, Document?>

    init(_ collection: Collection, _ config: CollectionConfiguration) {
        self.collection = collection
        if let resolver = config.asyncConflictResolver {
            self.resolver = .inTask { $0.stored.isOfDeletions ? nil : try await resolver.resolve(conflict: $0) }
        } else {
            let resolver = config.conflictResolver ?? ConflictResolver.default
            self.resolver = .onThread { $0.stored.isOfDeletions ? nil : resolver.resolve(conflict: $0) }
        }
    }

    func conflict(of documentID: String) throws -> Conflict? { try collection.conflict(id: documentID) }

    func isStored(_ documentID: String) throws -> Bool { try collection.withReplica { try $0.change(of: documentID, remote: nil) } != nil }

    func end(_ conflict: Conflict, with answer: Document?) throws -> ResolvedConflict? { try conflict.end(with: answer, in: collection) }
}
#endif
