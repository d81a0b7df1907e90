import DocumentStore
import Fleece

/// Stores a blob's content unless it is already stored, and returns its digest.
typealias BlobSaver = (Blob) throws -> BlobDigest

extension EncodingContext {
    /// Writes a stored value, and sets ``containsBlobs`` if it contains a blob.
    @inline(__always)
    mutating func copy(_ value: Value, of source: FleeceSource, into encoder: inout Encoder) {
        copy(value, of: source.data, source.sharedKeys, into: &encoder)
    }

    /// Sets ``containsBlobs`` if the property makes its dictionary a blob, for dictionaries that were built key by key.
    @inline(__always)
    mutating func notice(_ value: PropertyValue, forKey key: String) {
        guard case .string(let text) = value, key == BlobDictionary.typeKey else { return }
        if text == BlobDictionary.typeValue { containsBlobs = true }
    }
}
