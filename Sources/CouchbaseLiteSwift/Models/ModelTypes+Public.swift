import DatabaseRuntime
import DocumentStore
import Fleece
import ModelCoding
import QueryEngine

extension ModelTypes {
    /// The types of this API.
    static let ofAPI = ModelTypes(
        blob: Blob.self,
        documentID: DocumentID.self,
        wrapper: { wrappers.property(of: $0)?.identity },
        constantBlobs: ConstantBlobs(),
        documentKeys: { type in (type as? any DocumentKeyProviding.Type)?.documentKeys }
    )

    private static let wrappers = PropertyFinder<DocumentID>()
}

extension Blob: ModelBlob {}
extension DocumentID: ModelDocumentID {}

extension FleeceSource: ModelSource {
    func makeBlob(for value: Value) -> any ModelBlob { Blob(source: self, value: value) }
}

/// Writes the blobs that a predicate has captured: only those whose content is a part of a document.
private struct ConstantBlobs: BlobWriting {
    func write(_ blob: Any, into encoder: inout Encoder) throws {
        var context = EncodingContext()
        try (blob as? Blob)?.encode(into: &encoder, &context) { _ in throw QueryError.unsupportedPredicate("a blob cannot be compared") }
    }
}

/// Writes the blobs of an object that is being saved.
final class SavedBlobs: BlobWriting {
    private let database: Database
    private let store: BlobStore
    /// Whether their content is stored at once, and not by ``transaction(in:_:)``.
    private let installsBlobs: Bool
    // Only used by the encoding thread, and by one call at a time.
    @exclusivity(unchecked) private var context = EncodingContext()
    /// The blobs that were written.
    private var blobs: [Blob] = []

    init(in file: DatabaseFile, of database: Database) {
        self.database = database
        store = file.blobs
        // In a batch, an error after the save would not undo the save, so the blobs are stored before it.
        installsBlobs = file.isInTransaction
        context.containsBlobs = true
    }

    func write(_ blob: Any, into encoder: inout Encoder) throws {
        try (blob as? Blob)?.encode(into: &encoder, &context) { blob in
            blob.checkDatabase(database)
            blobs.append(blob)
            return try installsBlobs ? blob.shared.install(in: store, of: database) : blob.shared.digest(preparedFor: store)
        }
    }

    /// Runs `save` in a transaction, which also stores the content of the blobs: so maintenance cannot delete them before the document
    /// refers to them. After a conflict they are not stored, because no document refers to them.
    ///
    /// - Returns: The outcomes of `save` and of the enclosing batch; `nil` outside of a batch.
    func transaction(
        in file: DatabaseFile,
        _ save: (Writer) throws -> DocumentSaveOutcome
    ) throws -> (DocumentSaveOutcome, TransactionOutcome?) {
        let (outcome, transactionOutcome) = try file.transaction { writer in
            let outcome = try save(writer)
            if outcome.isSaved, !installsBlobs {
                for blob in blobs { _ = try blob.shared.install(in: store, of: database) }
            }
            return (outcome, writer.transactionOutcome)
        }
        if outcome.isSaved { for blob in blobs { blob.shared.didSave(in: database) } }
        return (outcome, transactionOutcome)
    }
}

/// A blob can be encoded and decoded only as a property of a model class (see ``DocumentID``), because other coders cannot store its
/// content.
extension Blob: Codable {
    /// Decodes the blob at the current position of `decoder`, in a document or in the result of a query.
    ///
    /// - Throws: `DecodingError` if the value is not a blob; ``CBLError/decodingError`` if `decoder` does not read a document or result.
    public convenience init(from decoder: any Decoder) throws {
        if let (source, value) = try ModelDecoding.blob(from: decoder), let source = source as? FleeceSource {
            self.init(source: source, value: value)
            return
        }
        throw NSError.couchbaseLite(CBLError.decodingError, "A blob can only be decoded as a part of a document")
    }

    /// Encodes the blob as a value of the document that `encoder` writes, and stores its content.
    ///
    /// - Throws: The error of storing the content; ``CBLError/encodingError`` if `encoder` does not write a document.
    public func encode(to encoder: any Swift.Encoder) throws {
        if try ModelEncoding.write(blob: self, to: encoder) { return }
        throw NSError.couchbaseLite(CBLError.encodingError, "A blob can only be encoded as a part of a document")
    }
}
