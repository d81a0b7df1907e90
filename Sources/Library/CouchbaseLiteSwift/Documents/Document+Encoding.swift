import DatabaseRuntime
import DocumentStore
import Fleece

extension Document {
    /// Encodes the properties as one dictionary. Unchanged stored values are copied without being decoded.
    ///
    /// - Parameter save: Called for every blob that was set. It stores the blob's content and returns its digest.
    /// - Returns: Whether the properties refer to blobs; if so, the revision must be flagged.
    /// - Throws: The error of `save`, `UnstorableDate`, or `FleeceError` if values are nested too deeply. Reset `encoder` after an error.
    func encodeProperties(into encoder: inout Encoder, saving save: BlobSaver) throws -> Bool {
        var context = EncodingContext()
        context.containsBlobs = hasAttachments
        try contents.encode(into: &encoder, &context, saving: save)
        return try context.checked(context.containsBlobs)
    }

    /// Encodes the properties like ``encodeProperties(into:saving:)``, and stores the content of blobs in `blobs`, the blob store of
    /// `database`.
    func encodeProperties(into encoder: inout Encoder, database: Database, blobs: BlobStore) throws -> Bool {
        try encodeProperties(into: &encoder) { try $0.shared.install(in: blobs, of: database) }
    }

    /// Ends the process (API 8) if a blob in the document is stored in a database other than `database`. Must be called without holding a
    /// lock.
    ///
    /// - Returns: Whether the document contains blobs that were set and whose content may have to be stored.
    @discardableResult
    func checkBlobs(belongTo database: Database) -> Bool {
        do throws(ForeignBlob) {
            return try findBlobs(belongingTo: database)
        } catch {
            ForeignBlob.fail()
        }
    }

    /// Checks the document's blobs like ``checkBlobs(belongTo:)``, but throws if a blob is stored in another database.
    func findBlobs(belongingTo database: Database) throws(ForeignBlob) -> Bool {
        try contents.source?.checkBlobs(in: contents.base, belongTo: database)
        var hasBlobs = false
        try contents.forEachObject { object throws(ForeignBlob) in
            switch object {
            case .blob(let blob):
                if blob.shared.isForeign(to: database) { throw ForeignBlob() }
                hasBlobs = true
            case .array(let array): try array.contents.source?.checkBlobs(in: array.contents.base, belongTo: database)
            case .dictionary(let values): try values.contents.source?.checkBlobs(in: values.contents.base, belongTo: database)
            }
        }
        return hasBlobs
    }

    /// Writes the content of all set blobs to files, so that the transaction that follows is short; see ``Blob/prepare(for:)``.
    func prepareBlobs(for store: BlobStore) throws { try contents.forEachObject { try $0.blob?.shared.prepare(for: store) } }

    /// Marks all blobs of the document as stored in `database`, after the document was saved there.
    func didSaveBlobs(in database: Database) { contents.forEachObject { $0.blob?.shared.didSave(in: database) } }

    /// Whether the document has attachments in the format of Couchbase Lite 1.x (Storage format 4.3).
    private var hasAttachments: Bool {
        switch contents.value(forKey: "_attachments") {
        case .stored(let value): (value.dictionary?.pairCount ?? 0) > 0
        case .object(.dictionary(let dictionary)): dictionary.count > 0
        default: false
        }
    }
}
