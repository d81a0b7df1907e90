import ExactStrings
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
    private let base: SharedKeys?

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

    /// Returns whether the bytes can be stored unchanged. Adds the new keys of the body to those of the writer.
    fileprivate func hasNumbers(of writer: Writer) -> Bool {
        guard let base, writer.hasKeys(beginningWith: base) else { return false }
        return keys.count == base.count || writer.hasSameNumbers(keys, above: base.count)
    }
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

extension Writer {
    /// Returns whether the writer's keys begin with `base`. This is the case unless keys were removed by a rollback. The result for one
    /// list is cached as long as keys are only added.
    fileprivate func hasKeys(beginningWith base: SharedKeys) -> Bool {
        if base.count == 0 || base === knownBase { return true }
        guard keys.snapshot.keys.starts(with: base.keys, by: { $0.isExactly($1) }) else { return false }
        knownBase = base
        return true
    }

    /// Returns the bytes of `body` with the key numbers of this file, in memory that is valid until the next save, and at most as long as
    /// `body`.
    ///
    /// - Throws: `FleeceError` if the body cannot be encoded.
    func adopt(_ body: OwnedBody) throws(FleeceError) -> UnsafeRawBufferPointer {
        if body.hasNumbers(of: self) { return body.data.bytes }
        let bytes = try body.data.withRoot { root throws(FleeceError) in
            encoder.reset()
            encoder.write(root, keys: .other(body.keys))
            return try encoder.finish()
        }
        guard let bytes else { throw FleeceError(.badRoot) }
        return bytes
    }
}
