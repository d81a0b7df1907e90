package import DatabaseRuntime
package import DocumentStore
import Fleece

/// Writes the blobs of a model that is being saved, and knows those that are new.
package protocol SavedBlobWriting: BlobWriting {
    /// The blobs that were written and whose content was not stored before.
    var new: NewBlobs { get }
}

/// How a model is stored as a document.
package struct ModelSave {
    private let types: ModelTypes
    private let blobs: any SavedBlobWriting
    private let store: CollectionStore
    private let file: DatabaseFile
    /// What is known of the type of the model; `nil` if it has a property wrapper for its ID in any case.
    private let shape: ModelShape?
    /// Whether properties of the stored document that the type does not have are kept.
    private let keepsUnknownFields: Bool

    /// Prepares saves of models of one type in a collection.
    ///
    /// - Parameters:
    ///   - blobs: Writes the blobs of one model, so it must be new for each.
    ///   - file: The open file of the collection.
    ///   - shape: What is known of the type; `nil`, the default, if it has a property wrapper for its ID in any case.
    ///   - keepsUnknownFields: Whether properties of the stored document that the type does not have are kept.
    package init(
        _ types: ModelTypes,
        _ blobs: any SavedBlobWriting,
        _ store: CollectionStore,
        _ file: DatabaseFile,
        shape: ModelShape? = nil,
        keepsUnknownFields: Bool = false
    ) {
        (self.types, self.blobs, self.store, self.file) = (types, blobs, store, file)
        (self.shape, self.keepsUnknownFields) = (shape, keepsUnknownFields)
    }

    /// Returns whether a model, with the properties of the stored document that its type does not have, is equal to the stored document. Its
    /// blobs are written.
    package func isUnchanged(_ model: some Encodable, of stored: DocumentRecord, _ shape: ModelShape) throws -> Bool {
        try file.withBodyEncoder { encoder in
            let body = try ModelEncoding.encode(model, with: encoder, types: types, blobs: blobs, omitting: shape.idKey)
            return try body.withRoot { new, keys in
                try stored.body.withRoot { root in
                    guard let new = new.dictionary, let old = root.dictionary else { return false }
                    var merge = FieldMerge(shape, encodedKeys: keys, stored: stored.body, storedKeys: stored.sharedKeys)
                    return try merge.isUnchanged(new, keepingFrom: old, root)
                }
            } ?? false
        }
    }

    /// Stores a model as a document, and updates the wrapper of its ID if it is an object of a class.
    ///
    /// - Parameters:
    ///   - model: The model. Afterwards as it is after the save; of no use if there was a conflict.
    ///   - object: The model, if it is an object of a class with a wrapper.
    ///   - id: The ID of the document; `nil` to generate one.
    ///   - replace: Decodes the model again from what it has encoded, if it is a value with a wrapper, and returns its new wrapper, which gets
    ///     the revision. `nil` if the saved model is not needed.
    /// - Throws: `EncodingError` if the model cannot be stored; the errors of storing it.
    package func store<Model: Encodable>(
        _ model: inout Model,
        _ modelID: ModelID,
        updating object: AnyObject?,
        as id: String?,
        base: DocumentSave.Base,
        replacing replace: ((inout Model, EncodedBody, DocumentIdentity, EncodedCounters) throws -> DocumentIdentity)? = nil
    ) throws -> DocumentSaveOutcome {
        let documentID = id ?? DocumentIdentifier.generate()
        let isRead = if case .wrapper(let wrapper) = modelID { wrapper.revision != nil } else { true }
        let save = DocumentSave(documentID, base: base, isLikelyStored: isRead)
        return try file.withBodyEncoder { encoder in
            // Code of the app, in the model and the streams of its blobs, must not run under the write lock.
            let counters = EncodedCounters()
            let body = try ModelEncoding.encode(
                model,
                with: encoder,
                types: types,
                blobs: blobs,
                omitting: shape?.idKey,
                counting: counters
            )
            let counted: (all: EncodedCounters, device: String)? = try counters.isEmpty ? nil : (counters, file.counterDevice())
            var savedWrapper: DocumentIdentity?
            if object == nil, let replace, case .wrapper(let wrapper) = modelID {
                savedWrapper = try replace(&model, body, wrapper, counters)
            }
            let (outcome, transactionOutcome) = try blobs.new.transaction(in: file) { writer in
                let kept = keepsUnknownFields && id != nil ? shape : nil
                return try store.save(save, encoded: body, keepingFieldsUnknownTo: kept, counted, in: writer)
            }
            guard case .saved(let revision, _) = outcome else { return outcome }
            counters.didSave(transactionOutcome: transactionOutcome)
            if let object, case .wrapper(let wrapper) = modelID { savedWrapper = types.wrapper(of: object, after: wrapper) }
            savedWrapper?.stands(for: documentID, revision, transactionOutcome: transactionOutcome)
            return outcome
        }
    }
}
