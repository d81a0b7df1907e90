import Base
import DatabaseRuntime
import DocumentStore
import ModelCoding
import QueryEngine
import QueryLanguage

extension ModelCollection {
    /// Changes the documents that satisfy a condition, in one transaction: all of them, or none if there is an error.
    ///
    /// ```swift
    /// let count = try hotels.update(where: #Predicate { $0.country == "France" }) { $0.visits += 1 }
    /// ```
    ///
    /// Each document is decoded, changed and saved as by `save(_:)`. The documents are selected before the first one is changed. In memory
    /// are the IDs of all of them, and one document. Inside a batch an error undoes only the changes of this call.
    ///
    /// `change`, and the code of the type that encodes and decodes it, run inside the transaction, because no other writer may change a
    /// document in between: other threads and processes that write wait until all documents are saved. So the closure should be fast, and
    /// must not wait for another thread that writes.
    ///
    /// - Parameters:
    ///   - predicate: The condition; `nil` selects all documents of the collection.
    ///   - change: Changes a value. It must not change its ID.
    /// - Returns: The number of changed documents.
    /// - Throws: The error of `change`, unchanged; ``CBLError/invalidParameter`` if it changed an ID; ``CBLError/conflict`` if it changed
    ///   the document of its value by another function; the errors of ``where(_:orderBy:limit:offset:)``, ``get(_:)`` and `save(_:)`.
    @discardableResult
    public func update(where predicate: Predicate<Model>? = nil, _ change: (inout Model) throws -> Void) throws -> Int {
        let selected = try query(predicate)
        var app = AppErrors()
        do {
            return try collection.database.batch {
                try collection.withOpenFile { file in
                    try file.statement { _ in
                        let ids = try selected.documentIDs()
                        for id in ids { try update(id) { model in try app.record { try change(&model) } } }
                        return ids.count
                    }
                }
            }
        } catch {
            throw app.thrown ?? error
        }
    }

    private func update(_ id: String, _ change: (inout Model) throws -> Void) throws {
        guard let record = try collection.store.document(id) else { throw StoreError.notFound(what: "document \"\(id)\"") }
        var model = try model(record)
        try change(&model)
        let modelID = try ModelID(of: model, .ofAPI)
        guard modelID.string?.isExactly(id) == true else {
            throw LibraryError(CBLError.invalidParameter, "The ID of document \"\(id)\" cannot be changed")
        }
        guard try store(&model, modelID, as: id, base: .revision(record.revision), setsRevision: false).isSaved else {
            throw LibraryError(CBLError.conflict, "Document \"\(id)\" was changed during its update")
        }
    }

    /// Deletes the documents that satisfy a condition, in one transaction: all of them, or none if there is an error. Decodes no documents.
    ///
    /// Each deletion creates a tombstone, which is replicated. Blocks as ``Collection/save(document:)`` does.
    ///
    /// - Returns: The number of deleted documents.
    /// - Throws: The errors of ``where(_:orderBy:limit:offset:)`` and ``Collection/save(document:)``.
    @discardableResult
    public func delete(where predicate: Predicate<Model>) throws -> Int {
        let draft = try query(predicate).query.draft
        return try collection.withOpenFile { _ in
            guard let statement = try draft.tree.get().deletion else { return 0 }
            return try collection.database.execute(statement, nil, QueryCancellation()).changedCount
        }
    }
}
