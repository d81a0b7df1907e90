import DocumentStore
import Fleece

/// Stores a blob's content unless it is stored already, and says under which digest.
typealias BlobSaver = (Blob) throws -> BlobDigest

/// What is known while a document is being encoded.
struct EncodingContext {
    /// Whether what was written so far refers to blobs.
    var containsBlobs = false
    /// Whether the content of blobs that were never stored stands in the dictionaries that describe them.
    let inlinesNewBlobs: Bool
    private var depth = 0
    /// The encoder's list of keys when the first stored value was copied.
    private var keys: SharedKeys?
    /// The data that was searched for blobs last, and what was found.
    private var searched: (data: FleeceData, mayContainBlobs: Bool)?

    init(inliningNewBlobs: Bool = false) {
        inlinesNewBlobs = inliningNewBlobs
    }

    /// Enters a container. Throws when it lies deeper than the format allows.
    mutating func enter() throws(FleeceError) {
        guard depth < Limits.maximumDepth else { throw FleeceError(.tooDeep) }
        depth += 1
    }

    mutating func leave() {
        depth -= 1
    }

    /// How the keys of stored values become keys of the encoder: as they are, if both use the identical list.
    mutating func keys(of source: FleeceSource, in encoder: borrowing Encoder) -> Encoder.SourceKeys {
        if keys == nil { keys = encoder.sharedKeys?.snapshot }
        return source.sharedKeys === keys ? .same : .other(source.sharedKeys)
    }

    /// Writes a stored value.
    mutating func copy(_ value: Value, of source: FleeceSource, into encoder: inout Encoder) {
        let isContainer = value.type == .array || value.type == .dictionary
        if isContainer, !containsBlobs, mayContainBlobs(source, value) {
            containsBlobs = BlobReferences.containsBlobDictionary(value, sharedKeys: source.sharedKeys)
        }
        encoder.write(value, keys: keys(of: source, in: encoder))
    }

    /// Notices a blob dictionary that was put together key by key.
    @inline(__always)
    mutating func notice(_ value: PropertyValue, forKey key: String) {
        guard case .string(let text) = value, key == BlobDictionary.typeKey else { return }
        if text == BlobDictionary.typeValue { containsBlobs = true }
    }

    private mutating func mayContainBlobs(_ source: FleeceSource, _ value: Value) -> Bool {
        if let searched, searched.data === source.data { return searched.mayContainBlobs }
        let found = BlobReferences.mayContainBlobs(value, sharedKeys: source.sharedKeys)
        searched = (source.data, found)
        return found
    }
}
