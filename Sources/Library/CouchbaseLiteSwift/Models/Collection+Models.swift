import DatabaseRuntime
import DocumentStore
import Fleece
import ModelCoding

extension Collection {
    /// Returns a document as an object of a model class.
    ///
    /// ```swift
    /// final class Airline: Codable {
    ///     @DocumentID var id: String?
    ///     var name: String
    ///     var callsign: String?
    /// }
    /// let airline = try collection.document(id: "airline_10", as: Airline.self)
    /// ```
    ///
    /// The values are decoded from the stored data directly, without an intermediate dictionary. Properties of the document that the class
    /// does not have are ignored, and removed when the object is saved. Blocks while it reads from disk.
    ///
    /// - Parameter id: The ID of the document.
    /// - Parameter type: The model class. It must have a property marked with ``DocumentID``.
    /// - Returns: `nil` if the document does not exist or has been deleted.
    /// - Throws: ``CBLError/decodingError`` if a property that is not optional is missing or null, or a property has
    ///   another type; the message contains the path of the property. ``CBLError/invalidParameter`` if the class has no
    ///   ``DocumentID``. Errors that `init(from:)` of the class throws. The errors of ``document(id:)``.
    public func document<T: DocumentDecodable>(id: String, as type: T.Type) throws -> T? { try record(id).map { try object(type, $0) } }

    /// Returns the stored document; `nil` if it does not exist.
    func record(_ id: String) throws -> DocumentRecord? { try withOpenFile { _ in try store.document(id) } }

    /// Returns a stored document as an object of a model class.
    func object<T: DocumentDecodable>(_ type: T.Type, _ record: DocumentRecord) throws -> T {
        try throwingPublicErrors { try model(type, record) }
    }

    private func model<T: DocumentDecodable>(_ type: T.Type, _ record: DocumentRecord) throws -> T {
        let source = FleeceSource(data: record.body, sharedKeys: record.sharedKeys, database: database)
        let decoding = ModelDecoding(source, types: .ofAPI, identity: ModelIdentity(id: record.id, revision: record.revision))
        let object = try decoding.decode(type, from: record.body.root)
        try documentIdentity(of: object).stands(for: record.id, record.revision)
        return object
    }

    /// Saves an object as a document. A concurrent change of the document is overwritten.
    ///
    /// The document contains the properties that the object encodes; properties that only the stored document has are removed. See
    /// ``DocumentID`` for the document's ID, which is generated if it is `nil`. Dates are stored as ISO-8601 strings with milliseconds,
    /// blobs with their content. A property that is `nil` is null.
    ///
    /// Blocks while it writes to disk, and while another thread or process is writing. The object is encoded before that wait.
    ///
    /// - Throws: ``CBLError/encodingError`` if the object cannot be stored as a document: it does not encode its properties in a keyed
    ///   container, or it contains `Data`, integers beyond 64 bits, numbers that are not finite, or itself. ``CBLError/invalidParameter``
    ///   if its class has no ``DocumentID``. Errors that `encode(to:)` of the class throws. The errors of ``save(document:)``.
    public func save<T: DocumentEncodable>(from object: T) throws {
        let identity = try documentIdentity(of: object)
        _ = try save(object, identity, base: .latest)
    }

    /// Saves an object as a document; see ``save(from:)``.
    ///
    /// - Parameter object: The object to save.
    /// - Parameter concurrencyControl: Whether a concurrent change of the document is overwritten, or makes the save fail.
    /// - Returns: `false` if `concurrencyControl` is `failOnConflict` and the document was changed since the object was
    ///   read or saved; for an object that was neither read nor saved, if the document exists. Nothing is stored then.
    /// - Throws: The errors of ``save(from:)``.
    @discardableResult
    public func save<T: DocumentEncodable>(from object: T, concurrencyControl: ConcurrencyControl) throws -> Bool {
        let identity = try documentIdentity(of: object)
        return try save(object, identity, base: identity.base(failsOnConflict: concurrencyControl.failsOnConflict)).isSaved
    }

    /// Saves an object as a document, see ``save(from:)``; calls `conflictHandler` if the document was changed since
    /// the object was read or saved.
    ///
    /// - Parameter object: The object to save.
    /// - Parameter conflictHandler: Receives the object to save, which it may change, and the stored document as another
    ///   object, `nil` if the document has been deleted. Returns whether to retry. It is called again for each
    ///   further conflict, on the caller's thread, with no lock held.
    /// - Returns: `false` if the handler returned `false`. Nothing is stored then.
    /// - Throws: ``CBLError/notFound`` if the document was purged concurrently; ``CBLError/decodingError`` if the
    ///   stored document cannot be decoded as such an object; the errors of ``save(from:)``.
    @discardableResult
    public func save<T: DocumentCodable>(from object: T, conflictHandler: @escaping (T, T?) -> Bool) throws -> Bool {
        let identity = try documentIdentity(of: object)
        let documentID = identity.id ?? DocumentIdentifier.generate()
        return try saveResolvingConflicts(of: documentID, base: identity.base(failsOnConflict: true)) { base in
            try save(object, identity, as: documentID, base: base)
        } resolving: { stored in
            conflictHandler(object, try stored.map { try model(T.self, $0) })
        }
    }

    /// Deletes the document of an object. This creates a tombstone, which is replicated.
    ///
    /// A concurrent change of the document does not prevent the deletion. Blocks as ``save(from:)`` does.
    ///
    /// - Throws: ``CBLError/notFound`` if the object has no ID or the document does not exist; ``CBLError/invalidParameter`` if the
    ///   object's class has no ``DocumentID``; ``CBLError/notOpen`` if the database is closed or the collection was deleted.
    public func delete<T: DocumentEncodable>(for object: T) throws { _ = try delete(for: object, concurrencyControl: .lastWriteWins) }

    /// Deletes the document of an object. This creates a tombstone, which is replicated.
    ///
    /// - Parameter object: The object whose document is deleted.
    /// - Parameter concurrencyControl: Whether the document is deleted despite a concurrent change.
    /// - Returns: `false` if `concurrencyControl` is `failOnConflict` and the document was changed or deleted since the
    ///   object was read or saved.
    /// - Throws: The errors of ``delete(for:)``.
    @discardableResult
    public func delete<T: DocumentEncodable>(for object: T, concurrencyControl: ConcurrencyControl) throws -> Bool {
        let identity = try documentIdentity(of: object)
        return try withOpenFile { file in
            let documentID = try identity.existing
            let base = identity.base(failsOnConflict: concurrencyControl.failsOnConflict)
            let outcome = try store.delete(documentID, base: base, in: file) { revision, _, transactionOutcome in
                identity.stands(for: documentID, revision, transactionOutcome: transactionOutcome)
            }
            return try outcome.isDeleted(documentID)
        }
    }

    /// Removes all data of an object's document. Unlike a deletion, this is not replicated.
    ///
    /// Afterwards the object is like a new object with that ID. Blocks as ``save(from:)`` does.
    ///
    /// - Throws: ``CBLError/notFound`` if the object has no ID or the document does not exist; ``CBLError/invalidParameter`` if the
    ///   object's class has no ``DocumentID``; ``CBLError/notOpen`` if the database is closed or the collection was deleted.
    public func purge<T: DocumentEncodable>(for object: T) throws {
        let identity = try documentIdentity(of: object)
        try withOpenFile { identity.didPurge(transactionOutcome: try store.purge(identity.existing, in: $0)) }
    }

    private func save(
        _ object: some DocumentEncodable,
        _ identity: DocumentIdentity,
        as documentID: String? = nil,
        base: DocumentSave.Base
    ) throws -> DocumentSaveOutcome {
        try withOpenFile { file in
            let save = ModelSave(.ofAPI, SavedBlobs(in: file, of: database), store, file)
            var model = object
            return try save.store(&model, .wrapper(identity), updating: object, as: documentID ?? identity.id, base: base)
        }
    }
}

/// Returns the state of the wrapper that the class of `object` itself declares.
///
/// - Throws: `invalidParameter` if there is none.
private func documentIdentity(of object: AnyObject) throws -> DocumentIdentity {
    try throwingPublicErrors { try ModelTypes.ofAPI.wrapper(of: object) }
}

extension ConcurrencyControl {
    var failsOnConflict: Bool { self == .failOnConflict }
}
