package import Fleece

/// A body that was encoded before the transaction that stores it, in memory of its own: many can wait for one transaction.
///
/// Made by ``BodyEncoder/finishOwned(hasBlobs:)``.
package struct OwnedBody: Sendable {
    /// A Fleece dictionary.
    package let data: FleeceData
    /// Whether it refers to blobs.
    package let hasBlobs: Bool
    /// The keys that the bytes use.
    package let keys: SharedKeys
    /// Those that the file had when the encoding began, with which ``keys`` begins; nil when the keys have nothing to do with the file.
    private let base: SharedKeys?

    fileprivate init(_ data: FleeceData, keys: SharedKeys, base: SharedKeys?, hasBlobs: Bool?) {
        self.data = data
        self.keys = keys
        self.base = base
        self.hasBlobs =
            hasBlobs ?? data.withRoot { BlobReferences.containsBlobs($0, sharedKeys: keys) } ?? false
    }

    /// A body that was encoded elsewhere. It is written once more when it is stored, with the numbers that the file gives its keys.
    ///
    /// - Parameters:
    ///   - data: A valid Fleece dictionary.
    ///   - keys: What its shared keys stand for.
    ///   - hasBlobs: Whether it refers to blobs; nil to have that found out.
    package init(_ data: FleeceData, keys: SharedKeys = .empty, hasBlobs: Bool? = nil) {
        self.init(data, keys: keys, base: nil, hasBlobs: hasBlobs)
    }

    /// A dictionary without entries.
    package static let empty = OwnedBody(.emptyDictionary, keys: .empty, base: .empty, hasBlobs: false)

    /// Whether the bytes can be stored as they are. Numbers the keys that are new in them.
    fileprivate func hasNumbers(of writer: Writer) -> Bool {
        guard let base, writer.hasKeys(beginningWith: base) else { return false }
        return keys.count == base.count || writer.hasSameNumbers(keys, above: base.count)
    }
}

extension BodyEncoder {
    /// Ends the encoding, and copies the body.
    ///
    /// - Parameter hasBlobs: Whether it refers to blobs; nil to have that found out.
    package func finishOwned(hasBlobs: Bool? = nil) throws(FleeceError) -> OwnedBody {
        let data = try encoder.finishedData()
        return OwnedBody(data, keys: keys.snapshot, base: base, hasBlobs: hasBlobs)
    }
}

extension Writer {
    /// Whether the keys begin with those. They do, unless keys were taken back with a transaction that failed. The answer for a
    /// list is kept as long as keys are only added.
    fileprivate func hasKeys(beginningWith base: SharedKeys) -> Bool {
        if base.count == 0 || base === knownBase { return true }
        guard keys.snapshot.keys.starts(with: base.keys) else { return false }
        knownBase = base
        return true
    }

    /// The bytes of `body` with the numbers that keys have here, in memory that is valid until the next save, and as long as `body`.
    ///
    /// - Throws: `FleeceError` when it cannot be written.
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
