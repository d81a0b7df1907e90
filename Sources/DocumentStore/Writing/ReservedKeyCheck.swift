import Fleece

/// Looks for top-level properties that the wire protocol needs for itself (Storage format 3.10).
struct ReservedKeyCheck {
    private static let reservedKeys = ["_id", "_rev", "_deleted"]

    private var keyCount = -1
    private var mayOccur = false

    /// - Throws: `reservedKey` when `body` has one of the protocol's properties at its top level.
    ///
    /// They are eligible as shared keys, so while none of them is one, and the list is not full, no document has them.
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
