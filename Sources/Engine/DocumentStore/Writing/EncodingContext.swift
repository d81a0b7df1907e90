package import Fleece

/// The state of encoding one document.
package struct EncodingContext {
    /// Whether the values written so far refer to blobs.
    package var containsBlobs = false
    /// Whether the dictionary of a blob that was never stored also contains the blob's content.
    package let inlinesNewBlobs: Bool
    @usableFromInline var depth = 0
    /// The first date that cannot be stored.
    @usableFromInline var unstorable: UnstorableDate?
    /// The encoder's shared keys when the first stored value was copied.
    private var keys: SharedKeys?
    /// The data that was last searched for blobs, and the result.
    private var searched: (data: FleeceData, mayContainBlobs: Bool)?

    /// Begins to encode a document.
    ///
    /// - Parameter inliningNewBlobs: Whether blobs that were never stored are written with their content.
    package init(inliningNewBlobs: Bool = false) {
        inlinesNewBlobs = inliningNewBlobs
    }

    /// Enters a container.
    ///
    /// - Throws: `tooDeep` if the container is nested more deeply than the format allows.
    @inlinable
    package mutating func enter() throws(FleeceError) {
        guard depth < Limits.maximumDepth else { throw FleeceError(.tooDeep) }
        depth += 1
    }

    /// Leaves the container that was entered last.
    @inlinable
    package mutating func leave() {
        depth -= 1
    }

    /// Returns how keys of stored values are converted to keys of the encoder: unchanged if both use the same shared keys.
    package mutating func keys(of sourceKeys: SharedKeys, in encoder: borrowing Encoder) -> Encoder.SourceKeys {
        if keys == nil { keys = encoder.sharedKeys?.snapshot }
        return sourceKeys === keys ? .same : .other(sourceKeys)
    }

    /// Writes a stored value, and sets ``containsBlobs`` if it contains a blob.
    package mutating func copy(_ value: Value, of data: FleeceData, _ sourceKeys: SharedKeys, into encoder: inout Encoder) {
        let isContainer = value.type == .array || value.type == .dictionary
        if isContainer, !containsBlobs, mayContainBlobs(data, sourceKeys, value) {
            containsBlobs = BlobReferences.containsBlobDictionary(value, sharedKeys: sourceKeys)
        }
        encoder.write(value, keys: keys(of: sourceKeys, in: encoder))
    }

    /// Sets ``containsBlobs`` if a stored dictionary is a blob, for dictionaries of which only other properties were changed.
    package mutating func noticeType(of dictionary: DictionaryValue, _ sourceKeys: SharedKeys) {
        guard !containsBlobs, let type = dictionary.value(for: BlobDictionary.typeKey, sharedKeys: sourceKeys) else { return }
        containsBlobs = type.stringBytes?.elementsEqual(BlobDictionary.typeValue.utf8) == true
    }

    private mutating func mayContainBlobs(_ data: FleeceData, _ sourceKeys: SharedKeys, _ value: Value) -> Bool {
        if let searched, searched.data === data { return searched.mayContainBlobs }
        let found = BlobReferences.mayContainBlobs(value, sharedKeys: sourceKeys)
        searched = (data, found)
        return found
    }
}
