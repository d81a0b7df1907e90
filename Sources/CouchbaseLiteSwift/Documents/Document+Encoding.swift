import DocumentStore
import Fleece

extension Document {
    /// Writes the properties as one dictionary; what was not changed is copied from where it lies.
    ///
    /// - Parameter save: Called for every blob that was set, to store its content and to say under which digest.
    /// - Returns: Whether the properties refer to blobs, so that the revision must be flagged.
    /// - Throws: What `save` throws, or `FleeceError` when values are nested too deep. `encoder` must be reset then.
    func encodeProperties(into encoder: inout Encoder, saving save: BlobSaver) throws -> Bool {
        var context = EncodingContext()
        context.containsBlobs = hasAttachments
        try contents.encode(into: &encoder, &context, saving: save)
        return context.containsBlobs
    }

    /// As ``encodeProperties(into:saving:)``, storing contents in `blobs`, the store of `database`.
    func encodeProperties(into encoder: inout Encoder, database: Database, blobs: BlobStore) throws -> Bool {
        try encodeProperties(into: &encoder) { try $0.install(in: blobs, of: database) }
    }

    /// A misuse when a blob inside was stored in a database other than `database`. Call it outside of locks.
    ///
    /// - Returns: Whether there are blobs that were set, whose contents may have to be stored.
    @discardableResult
    func checkBlobs(belongTo database: Database) -> Bool {
        do throws(ForeignBlob) {
            return try findBlobs(belongingTo: database)
        } catch {
            ForeignBlob.fail()
        }
    }

    /// As ``checkBlobs(belongTo:)`` where it is no misuse.
    func findBlobs(belongingTo database: Database) throws(ForeignBlob) -> Bool {
        try contents.checkBlobs(belongTo: database)
    }

    /// Writes the contents of blobs that were set, so that the save has little to wait for; see ``Blob/prepare(for:)``.
    func prepareBlobs(for store: BlobStore) throws {
        try contents.forEachBlob { try $0.prepare(for: store) }
    }

    /// The document with all its blobs was saved in `database`.
    func didSaveBlobs(in database: Database) {
        contents.forEachBlob { $0.didSave(in: database) }
    }

    /// Whether there are attachments as 1.x wrote them (Storage format 4.3).
    private var hasAttachments: Bool {
        switch contents.value(forKey: "_attachments") {
        case .stored(let value): (value.dictionary?.pairCount ?? 0) > 0
        case .dictionary(let dictionary): dictionary.count > 0
        default: false
        }
    }
}
