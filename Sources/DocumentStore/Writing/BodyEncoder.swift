package import Fleece

/// Encodes bodies while no lock is held, to be stored by a transaction that follows.
///
/// It numbers keys as the file does, and new ones as if it were the next to add some. Mostly it is, and its bytes are stored
/// as they are; otherwise they are written once more with the numbers that the file has given meanwhile.
///
/// See ``DatabaseFile/withBodyEncoder(_:)``.
package final class BodyEncoder: @unchecked Sendable {
    // Unchecked because it is handed from one user to the next under a lock, and only one has it at a time.
    /// The keys of the file when the encoding began.
    let base: SharedKeys
    /// Those, and what the encoding has added.
    package let keys: MutableSharedKeys
    // There is one user at a time, and it has no other access to the encoder while it writes a value.
    @exclusivity(unchecked) package var encoder: Encoder

    init(_ base: SharedKeys) {
        self.base = base
        keys = MutableSharedKeys(base)
        encoder = Encoder(sharedKeys: keys)
    }

    /// For a body that belongs to no file.
    package convenience init() {
        self.init(.empty)
    }

    /// For a part that is encoded aside, and copied into what `whole` encodes: both number keys alike.
    package init(partOf whole: BodyEncoder) {
        base = whole.base
        keys = whole.keys
        encoder = Encoder(sharedKeys: keys)
    }

    /// Forgets what was written. Returns false when keys were added, so that it cannot be used for another body.
    func prepareForReuse() -> Bool {
        guard keys.count == base.count else { return false }
        encoder.reset()
        return true
    }

    /// Ends the encoding. The body is valid until the next use of the encoder.
    package func finish(hasBlobs: Bool) throws(FleeceError) -> EncodedBody {
        EncodedBody(bytes: try encoder.finish(), hasBlobs: hasBlobs, keys: keys, baseCount: base.count)
    }
}

/// What a ``BodyEncoder`` has encoded, in memory of the encoder.
package struct EncodedBody {
    let bytes: UnsafeRawBufferPointer
    let hasBlobs: Bool
    /// The keys the bytes use, of which the first `baseCount` are the file's.
    let keys: MutableSharedKeys
    let baseCount: Int

    /// Calls `body` with the root, which is valid until the next use of the encoder, and with the keys it uses. Nil when
    /// there is no root.
    package func withRoot<Result>(_ body: (Value, SharedKeys) throws -> Result?) rethrows -> Result? {
        guard let root = Value(root: bytes) else { return nil }
        return try body(root, keys.snapshot)
    }
}

extension Writer {
    /// The bytes of `body` with the numbers that keys have here, in memory that is valid until the next save.
    ///
    /// - Throws: `FleeceError` when it cannot be written.
    func adopt(_ body: EncodedBody) throws(FleeceError) -> UnsafeRawBufferPointer {
        if hasSameNumbers(for: body) { return body.bytes }
        guard let root = Value(root: body.bytes) else { throw FleeceError(.badRoot) }
        encoder.reset()
        encoder.write(root, keys: .other(body.keys.snapshot))
        return try encoder.finish()
    }

    private func hasSameNumbers(for body: EncodedBody) -> Bool {
        body.keys.count == body.baseCount || hasSameNumbers(body.keys.snapshot, above: body.baseCount)
    }

    /// Adds the keys that a body has above the first `baseCount`, and says whether they have got the numbers that they have in there.
    func hasSameNumbers(_ bodyKeys: SharedKeys, above baseCount: Int) -> Bool {
        let added = bodyKeys.keys[baseCount...]
        return zip(added.indices, added).allSatisfy { number, key in
            var key = key
            return key.withUTF8 { keys.number(of: UnsafeRawBufferPointer($0)) } == number
        }
    }
}
