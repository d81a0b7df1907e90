// Documents that know their database, as those of the previews did.

/// What a mutable document keeps for the previews' functions.
final class DeprecatedState {
    /// The database of a document that was made by ``Database/document()`` and has not been saved.
    var database: Database?
    /// The document's own ``SaveConflictResolver``, not called so because that is deprecated.
    var resolver: Any?
}

@available(*, deprecated, message: "Use the functions of Collection")
extension MutableDocument {
    /// An empty document.
    public convenience init(withID id: String) {
        self.init(id: id)
    }

    /// Saves the document in the database it came from. If somebody else has changed it meanwhile, the document's or the database's
    /// conflict resolver decides; without one the side with more changes in its history is kept.
    ///
    /// - Throws: `invalidParameter` when it neither came from a database nor was made by one; `conflict` when the resolver gave
    ///   up; else as ``Collection/save(document:conflictHandler:)``.
    public func save() throws {
        try ownCollection().save(self, fallback: MoreChangesResolver())
    }

    /// Deletes the document in the database it came from.
    ///
    /// - Throws: `invalidParameter` when it came from none; else as ``Collection/delete(document:)``.
    public func delete() throws {
        try ownCollection().delete(document: self)
    }

    /// Removes every trace of the document in the database it came from.
    ///
    /// - Throws: `invalidParameter` when it came from none; else as ``Collection/purge(document:)``.
    public func purge() throws {
        try ownCollection().purge(document: self)
    }

    private func ownCollection() throws -> Collection {
        if let collection { return collection }
        guard let database = deprecatedState?.database else {
            throw NSError.couchbaseLite(
                code: CBLError.invalidParameter,
                message: "document \"\(id)\" does not belong to a database: use Collection.save(document:)"
            )
        }
        return try database.defaultCollection()
    }
}

extension MutableDocument {
    func withDeprecatedState(_ change: (DeprecatedState) -> Void) {
        let state = deprecatedState ?? DeprecatedState()
        change(state)
        deprecatedState = state
    }

    /// The revision that the changes were made over, if it is still known.
    var base: Document? {
        guard let original, original.revision == revision else { return nil }
        return original
    }

    /// Makes the document as it is the base of changes to come.
    func rememberBase() {
        original = Document(id: id, contents.mutableCopy(), original: self)
    }
}
