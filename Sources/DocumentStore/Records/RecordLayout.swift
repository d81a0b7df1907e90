import Fleece

/// The two layouts of a record's columns (Storage format 3.2).
package enum RecordLayout {
    /// Returns the Fleece body of the current revision from the content of the column `body`.
    ///
    /// In the layout of 3.x the column is the Fleece body itself. In the layout of 2.x the column holds the revision tree, whose first
    /// revision is the current one. A first byte other than zero identifies the layout of 3.x. An empty column reads as an empty
    /// dictionary.
    package static func currentBody(in column: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        guard column.count > 0 else { return emptyBody }
        if column[0] != 0 || !RevisionTree.isTree(column) { return column }
        return bodyOfFirstRevision(in: column) ?? emptyBody
    }

    /// Returns whether the column `body` holds a revision tree, as written by 2.x.
    package static func isTree(_ column: UnsafeRawBufferPointer) -> Bool {
        RevisionTree.isTree(column)
    }

    private static func bodyOfFirstRevision(in tree: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        let end = tree.bigEndian32(at: 0)
        guard RevisionFlags(rawValue: tree[6]).contains(.hasBody) else { return nil }
        let sequenceStart = 8 + Int(tree[7])
        guard sequenceStart < end,
            let (_, size) = Varint.read64(tree.baseAddress! + sequenceStart, available: end - sequenceStart),
            sequenceStart + size < end
        else { return nil }
        return UnsafeRawBufferPointer(rebasing: tree[(sequenceStart + size)..<end])
    }

    /// The body of a document without properties.
    private static var emptyBody: UnsafeRawBufferPointer { FleeceData.emptyDictionary.bytes }
}
