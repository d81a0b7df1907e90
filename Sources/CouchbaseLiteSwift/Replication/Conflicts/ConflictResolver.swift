#if Replication
import DocumentStore

/// Resolves conflicts of pulled documents.
///
/// It is called on background threads, outside of locks, for up to 16 documents of a replicator at the same time: one that takes long
/// keeps only its own document waiting. What it keeps itself it must guard.
public protocol ConflictResolverProtocol {
    /// The document that is to be stored: ``Conflict/localDocument``, ``Conflict/remoteDocument``, or a new one with the same ID;
    /// nil deletes it.
    ///
    /// What is not the remote document is pushed: at once by a continuous replicator, otherwise by the next run. When the local
    /// document is changed meanwhile, the resolver is asked again.
    ///
    /// What cannot be stored is an error that the listeners of the replicator hear of with the document, and the conflict stays, see
    /// ``Collection/conflictedDocumentIDs()``: `conflict` for a document of another collection, `unexpectedError` for one with a blob
    /// that is stored in another database. A document that is purged meanwhile is reported with `notFound`, and stays purged.
    func resolve(conflict: Conflict) -> Document?
}

/// Resolves conflicts of pulled documents in tasks: with time, say to ask somebody.
///
/// Several conflicts may be resolved at the same time. When the replicator is stopped the tasks are cancelled, and what they give
/// after that is not used: the conflicts stay.
public protocol AsyncConflictResolverProtocol {
    /// The document that is to be stored; see ``ConflictResolverProtocol/resolve(conflict:)``.
    ///
    /// - Throws: Why it cannot be resolved. The conflict stays, and the listeners of the replicator hear of the error.
    func resolve(conflict: Conflict) async throws -> Document?
}

/// The resolver that is asked when there is no other.
public final class ConflictResolver: Sendable {
    /// A deletion wins; else the version with more changes in its history; of equals that with the greater revision ID.
    public static var `default`: any ConflictResolverProtocol { MoreChangesWin() }

    private init() {}
}

/// The rule of Replication 4.7.
struct MoreChangesWin: ConflictResolverProtocol, Sendable {
    func resolve(conflict: Conflict) -> Document? {
        let (local, remote) = (conflict.stored.local.id, conflict.stored.remote.id)
        // Where one of the two was deleted, the answer is nil anyway.
        guard let mine = conflict.localDocument, let theirs = conflict.remoteDocument else { return nil }
        if local.generation != remote.generation { return local.generation > remote.generation ? mine : theirs }
        return local.description.utf8.lexicographicallyPrecedes(remote.description.utf8) ? theirs : mine
    }
}
#endif
