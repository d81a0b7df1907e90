import DocumentStore
import Fleece

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
