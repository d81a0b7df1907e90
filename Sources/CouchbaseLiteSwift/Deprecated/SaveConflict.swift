import DocumentStore

// What the previews asked when a document was changed by somebody else since it was read.

/// A document that cannot be saved as it is: somebody else has changed it since it was read.
@available(*, deprecated, message: "Use Collection.save(document:conflictHandler:)")
public struct SaveConflict {
    /// The document to be saved.
    public let mine: Document
    /// The document as it is stored; nil when it has been deleted.
    public let theirs: Document?
    /// The document as it was read, or last saved, before ``mine`` was changed. Nil when that is not known: for a document
    /// that was new, or that has been saved by another function than the previews' since it was read.
    public let base: Document?
}

/// Decides what becomes of a document that was changed by somebody else since it was read.
///
/// Set one for a database or for a single document, whose own one counts more. It is asked by `save()` of a document and by
/// `save(_:)` and `save(document:)` of a database, on their thread and outside of locks.
@available(*, deprecated, message: "Use Collection.save(document:conflictHandler:)")
public protocol SaveConflictResolver {
    /// The properties to save; nil gives up, so that saving throws an error with the code ``CBLError/conflict``.
    ///
    /// It is asked again when the document is changed once more meanwhile.
    func resolve(conflict: SaveConflict) -> [String: Any]?
}

/// What is used when nothing is set: the side with more changes in its history wins; of equals, and against a deletion, the
/// one to be saved.
@available(*, deprecated)
struct MoreChangesResolver: SaveConflictResolver {
    func resolve(conflict: SaveConflict) -> [String: Any]? {
        let changes = (conflict.mine.revision?.generation ?? 0) + 1
        guard let theirs = conflict.theirs, let revision = theirs.revision, revision.generation > changes else {
            return conflict.mine.toDictionary()
        }
        return theirs.toDictionary()
    }
}

@available(*, deprecated, message: "Use Collection.save(document:conflictHandler:)")
extension Database {
    /// Who decides about documents of this database that were changed by somebody else since they were read; at first nil.
    ///
    /// Without one `save()` of a document keeps the side with more changes in its history (of equals its own), while
    /// `save(_:)` and `save(document:)` of the database always keep the one that is saved.
    public var conflictResolver: (any SaveConflictResolver)? {
        get { previewResolver.value as? any SaveConflictResolver }
        set { previewResolver.value = newValue }
    }
}

@available(*, deprecated, message: "Use Collection.save(document:conflictHandler:)")
extension MutableDocument {
    /// Who decides when the document was changed by somebody else since it was read, before the database's; at first nil.
    public var conflictResolver: (any SaveConflictResolver)? {
        get { deprecatedState?.resolver as? any SaveConflictResolver }
        set { withDeprecatedState { $0.resolver = newValue } }
    }
}

/// A ``SaveConflictResolver``, not called so because that is deprecated, which one thread may set and another ask.
final class ResolverHolder: @unchecked Sendable {
    // Unchecked: the property is touched only under the lock. The resolver itself is the app's, which knows that it is asked
    // on the thread that saves.
    private let lock = NSLock()
    private var current: Any?

    var value: Any? {
        get { lock.withLock { current } }
        set { lock.withLock { current = newValue } }
    }
}

@available(*, deprecated)
extension Collection {
    /// Saves a document as the previews did.
    ///
    /// - Parameter fallback: Who decides about a conflict when neither the document nor the database has a resolver; nil saves on
    ///   top of whatever is stored.
    func save(_ document: MutableDocument, fallback: (any SaveConflictResolver)?) throws {
        let chosen = document.conflictResolver ?? database.conflictResolver
        guard let resolver = chosen ?? fallback else { return try save(document: document) }
        let base = document.base
        let isSaved = try save(document: document) { mine, theirs in
            let conflict = SaveConflict(mine: mine, theirs: theirs, base: base)
            guard let properties = resolver.resolve(conflict: conflict) else { return false }
            mine.setData(properties)
            return true
        }
        guard isSaved else {
            throw NSError.couchbaseLite(
                code: CBLError.conflict,
                message: "document \"\(document.id)\" was changed by somebody else, and the conflict resolver gave up"
            )
        }
        if chosen != nil { document.rememberBase() }
    }
}
