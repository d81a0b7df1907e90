import DocumentStore
import Fleece

/// Stores a blob's content unless it is already stored, and returns its digest.
typealias BlobSaver = (Blob) throws -> BlobDigest

/// The state of encoding one document.
struct EncodingContext {
    /// Whether the values written so far refer to blobs.
    var containsBlobs = false
    /// Whether the dictionary of a blob that was never stored also contains the blob's content.
    let inlinesNewBlobs: Bool
    private var depth = 0
    /// The encoder's shared keys when the first stored value was copied.
    private var keys: SharedKeys?
    /// The data that was last searched for blobs, and the result.
    private var searched: (data: FleeceData, mayContainBlobs: Bool)?

    init(inliningNewBlobs: Bool = false) {
        inlinesNewBlobs = inliningNewBlobs
    }

    /// Enters a container.
    ///
    /// - Throws: `tooDeep` if the container is nested more deeply than the format allows.
    mutating func enter() throws(FleeceError) {
        guard depth < Limits.maximumDepth else { throw FleeceError(.tooDeep) }
        depth += 1
    }

    mutating func leave() {
        depth -= 1
    }

    /// Returns how keys of stored values are converted to keys of the encoder: unchanged if both use the same shared keys.
    mutating func keys(of source: FleeceSource, in encoder: borrowing Encoder) -> Encoder.SourceKeys {
        if keys == nil { keys = encoder.sharedKeys?.snapshot }
        return source.sharedKeys === keys ? .same : .other(source.sharedKeys)
    }

    /// Writes a stored value, and sets ``containsBlobs`` if it contains a blob.
    mutating func copy(_ value: Value, of source: FleeceSource, into encoder: inout Encoder) {
        let isContainer = value.type == .array || value.type == .dictionary
        if isContainer, !containsBlobs, mayContainBlobs(source, value) {
            containsBlobs = BlobReferences.containsBlobDictionary(value, sharedKeys: source.sharedKeys)
        }
        encoder.write(value, keys: keys(of: source, in: encoder))
    }

    /// Sets ``containsBlobs`` if the property makes its dictionary a blob, for dictionaries that were built key by key.
    @inline(__always)
    mutating func notice(_ value: PropertyValue, forKey key: String) {
        guard case .string(let text) = value, key == BlobDictionary.typeKey else { return }
        if text == BlobDictionary.typeValue { containsBlobs = true }
    }

    /// Sets ``containsBlobs`` if a stored dictionary is a blob, for dictionaries of which only other properties were changed.
    mutating func noticeType(of dictionary: DictionaryValue, in source: FleeceSource) {
        guard !containsBlobs, let type = dictionary.value(for: BlobDictionary.typeKey, sharedKeys: source.sharedKeys) else { return }
        containsBlobs = type.stringBytes?.elementsEqual(BlobDictionary.typeValue.utf8) == true
    }

    private mutating func mayContainBlobs(_ source: FleeceSource, _ value: Value) -> Bool {
        if let searched, searched.data === source.data { return searched.mayContainBlobs }
        let found = BlobReferences.mayContainBlobs(value, sharedKeys: source.sharedKeys)
        searched = (source.data, found)
        return found
    }
}
