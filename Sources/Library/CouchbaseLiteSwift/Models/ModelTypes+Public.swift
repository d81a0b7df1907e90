import DatabaseRuntime
import DocumentStore
import Fleece
import ModelCoding
import QueryLanguage

extension ModelTypes {
    /// The types of this API.
    static let ofAPI = ModelTypes(
        blob: Blob.self,
        documentID: DocumentID.self,
        wrapper: { wrappers.property(of: $0)?.identity },
        constantBlobs: ConstantBlobs(),
        documentKeys: { type in (type as? any DocumentKeyProviding.Type)?.documentKeys },
        defaultValue: { type in (type as? any DefaultProviding.Type)?.defaultValue },
        formerKeys: { type in (type as? any FormerKeyProviding.Type)?.formerKeys.map { ($0.key, $0.value) } ?? [] },
        textForm: String.form(of:)
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
final class SavedBlobs: SavedBlobWriting {
    private let database: Database
    // These are only used by the encoding thread, and by one call at a time.
    @exclusivity(unchecked) private var context = EncodingContext()
    @exclusivity(unchecked) private(set) var new: NewBlobs

    init(in file: DatabaseFile, of database: Database) {
        self.database = database
        new = NewBlobs(in: file, of: database)
        context.containsBlobs = true
    }

    func write(_ blob: Any, into encoder: inout Encoder) throws {
        try (blob as? Blob)?.encode(into: &encoder, &context) { blob in
            blob.checkDatabase(database)
            return try new.add(blob.shared)
        }
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
        throw LibraryError(CBLError.decodingError, "A blob can only be decoded as a part of a document")
    }

    /// Encodes the blob as a value of the document that `encoder` writes, and stores its content.
    ///
    /// - Throws: The error of storing the content; ``CBLError/encodingError`` if `encoder` does not write a document.
    public func encode(to encoder: any Swift.Encoder) throws {
        if try ModelEncoding.write(blob: self, to: encoder) { return }
        throw LibraryError(CBLError.encodingError, "A blob can only be encoded as a part of a document")
    }
}
