package import Fleece

/// A body encoded before the transaction that stores it, in its own memory, so that one transaction can store many bodies.
///
/// Created by ``BodyEncoder/finishOwned(hasBlobs:)``.
package struct OwnedBody: Sendable {
    /// A Fleece dictionary.
    package let data: FleeceData
    /// Whether it refers to blobs.
    package let hasBlobs: Bool
    /// The keys used by the bytes.
    package let keys: SharedKeys
    /// The keys of the file at the start of the encoding, which are the first ones of ``keys``; `nil` if the keys are independent of the
    /// file.
    let base: SharedKeys?

    fileprivate init(_ data: FleeceData, keys: SharedKeys, base: SharedKeys?, hasBlobs: Bool?) {
        self.data = data
        self.keys = keys
        self.base = base
        self.hasBlobs =
            hasBlobs ?? data.withRoot { BlobReferences.containsBlobs($0, sharedKeys: keys) } ?? false
    }

    /// Creates a body from data that was encoded elsewhere. It is encoded again when it is stored, with the key numbers of the file.
    ///
    /// - Parameters:
    ///   - data: A valid Fleece dictionary.
    ///   - keys: The shared keys used by `data`.
    ///   - hasBlobs: Whether it refers to blobs; `nil` to determine this from `data`.
    package init(_ data: FleeceData, keys: SharedKeys = .empty, hasBlobs: Bool? = nil) {
        self.init(data, keys: keys, base: nil, hasBlobs: hasBlobs)
    }

    /// A dictionary without entries.
    package static let empty = OwnedBody(.emptyDictionary, keys: .empty, base: .empty, hasBlobs: false)
}

extension BodyEncoder {
    /// Finishes the encoding, and copies the body.
    ///
    /// - Parameter hasBlobs: Whether it refers to blobs; `nil` to determine this from the body.
    package func finishOwned(hasBlobs: Bool? = nil) throws(FleeceError) -> OwnedBody {
        let data = try encoder.finishedData()
        return OwnedBody(data, keys: keys.snapshot, base: base, hasBlobs: hasBlobs)
    }
}
