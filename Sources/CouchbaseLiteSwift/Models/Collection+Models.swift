import DocumentStore
import Fleece

extension Collection {
    /// Reads a document as an object of a model class.
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
    /// The values are read where they are stored, without a dictionary in between. Properties of the document that the class
    /// does not have are passed over, and are gone when the object is saved.
    ///
    /// - Returns: Nil when there is no such document, or it has been deleted.
    /// - Throws: ``CBLError/decodingError`` when a property that is not optional is missing or null, or has another type; the
    ///   message says which one. ``CBLError/invalidParameter`` when the class has no ``DocumentID``. What
    ///   `init(from:)` of the class throws. Else as ``document(id:)``.
    public func document<T: DocumentDecodable>(id: String, as type: T.Type) throws -> T? {
        try record(id).map { try object(type, $0) }
    }

    /// The document as it is stored; nil when there is none.
    func record(_ id: String) throws -> DocumentRecord? {
        try withOpenFile { _ in try store.document(id) }
    }

    /// The object that a stored document is read as.
    func object<T: DocumentDecodable>(_ type: T.Type, _ record: DocumentRecord) throws -> T {
        try throwingPublicErrors { try model(type, record) }
    }

    private func model<T: DocumentDecodable>(_ type: T.Type, _ record: DocumentRecord) throws -> T {
        let object = try ModelDecoding.decode(type, from: record, of: database)
        try DocumentID.of(object).stands(for: record.id, record.revision)
        return object
    }

    /// Saves an object as a document; if somebody else has changed that meanwhile, over that change.
    ///
    /// The properties are those the object encodes; see ``DocumentID`` for its ID, which is generated when it is nil. Dates
    /// are stored as ISO-8601 text with milliseconds, blobs with their content. A property that is nil is left out, one
    /// that is encoded with `encodeNil` is null. What the stored document has beyond these is gone.
    ///
    /// The object is encoded before anything is locked; if it has new blobs, once more when the content is stored.
    ///
    /// - Throws: ``CBLError/encodingError`` when the object cannot stand in a document: it does not encode its properties by
    ///   keys, holds `Data`, numbers that are not finite or too large, or itself. ``CBLError/invalidParameter`` when
    ///   its class has no ``DocumentID``. What `encode(to:)` of the class throws. Else as ``save(document:)``.
    public func save<T: DocumentEncodable>(from object: T) throws {
        let id = try DocumentID.of(object)
        _ = try save(object, id, base: .latest)
    }

    /// Saves an object as a document; see ``save(from:)``.
    ///
    /// - Returns: False when somebody else has changed the document since the object was read or saved, and
    ///   `concurrencyControl` is `failOnConflict`; for an object that was neither, when there is such a document.
    /// - Throws: As ``save(from:)``.
    @discardableResult
    public func save<T: DocumentEncodable>(from object: T, concurrencyControl: ConcurrencyControl) throws -> Bool {
        let id = try DocumentID.of(object)
        return try save(object, id, base: id.base(concurrencyControl)).isSaved
    }

    /// Saves an object as a document, see ``save(from:)``; asks `conflictHandler` when somebody else has changed that
    /// meanwhile.
    ///
    /// - Parameters:
    ///   - object: The object to save.
    ///   - conflictHandler: Gets the object to save, which it may change, and the stored document as another one, nil if that
    ///     has been deleted. Returns whether to try again. Called outside of any lock.
    /// - Returns: False when the handler gave up; then nothing is stored.
    /// - Throws: ``CBLError/notFound`` when the document was purged meanwhile; ``CBLError/decodingError`` when the stored one
    ///   cannot be read as such an object; else as ``save(from:)``.
    @discardableResult
    public func save<T: DocumentCodable>(from object: T, conflictHandler: @escaping (T, T?) -> Bool) throws -> Bool {
        let id = try DocumentID.of(object)
        let documentID = id.wrappedValue ?? DocumentIdentifier.generate()
        return try saveResolvingConflicts(of: documentID, base: id.base(.failOnConflict)) { base in
            try save(object, id, as: documentID, base: base)
        } resolving: { stored in
            conflictHandler(object, try stored.map { try model(T.self, $0) })
        }
    }

    /// Deletes the document of an object; it leaves a tombstone, which replicates.
    ///
    /// - Throws: ``CBLError/notFound`` when the object has no ID, or there is no such document;
    ///   ``CBLError/invalidParameter`` when its class has no ``DocumentID``; `notOpen`.
    public func delete<T: DocumentEncodable>(for object: T) throws {
        _ = try delete(for: object, concurrencyControl: .lastWriteWins)
    }

    /// Deletes the document of an object; it leaves a tombstone, which replicates.
    ///
    /// - Returns: False when somebody else has changed or deleted the document since the object was read or saved, and
    ///   `concurrencyControl` is `failOnConflict`.
    /// - Throws: As ``delete(for:)``.
    @discardableResult
    public func delete<T: DocumentEncodable>(for object: T, concurrencyControl: ConcurrencyControl) throws -> Bool {
        let id = try DocumentID.of(object)
        return try withOpenFile { file in
            let documentID = try id.existing
            let base = id.base(concurrencyControl)
            let (outcome, fate) = try file.transaction { writer in
                (try store.delete(documentID, base: base, in: writer), writer.fate)
            }
            switch outcome {
            case .saved(let revision, _), .alreadyDeleted(let revision, _):
                id.stands(for: documentID, revision, fate: fate)
                return true
            case .conflict: return false
            case .missing: throw StoreError.notFound(what: "document \"\(documentID)\"")
            }
        }
    }

    /// Removes every trace of the document of an object. Unlike a deletion this is not replicated.
    ///
    /// The object then is like a new one with that ID.
    ///
    /// - Throws: ``CBLError/notFound`` when the object has no ID, or there is no such document;
    ///   ``CBLError/invalidParameter`` when its class has no ``DocumentID``; `notOpen`.
    public func purge<T: DocumentEncodable>(for object: T) throws {
        let id = try DocumentID.of(object)
        try withOpenFile { id.didPurge(fate: try purge(id.existing, in: $0)) }
    }

    private func save(
        _ object: some Encodable,
        _ id: DocumentID,
        as documentID: String? = nil,
        base: DocumentSave.Base
    ) throws -> DocumentSaveOutcome {
        try withOpenFile { file in
            let documentID = documentID ?? id.wrappedValue ?? DocumentIdentifier.generate()
            let save = DocumentSave(documentID, base: base, isLikelyStored: id.revision != nil)
            let blobs = NewBlobs()
            let (outcome, fate) = try file.withBodyEncoder { encoder in
                // What the object and the streams of its blobs do meanwhile must not happen under the lock.
                let body = try encode(object, with: encoder, in: file, blobs)
                return try file.transaction { writer in
                    // The transaction of the document stores the contents: nobody can tidy them away before.
                    for blob in blobs.prepared { _ = try blob.install(in: file.blobs, of: database) }
                    blobs.installed += blobs.prepared
                    return (try store.save(save, encoded: body, in: writer), writer.fate)
                }
            }
            if case .saved(let revision, _) = outcome {
                id.stands(for: documentID, revision, fate: fate)
                for blob in blobs.installed { blob.didSave(in: database) }
            }
            return outcome
        }
    }

    /// Encodes an object. New contents are prepared or, inside a transaction of the app's, stored.
    private func encode(
        _ object: some Encodable,
        with encoder: BodyEncoder,
        in file: DatabaseFile,
        _ blobs: NewBlobs
    ) throws -> EncodedBody {
        let isInTransaction = file.isInTransaction
        return try ModelEncoding.encode(object, with: encoder) { [database] blob in
            blob.checkDatabase(database)
            guard isInTransaction || blob.isFromDocument(of: database) else {
                blobs.prepared.append(blob)
                return try blob.digest(preparedFor: file.blobs)
            }
            blobs.installed.append(blob)
            return try blob.install(in: file.blobs, of: database)
        }
    }

    /// The blobs of an object.
    private final class NewBlobs {
        /// Those whose contents are still to be put into the store.
        var prepared: [Blob] = []
        /// Those whose contents were put there.
        var installed: [Blob] = []
    }
}

extension DocumentID {
    /// What a change of the document is based on.
    fileprivate func base(_ concurrencyControl: ConcurrencyControl) -> DocumentSave.Base {
        guard concurrencyControl == .failOnConflict else { return revision.map { .latestKnowing($0) } ?? .latest }
        return revision.map { .revision($0) } ?? .none
    }

    /// The ID of a document that should be there.
    fileprivate var existing: String {
        get throws {
            if let id = wrappedValue { return id }
            throw StoreError.notFound(what: "the document of an object without ID")
        }
    }
}
