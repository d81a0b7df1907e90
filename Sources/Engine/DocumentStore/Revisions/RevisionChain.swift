/// The stored tree of a document with a single branch whose ancestors have no bodies (Storage format 3.4). This is the tree created by the
/// first received revision of a document.
enum RevisionChain {
    /// Encodes the tree of a leaf, whose body is in the record, and its ancestors, newest first. For speed, no ``RevisionTree`` is created.
    ///
    /// - Parameters:
    ///   - flags: The flags of the leaf.
    ///   - remote: The remote whose latest revision is the leaf; `nil` if there is none.
    static func encoded(
        _ leaf: TreeRevisionID,
        ancestors: ArraySlice<TreeRevisionID>,
        flags: RevisionFlags,
        remote: RevisionTree.RemoteID?
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity((ancestors.count + 1) * 32 + 8)
        append(leaf, flags: flags.union(.leaf), parent: ancestors.isEmpty ? nil : 1, to: &bytes)
        for (position, ancestor) in ancestors.enumerated() {
            let parent = position + 1 < ancestors.count ? position + 2 : nil
            append(ancestor, flags: [], parent: parent, to: &bytes)
        }
        bytes.append(bigEndian32: 0)
        if let remote {
            bytes.append(bigEndian16: Int(remote))
            bytes.append(bigEndian16: 0)
        }
        return bytes
    }

    private static func append(_ id: TreeRevisionID, flags: RevisionFlags, parent: Int?, to bytes: inout [UInt8]) {
        id.withBinary { binary in
            bytes.append(bigEndian32: 8 + binary.count + 1)
            bytes.append(bigEndian16: parent ?? 0xFFFF)
            bytes.append(flags.rawValue)
            bytes.append(UInt8(binary.count))
            bytes.append(contentsOf: binary)
            // The sequence 0, which means the sequence of the record.
            bytes.append(0)
        }
    }
}
