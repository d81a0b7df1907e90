import DocumentStore
import Fleece

/// The decoding of one object from stored values, which are read in place.
final class ModelDecoding {
    /// The document from which the object is decoded.
    struct Identity {
        let id: String
        let revision: RevisionID
    }

    let source: FleeceSource
    /// The document; `nil` if the object is decoded from something else.
    let identity: Identity?
    private var budget: ValueBudget

    init(_ source: FleeceSource, identity: Identity? = nil) {
        self.source = source
        self.identity = identity
        // A decoder may decode one value several times to find its type.
        budget = ValueBudget(forBytes: source.data.bytes.count, times: 8)
    }

    /// Counts a value; returns `false` if there are more values than valid data of this size can contain.
    func takeValue() -> Bool { budget.take() }

    /// Decodes a document.
    ///
    /// - Throws: `DecodingError`, or an error that the type throws.
    static func decode<T: Decodable>(_ type: T.Type, from record: DocumentRecord, of database: Database) throws -> T {
        let source = FleeceSource(data: record.body, sharedKeys: record.sharedKeys, database: database)
        let decoding = ModelDecoding(source, identity: Identity(id: record.id, revision: record.revision))
        guard let root = record.body.root else { throw DecodingError.refusal(at: [], "the body of the document is damaged") }
        return try T(from: ValueDecoder(decoding, .value(root)))
    }
}

/// The encoding of one object as the body of a document, directly as Fleece.
final class ModelEncoding {
    /// The encoder of the body.
    let body: BodyEncoder
    let saveBlob: BlobSaver
    // Only used by the encoding thread, and by one call at a time.
    @exclusivity(unchecked) var context = EncodingContext()
    /// The first error. It ends the encoding even if the object ignores it: a partially encoded value is never saved, and
    /// containers that the object has retained write nothing more.
    private(set) var failure: (any Error)?
    private var idleParts: [BodyEncoder] = []

    private init(_ body: BodyEncoder, saving save: @escaping BlobSaver) {
        self.body = body
        saveBlob = save
    }

    /// Encodes `object` as a dictionary.
    ///
    /// - Throws: `EncodingError` if it cannot be stored in a document, or an error that the object or `save` throws.
    static func encode(_ object: some Encodable, with body: BodyEncoder, saving save: @escaping BlobSaver) throws -> EncodedBody {
        body.encoder.reset()
        let encoding = ModelEncoding(body, saving: save)
        let root = ValueEncoder(encoding)
        do {
            try object.encode(to: root)
            try root.end()
        } catch {
            throw encoding.fail(error)
        }
        return try body.finish(hasBlobs: encoding.context.containsBlobs)
    }

    /// Ends the encoding with `error` unless it has already failed. Returns the first error.
    @discardableResult
    func fail(_ error: any Error) -> any Error {
        let first = failure ?? error
        failure = first
        return first
    }

    /// Returns an encoder for a value that is encoded separately.
    func takePart() -> BodyEncoder {
        idleParts.popLast() ?? BodyEncoder(partOf: body)
    }

    func giveBack(_ part: BodyEncoder) {
        idleParts.append(part)
    }
}
