import DatabaseRuntime
import DocumentStore
import ModelCoding

extension ModelCollection where Model: Encodable {
    /// Saves a value as a document, and gives it the ID and revision of the document. A concurrent change is overwritten.
    ///
    /// A value with ``DocumentID`` is decoded again from what it has encoded, so that it is afterwards the value that ``get(_:)`` returns:
    /// dates have milliseconds, and properties that are not encoded have their initial values. Other copies of the value keep their
    /// revision. An object of a class is not decoded again; it gets its ID and revision. A value without ``DocumentID`` is not changed.
    ///
    /// ``unknownFields`` determines what happens to properties of the stored document that the type does not have. The value is encoded and
    /// decoded before the write lock is taken. Blocks as ``Collection/save(document:)`` does.
    ///
    /// - Parameter model: The value. If its ``DocumentID`` is `nil`, it gets a generated ID.
    /// - Throws: ``CBLError/encodingError`` if the value cannot be stored as a document, or its `id` is not encoded as a string;
    ///   ``CBLError/decodingError`` if it cannot be decoded from what it encodes; ``CBLError/invalidParameter`` if the type has no ID;
    ///   errors that its `encode(to:)` and `init(from:)` throw; the errors of ``Collection/save(document:)``. Nothing is stored then, and
    ///   the value is not changed.
    public func save(_ model: inout Model) throws { try save(&model, concurrencyControl: .lastWriteWins) }

    /// Saves a value as a document, and returns it with the ID and revision of the document; see `save(_:)`.
    @discardableResult
    public func save(_ model: Model) throws -> Model {
        var model = model
        try save(&model)
        return model
    }

    /// Saves a value as a document, see `save(_:)`, and handles a concurrent change as `concurrencyControl` specifies.
    ///
    /// - Parameter model: The value to save.
    /// - Parameter concurrencyControl: Whether a concurrent change of the document is overwritten, or makes the save fail.
    /// - Returns: `false` if `concurrencyControl` is `failOnConflict` and the document was changed since this copy of the value was read or
    ///   saved; for a value that was neither read nor saved, if the document exists. Nothing is stored then, and the value is not changed.
    /// - Throws: ``CBLError/invalidParameter`` if `concurrencyControl` is `failOnConflict` and the type has no ``DocumentID``; the errors
    ///   of `save(_:)`.
    @discardableResult
    public func save(_ model: inout Model, concurrencyControl: ConcurrencyControl) throws -> Bool {
        let (modelID, base) = try throwingPublicErrors {
            let modelID = try ModelID(of: model, .ofAPI)
            return (modelID, try modelID.base(failsOnConflict: concurrencyControl.failsOnConflict))
        }
        return try store(&model, modelID, as: modelID.string, base: base).isSaved
    }

    /// Saves a value as a document; see `save(_:concurrencyControl:)`.
    ///
    /// - Returns: The value with the ID and revision of the document; `nil` if the form that changes the value returns `false`.
    @discardableResult
    public func save(_ model: Model, concurrencyControl: ConcurrencyControl) throws -> Model? {
        var model = model
        return try save(&model, concurrencyControl: concurrencyControl) ? model : nil
    }

    /// Saves a value as a document, see `save(_:)`; calls `conflictHandler` if the document was changed since this copy of the value was
    /// read or saved.
    ///
    /// - Parameter model: The value to save.
    /// - Parameter conflictHandler: Receives the value to save, which it may change, and the stored document as a value, `nil` if the document
    ///   has been deleted. Returns whether to retry. It is called again for each further conflict, on the caller's thread, with no lock held.
    /// - Returns: `false` if the handler returned `false`. Nothing is stored then, and the value is not changed.
    /// - Throws: The error of the handler, unchanged; ``CBLError/invalidParameter`` if the type has no ``DocumentID``;
    ///   ``CBLError/notFound`` if the document was purged concurrently; ``CBLError/decodingError`` if the stored document cannot be
    ///   decoded; the errors of `save(_:)`.
    @discardableResult
    public func save(_ model: inout Model, conflictHandler: (inout Model, Model?) throws -> Bool) throws -> Bool {
        var value = model
        var app = AppErrors()
        do {
            let modelID = try ModelID(of: value, .ofAPI)
            let base = try modelID.base(failsOnConflict: true)
            let documentID = modelID.string ?? DocumentIdentifier.generate()
            let isSaved = try collection.saveResolvingConflicts(of: documentID, base: base) { base in
                let modelID = try ModelID(of: value, .ofAPI)
                return try store(&value, modelID, as: documentID, base: base)
            } resolving: { record in
                let stored = try record.map { try self.model($0) }
                return try app.record { try conflictHandler(&value, stored) }
            }
            if isSaved { model = value }
            return isSaved
        } catch {
            throw app.thrown ?? LibraryError.thrown(error)
        }
    }

    /// Saves a value as a document, and resolves conflicts; see `save(_:conflictHandler:)`.
    ///
    /// - Returns: The value with the ID and revision of the document; `nil` if the handler returned `false`.
    @discardableResult
    public func save(_ model: Model, conflictHandler: (inout Model, Model?) throws -> Bool) throws -> Model? {
        var model = model
        return try save(&model, conflictHandler: conflictHandler) ? model : nil
    }

    /// Deletes the document of a value. This creates a tombstone, which is replicated.
    ///
    /// A concurrent change of the document does not prevent the deletion. The value is not changed; an object of a class gets the revision
    /// of the tombstone. Blocks as ``Collection/save(document:)`` does.
    ///
    /// - Throws: ``CBLError/notFound`` if the value has no ID or the document does not exist; ``CBLError/invalidParameter`` if the type has
    ///   no ID; ``CBLError/encodingError`` if its `id` is not encoded as a string; ``CBLError/notOpen`` if the database is closed or the
    ///   collection was deleted.
    public func delete(_ model: Model) throws { try delete(model, concurrencyControl: .lastWriteWins) }

    /// Deletes the document of a value; see ``delete(_:)``.
    ///
    /// - Parameter model: The value whose document is deleted.
    /// - Parameter concurrencyControl: Whether the document is deleted despite a concurrent change.
    /// - Returns: `false` if `concurrencyControl` is `failOnConflict` and the document was changed or deleted since this copy of the value
    ///   was read or saved.
    /// - Throws: ``CBLError/invalidParameter`` if `concurrencyControl` is `failOnConflict` and the type has no ``DocumentID``; the errors
    ///   of ``delete(_:)``.
    @discardableResult
    public func delete(_ model: Model, concurrencyControl: ConcurrencyControl) throws -> Bool {
        try collection.withOpenFile { file in
            let modelID = try ModelID(of: model, .ofAPI)
            let (id, base) = (try modelID.existing, try modelID.base(failsOnConflict: concurrencyControl.failsOnConflict))
            let outcome = try collection.store.delete(id, base: base, in: file) { revision, _, transactionOutcome in
                modelID.wrapper(updatedIn: model)?.stands(for: id, revision, transactionOutcome: transactionOutcome)
            }
            return try outcome.isDeleted(id)
        }
    }

    /// Removes all data of a value's document. Unlike a deletion, this is not replicated. The value is not changed; an object of a class
    /// is afterwards like a new one with that ID.
    ///
    /// - Throws: The errors of ``delete(_:)``.
    public func purge(_ model: Model) throws {
        try collection.withOpenFile { file in
            let modelID = try ModelID(of: model, .ofAPI)
            let transactionOutcome = try collection.store.purge(modelID.existing, in: file)
            modelID.wrapper(updatedIn: model)?.didPurge(transactionOutcome: transactionOutcome)
        }
    }

    // MARK: Storing

    /// Stores a value as a document.
    ///
    /// - Parameters:
    ///   - model: The value. It is changed only if it is saved.
    ///   - id: The ID of the document; `nil` to generate one.
    ///   - setsRevision: Whether the value gets its new revision, for which it is decoded again.
    func store(
        _ model: inout Model,
        _ modelID: ModelID,
        as id: String?,
        base: DocumentSave.Base,
        setsRevision: Bool = true
    ) throws -> DocumentSaveOutcome {
        let database = collection.database
        let replace = { (model: inout Model, body: EncodedBody, wrapper: DocumentIdentity, counters: EncodedCounters) in
            let source = FleeceSource(data: body.data, sharedKeys: body.sharedKeys, database: database)
            return try shape.replace(&model, from: source, wrapper, counters)
        }
        var saved = model
        let outcome = try collection.withOpenFile { file in
            let blobs = SavedBlobs(in: file, of: database)
            let save = ModelSave(.ofAPI, blobs, collection.store, file, shape: shape, keepsUnknownFields: unknownFields == .keep)
            let object = modelID.object(updatedIn: saved)
            return try save.store(&saved, modelID, updating: object, as: id, base: base, replacing: setsRevision ? replace : nil)
        }
        if outcome.isSaved { model = saved }
        return outcome
    }
}
