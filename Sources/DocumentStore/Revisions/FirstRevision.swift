/// The tree of a new document: one live revision, whose body is in the record (Storage format 3.4).
enum FirstRevision {
    /// Calls `body` with the encoded tree. For speed, no ``RevisionTree`` is created.
    static func withTree<Result>(
        of version: UnsafeRawBufferPointer,
        hasAttachments: Bool,
        _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        let recordSize = 8 + version.count + 1
        return try withUnsafeTemporaryAllocation(byteCount: recordSize + 4, alignment: 4) { tree in
            tree.initializeMemory(as: UInt8.self, repeating: 0)
            tree.storeBytes(of: UInt32(recordSize).bigEndian, as: UInt32.self)
            tree.storeBytes(of: UInt16(0xFFFF), toByteOffset: 4, as: UInt16.self)
            let flags: RevisionFlags = hasAttachments ? [.leaf, .hasAttachments] : .leaf
            tree[6] = flags.rawValue
            tree[7] = UInt8(version.count)
            UnsafeMutableRawBufferPointer(rebasing: tree[8..<(8 + version.count)]).copyMemory(from: version)
            // The remaining bytes are zero: the sequence, which means the sequence of the record, and the end marker.
            return try body(UnsafeRawBufferPointer(tree))
        }
    }
}
