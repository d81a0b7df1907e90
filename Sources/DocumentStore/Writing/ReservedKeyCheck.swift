import Fleece

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
