import DatabaseRuntime

// Documents with a reference to their database, as in the developer previews.

/// The state of a mutable document or of a database that only the functions of the developer previews use.
final class DeprecatedState: Sendable {
    // Unsafe: only the state of a document is changed, by the thread that uses the document. It is documented that resolvers are called on
    // the thread that saves.
    /// The database of a document that was created by ``Database/document()`` and has not been saved.
    nonisolated(unsafe) var database: Database?
    /// The document's own ``SaveConflictResolver``, or that of the database. Declared as `Any` because that protocol is deprecated.
    nonisolated(unsafe) var resolver: Any?

    init(resolver: Any? = nil) { self.resolver = resolver }
}

@available(*, deprecated, message: "Use the functions of Collection")
extension MutableDocument {
    public convenience init(withID id: String) { self.init(id: id) }

    /// Saves the document in the database it came from. If it was changed concurrently, the conflict resolver of the document or the
    /// database decides; without a resolver the side with more changes in its history is kept.
    ///
    /// - Throws: `invalidParameter` if the document was neither read from a database nor created by one; `conflict` if the resolver
    ///   returned `nil`; otherwise as ``Collection/save(document:conflictHandler:)``.
    public func save() throws { try ownCollection().save(self, fallback: MoreChangesResolver()) }

    /// Deletes the document in the database it came from; see ``save()`` for the errors.
    public func delete() throws { try ownCollection().delete(document: self) }

    /// Purges the document from the database it came from; see ``save()`` for the errors.
    public func purge() throws { try ownCollection().purge(document: self) }

    private func ownCollection() throws -> Collection {
        if let collection { return collection }
        guard let database = deprecatedState?.database else {
            throw LibraryError(
                CBLError.invalidParameter,
                "document \"\(id)\" does not belong to a database: use Collection.save(document:)"
            )
        }
        return try database.defaultCollection()
    }
}

extension MutableDocument {
    /// `nil` if none of the functions of the developer previews has been used.
    var deprecatedState: DeprecatedState? { attachment as? DeprecatedState }

    func withDeprecatedState(_ change: (DeprecatedState) -> Void) {
        let state = deprecatedState ?? DeprecatedState()
        change(state)
        attachment = state
    }
}
