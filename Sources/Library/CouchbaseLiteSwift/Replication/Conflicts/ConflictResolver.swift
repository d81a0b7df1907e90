#if Replication
import ModelCoding

/// A resolver of conflicts of pulled documents.
///
/// It is called on background threads, without locks held, concurrently for up to 16 documents of a replicator: a slow call delays only its
/// own document. The resolver must synchronize access to its own mutable state.
@preconcurrency public protocol ConflictResolverProtocol: Sendable {
    /// Returns the document to store: ``Conflict/localDocument``, ``Conflict/remoteDocument``, or a new one with the same ID; `nil` deletes
    /// the document.
    ///
    /// Any result other than the remote document is pushed: at once by a continuous replicator, otherwise at the end of the run. If the local
    /// document is changed concurrently, the resolver is called again.
    ///
    /// If the result cannot be stored, the conflict remains, see ``Collection/conflictedDocumentIDs()``, and the replicator's document
    /// listeners are notified of the document with an error: `conflict` if it belongs to another collection, `unexpectedError` if it has a
    /// blob that is stored in another database. A document that is purged while it is being resolved is reported with `notFound`, and stays
    /// purged.
    func resolve(conflict: Conflict) -> Document?
}

/// A resolver of conflicts of pulled documents that runs in tasks, so that it may take long, for example to ask the user.
///
/// It is called concurrently for up to 16 documents of a replicator. When the replicator is stopped, the tasks are cancelled and later
/// results are discarded: the conflicts remain. The replicator does not wait for the tasks to end; if it is started again before that, a
/// document is passed to the resolver again only when the earlier call for it has returned.
@preconcurrency public protocol AsyncConflictResolverProtocol: Sendable {
    /// Returns the document to store; see ``ConflictResolverProtocol/resolve(conflict:)``.
    ///
    /// - Throws: Why the conflict cannot be resolved. The conflict remains, and document listeners are notified of the error.
    func resolve(conflict: Conflict) async throws -> Document?
}

/// Provides the default resolver, and others that need no code.
public final class ConflictResolver: Sendable {
    /// The default resolver: a deletion wins; otherwise the version with more changes in its history; if both have the same number, the one
    /// with the greater revision ID. In a database with version vectors, the later version wins. The changes of a ``Counter`` in both versions are
    /// added.
    public static var `default`: any ConflictResolverProtocol { MoreChangesWin() }

    private init() {}
}

/// The rule of Replication 4.7.
struct MoreChangesWin: ConflictResolverProtocol {
    func resolve(conflict: Conflict) -> Document? { conflict.merged(.counters) }
}
#endif
