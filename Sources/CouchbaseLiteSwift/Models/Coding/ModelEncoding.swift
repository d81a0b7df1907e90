import DocumentStore
import Fleece

/// The encoding of one object as the body of a document, straight into Fleece.
final class ModelEncoding {
    /// Where the body is written.
    let body: BodyEncoder
    let saveBlob: BlobSaver
    // Only ever used by the thread that encodes, and by one call at a time.
    @exclusivity(unchecked) var context = EncodingContext()
    /// What went wrong first. It ends the encoding even if the object goes on: half of a value is never saved, and containers
    /// that the object has kept do not write any more.
    private(set) var failure: (any Error)?
    private var idleParts: [BodyEncoder] = []

    private init(_ body: BodyEncoder, saving save: @escaping BlobSaver) {
        self.body = body
        saveBlob = save
    }

    /// Encodes `object` as a dictionary.
    ///
    /// - Throws: `EncodingError` when it cannot be stored in a document, or what the object or `save` throws.
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

    /// Ends the encoding with `error`, unless it has ended already. Returns what it has ended with.
    @discardableResult
    func fail(_ error: any Error) -> any Error {
        let first = failure ?? error
        failure = first
        return first
    }

    /// An encoder for what is encoded aside.
    func takePart() -> BodyEncoder {
        idleParts.popLast() ?? BodyEncoder(partOf: body)
    }

    func giveBack(_ part: BodyEncoder) {
        idleParts.append(part)
    }
}
