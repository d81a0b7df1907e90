package import DocumentStore
import Fleece
import QueryLanguage

/// The encoding of one object as the body of a document, directly as Fleece.
package final class ModelEncoding {
    let body: BodyEncoder
    let types: ModelTypes
    let blobs: any BlobWriting
    /// The key of the property that represents the ID of the document and is omitted; `nil` if there is none.
    let idKey: String?
    /// Where the paths of the values that are Swift dictionaries are noted; `nil` if they are not.
    let dictionaries: DictionaryPaths?
    /// Where the counters of the model are noted; `nil` if they are not.
    let counters: EncodedCounters?
    /// Whether the values written so far refer to blobs.
    var containsBlobs = false
    /// The first error. It ends the encoding even if the object ignores it: a partially encoded value is never saved, and
    /// containers that the object has retained write nothing more.
    private(set) var failure: (any Error)?
    /// The encoders for values that are encoded separately, while they are not used.
    var idleParts: [BodyEncoder] = []

    private init(
        _ body: BodyEncoder,
        types: ModelTypes,
        blobs: any BlobWriting,
        idKey: String?,
        dictionaries: DictionaryPaths?,
        counters: EncodedCounters?
    ) {
        (self.idKey, self.dictionaries, self.counters) = (idKey, dictionaries, counters)
        self.body = body
        self.types = types
        self.blobs = blobs
    }

    /// Encodes `object` as a dictionary.
    ///
    /// - Parameter idKey: The key of the property that represents the ID of the document and is omitted.
    /// - Parameter dictionaries: Where the paths of the values that are Swift dictionaries, and not structures, are noted.
    /// - Parameter counters: Where the counters of the model are noted.
    /// - Throws: `EncodingError` if it cannot be stored in a document, or an error that the object or `blobs` throws.
    package static func encode(
        _ object: some Encodable,
        with body: BodyEncoder,
        types: ModelTypes,
        blobs: any BlobWriting,
        omitting idKey: String? = nil,
        noting dictionaries: DictionaryPaths? = nil,
        counting counters: EncodedCounters? = nil
    ) throws -> EncodedBody {
        body.encoder.reset()
        let encoding = ModelEncoding(body, types: types, blobs: blobs, idKey: idKey, dictionaries: dictionaries, counters: counters)
        let root = ValueEncoder(encoding)
        do {
            try object.encode(to: root)
            try root.end()
        } catch {
            throw encoding.fail(error)
        }
        return try body.finish(hasBlobs: encoding.containsBlobs)
    }

    /// Writes a blob as the only value of an encoder that this module has passed to an object. Returns `false` for any other encoder.
    package static func write(blob: some ModelBlob, to encoder: any Swift.Encoder) throws -> Bool {
        guard let encoder = encoder as? ValueEncoder else { return false }
        try encoder.writeSingle(blob: blob)
        return true
    }

    /// Sets ``containsBlobs`` if the property makes its dictionary a blob.
    @inline(__always)
    func notice(_ text: String, forKey key: String) {
        if key == BlobDictionary.typeKey, text == BlobDictionary.typeValue { containsBlobs = true }
    }

    /// Ends the encoding with `error` unless it has already failed. Returns the first error.
    @discardableResult
    func fail(_ error: any Error) -> any Error {
        let first = failure ?? error
        failure = first
        return first
    }
}

/// The paths of the values in an encoded object that are Swift dictionaries. Their encoded form is that of structures.
package final class DictionaryPaths {
    private(set) var paths: Set<PropertyPath> = []

    func note(_ codingPath: [any CodingKey]) {
        paths.insert(PropertyPath(codingPath.map { key in (key as? ArrayIndexKey).map { .index($0.index) } ?? .key(key.stringValue) }))
    }
}
