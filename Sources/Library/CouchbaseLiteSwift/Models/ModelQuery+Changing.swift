import Base
import DatabaseRuntime
import DocumentStore
import ModelCoding
import QueryLanguage

extension ModelQuery where Model: Codable {
    /// Changes the documents that the query finds, in one transaction: all of them, or none if there is an error.
    ///
    /// ```swift
    /// let count = try hotels.query(where: #Predicate { $0.country == "France" }).update { $0.visits += 1 }
    /// ```
    ///
    /// Each document is decoded, changed and saved as by `save(_:)` of a ``ModelCollection``. The documents are selected before the first one
    /// is changed. In memory are the IDs of all of them, and one document. Inside a batch an error undoes only the changes of this call.
    ///
    /// `change`, and the code of the type that encodes and decodes it, run inside the transaction, because no other writer may change a
    /// document in between: other threads and processes that write wait until all documents are saved. So the closure should be fast, and
    /// must not wait for another thread that writes.
    ///
    /// - Parameter change: Changes a value. It must not change its ID.
    /// - Returns: The number of changed documents.
    /// - Throws: The error of `change`, unchanged; ``CBLError/invalidParameter`` if it changed an ID; ``CBLError/conflict`` if it changed
    ///   the document of its value by another function; the errors of ``all(onDecodingError:)`` and of saving.
    @discardableResult
    public func update(_ change: (inout Model) throws -> Void) throws -> Int {
        let models = collection.models(Model.self, unknownFields: unknownFields)
        var app = AppErrors()
        do {
            return try forEachID { id, _ in try models.update(id) { model in try app.record { try change(&model) } } }
        } catch {
            throw app.thrown ?? error
        }
    }

    /// Deletes the documents that the query finds, in one transaction: all of them, or none if there is an error. Decodes no documents.
    ///
    /// Each deletion creates a tombstone, which is replicated. Blocks as ``Collection/save(document:)`` does.
    ///
    /// - Returns: The number of deleted documents.
    /// - Throws: The errors of ``all(onDecodingError:)`` and ``Collection/save(document:)``.
    @discardableResult
    public func delete() throws -> Int {
        let select = try throwingPublicErrors { try query.draft.tree.get() }
        guard let statement = select.deletion else {
            return try forEachID { id, file in _ = try collection.store.delete(id, base: .latest, in: file) { _, _, _ in } }
        }
        return try collection.withOpenFile { _ in
            try collection.database.execute(statement, query.parameters, query.cancellation).changedCount
        }
    }

    /// Calls `body` with the ID of each document that the query finds, in one transaction. Returns their number.
    private func forEachID(_ body: (String, DatabaseFile) throws -> Void) throws -> Int {
        try collection.database.batch {
            try collection.withOpenFile { file in
                try file.statement { _ in
                    let ids = try documentIDs()
                    for id in ids { try body(id, file) }
                    return ids.count
                }
            }
        }
    }
}

extension ModelCollection where Model: Encodable {
    fileprivate func update(_ id: String, _ change: (inout Model) throws -> Void) throws {
        guard let record = try collection.store.document(id) else { throw StoreError.notFound(what: "document \"\(id)\"") }
        var model = try self.model(record)
        try change(&model)
        let modelID = try ModelID(of: model, .ofAPI)
        guard modelID.string?.isExactly(id) == true else {
            throw LibraryError(CBLError.invalidParameter, "The ID of document \"\(id)\" cannot be changed")
        }
        guard try store(&model, modelID, as: id, base: .revision(record.revision), setsRevision: false).isSaved else {
            throw LibraryError(CBLError.conflict, "Document \"\(id)\" was changed during its update")
        }
    }
}
