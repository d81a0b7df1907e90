import DatabaseRuntime
import DocumentStore
import Synchronization

// The conflict handling of the developer previews, for documents that were changed concurrently.

/// A conflict: a document to be saved was changed concurrently since it was read.
@available(*, deprecated, message: "Use Collection.save(document:conflictHandler:)")
public struct SaveConflict: Sendable {
    /// The document to be saved.
    public let mine: Document
    /// The stored document; `nil` if it was deleted.
    public let theirs: Document?
    /// The document as it was last read or saved, before ``mine`` was changed. `nil` if it is not known: for a new document, and for a
    /// document that was saved by a function of the final API since it was read.
    public let base: Document?
}

/// Resolves conflicts between a document to be saved and the stored document.
///
/// Set a resolver for a database or for a single document; the document's resolver takes precedence. It is called by `save()` of a document
/// and by `save(_:)` and `save(document:)` of a database, on the thread that saves and outside of locks.
@available(*, deprecated, message: "Use Collection.save(document:conflictHandler:)")
public protocol SaveConflictResolver {
    /// Returns the properties to save. With `nil` the document is not saved, and saving throws an error with the code
    /// ``CBLError/conflict``.
    ///
    /// Called again if the document is changed again before the result is saved.
    func resolve(conflict: SaveConflict) -> [String: Any]?
}

/// The default resolver: keeps the side with more changes in its history. If both have the same number, and if the stored document was
/// deleted, the document to be saved wins.
@available(*, deprecated)
struct MoreChangesResolver: SaveConflictResolver {
    func resolve(conflict: SaveConflict) -> [String: Any]? {
        let changes = (conflict.mine.revision?.generation ?? 0) + 1
        let hasMore = conflict.theirs?.revision.map { $0.generation > changes } ?? false
        return (hasMore ? conflict.theirs : conflict.mine)?.toDictionary()
    }
}

@available(*, deprecated, message: "Use Collection.save(document:conflictHandler:)")
extension Database {
    /// The conflict resolver for documents of this database. Default: `nil`; see ``MutableDocument/save()`` and ``save(_:)``.
    public var conflictResolver: (any SaveConflictResolver)? {
        get { attachment.withLock { $0 as? DeprecatedState }?.resolver as? any SaveConflictResolver }
        set {
            let new = newValue.map { DeprecatedState(resolver: $0) }
            // The old resolver is released outside the lock: its deinitializer can run any code.
            _ = attachment.withLock { attachment in
                defer { attachment = new }
                return attachment
            }
        }
    }
}

@available(*, deprecated, message: "Use Collection.save(document:conflictHandler:)")
extension MutableDocument {
    /// The conflict resolver for this document. Default: `nil`.
    public var conflictResolver: (any SaveConflictResolver)? {
        get { deprecatedState?.resolver as? any SaveConflictResolver }
        set { withDeprecatedState { $0.resolver = newValue } }
    }
}

@available(*, deprecated)
extension Collection {
    /// Saves a document as the developer previews did.
    ///
    /// - Parameter fallback: The resolver used if neither the document nor the database has one; `nil` overwrites the stored document.
    /// - Throws: `conflict` if the resolver returned `nil`; otherwise as ``save(document:conflictHandler:)``.
    func save(_ document: MutableDocument, fallback: (any SaveConflictResolver)?) throws {
        let chosen = document.conflictResolver ?? database.conflictResolver
        guard let resolver = chosen ?? fallback else { return try save(document: document) }
        let base = document.original?.revision == document.revision ? document.original : nil
        let isSaved = try save(document: document) { mine, theirs in
            let conflict = SaveConflict(mine: mine, theirs: theirs, base: base)
            guard let properties = resolver.resolve(conflict: conflict) else { return false }
            mine.setData(properties)
            return true
        }
        guard isSaved else {
            throw LibraryError(
                CBLError.conflict,
                "document \"\(document.id)\" was changed concurrently, and the conflict resolver returned nil"
            )
        }
        // The current content is the base of later changes.
        if chosen != nil { document.original = Document(id: document.id, document.contents.mutableCopy(), original: document) }
    }
}
