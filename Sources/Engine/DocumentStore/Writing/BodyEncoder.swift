package import Fleece

/// Encodes bodies without holding a lock, to be stored by a later transaction.
///
/// It numbers shared keys like the file does, and assigns the next free numbers to new keys. Usually no other writer has assigned these
/// numbers before the body is stored, and the bytes are stored unchanged. Otherwise the body is encoded again with the current numbers of
/// the file.
///
/// See ``DatabaseFile/withBodyEncoder(_:)``.
package final class BodyEncoder: @unchecked Sendable {
    // `@unchecked Sendable` is safe because an encoder is passed from one user to the next under a lock, and has one user at a time.
    /// The keys of the file at the start of the encoding.
    let base: SharedKeys
    /// The keys in ``base``, and the keys added by the encoding.
    package let keys: MutableSharedKeys
    // Safe: there is one user at a time, and it does not access the encoder otherwise while it writes a value.
    /// The encoder to write the body to.
    @exclusivity(unchecked) package var encoder: Encoder

    init(_ base: SharedKeys) {
        self.base = base
        keys = MutableSharedKeys(base)
        encoder = Encoder(sharedKeys: keys)
    }

    /// Creates an encoder for a body that belongs to no file.
    package convenience init() {
        self.init(.empty)
    }

    /// Creates an encoder for a part that is encoded separately, and then copied into the encoding of `whole`. Both use the same key
    /// numbers.
    package init(partOf whole: BodyEncoder) {
        base = whole.base
        keys = whole.keys
        encoder = Encoder(sharedKeys: keys)
    }

    /// Discards the written content. Returns `false` if keys were added, so that the encoder cannot be used for another body.
    func prepareForReuse() -> Bool {
        guard keys.count == base.count else { return false }
        encoder.reset()
        return true
    }

    /// Finishes the encoding. The body is valid until the next use of the encoder.
    package func finish(hasBlobs: Bool) throws(FleeceError) -> EncodedBody {
        EncodedBody(bytes: try encoder.finish(), hasBlobs: hasBlobs, keys: keys, baseCount: base.count)
    }
}

/// A body encoded by a ``BodyEncoder``, in the memory of that encoder.
package struct EncodedBody {
    let bytes: UnsafeRawBufferPointer
    let hasBlobs: Bool
    /// The keys used by the bytes. The first `baseCount` keys are those of the file.
    let keys: MutableSharedKeys
    let baseCount: Int

    /// A copy of the body, which uses ``sharedKeys``.
    package var data: FleeceData { FleeceData(copying: bytes) }

    /// The list of keys to which the numbers in the body belong.
    package var sharedKeys: SharedKeys { keys.snapshot }

    /// Calls `body` with the root, which is valid until the next use of the encoder, and with the keys it uses. Returns `nil` if there is
    /// no root.
    package func withRoot<Result>(_ body: (Value, SharedKeys) throws -> Result?) rethrows -> Result? {
        guard let root = Value(root: bytes) else { return nil }
        return try body(root, keys.snapshot)
    }
}

/// Finds top-level properties that are reserved for the wire protocol (Storage format 3.10).
struct ReservedKeyCheck {
    private static let reservedKeys = ["_id", "_rev", "_deleted"]

    private var keyCount = -1
    private var mayOccur = false

    /// Checks a body before it is stored.
    ///
    /// The reserved names are eligible as shared keys. So as long as none of them is a shared key, and the list of keys is not full, no
    /// document has them.
    ///
    /// - Throws: `reservedKey` if `body` has a reserved property at its top level.
    mutating func check(_ body: UnsafeRawBufferPointer, documentID: String, keys: MutableSharedKeys) throws(StoreError) {
        if keys.count != keyCount {
            keyCount = keys.count
            let known = keys.snapshot
            mayOccur =
                keyCount == SharedKeys.capacity || Self.reservedKeys.contains { known.number(of: $0) != nil }
        }
        guard mayOccur, let dictionary = Value(root: body)?.dictionary else { return }
        for key in Self.reservedKeys where dictionary.value(for: key, sharedKeys: keys.snapshot) != nil {
            throw .reservedKey(key, documentID: documentID)
        }
    }
}
