import Base
import DocumentStore
package import Fleece

/// Writes the bodies of revisions as they are sent: as JSON (Replication 3.8, 4.9).
package enum OutgoingBody {
    /// Returns the JSON of a stored body. Blobs stay inline.
    static func json(_ body: FleeceData, _ keys: SharedKeys) throws(FleeceError) -> [UInt8] {
        var writer = JSONWriter(capacity: body.bytes.count * 2)
        let isWritten = try body.withRoot { root throws(FleeceError) in
            guard root.type == .dictionary else { return false }
            try writer.append(root, sharedKeys: keys)
            return true
        }
        return isWritten == true ? writer.byteArray : Array("{}".utf8)
    }

    /// Returns the JSON of a body for a peer that does not find inline blobs: each blob also gets an entry in the dictionary `_attachments`
    /// (Replication 4.9). A body without blobs is not changed.
    ///
    /// - Parameter generation: The generation of the revision that is sent. Every entry for a blob gets it as its `revpos`.
    package static func jsonWithAttachments(_ body: FleeceData, _ keys: SharedKeys, generation: UInt64) throws(FleeceError) -> [UInt8] {
        var writer = JSONWriter(capacity: body.bytes.count * 2)
        let isWritten = try body.withRoot { root throws(FleeceError) in
            guard root.type == .dictionary else { return false }
            let attachments = try OutgoingAttachments(in: root, keys, generation: generation)
            guard attachments.haveBlobs else {
                try writer.append(root, sharedKeys: keys)
                return true
            }
            try writer.object { writer throws(FleeceError) in
                try writer.members(of: root, sharedKeys: keys) { !isAttachmentsKey($0) }
                try writer.object(attachmentsKey) { writer throws(FleeceError) in
                    for entry in attachments.entries { try attachments.append(entry, to: &writer) }
                }
            }
            return true
        }
        return isWritten == true ? writer.byteArray : Array("{}".utf8)
    }

    /// The property with the attachments.
    package static let attachmentsKey = "_attachments"

    /// Whether the name of a member in UTF-8 is ``attachmentsKey``.
    package static func isAttachmentsKey(_ name: UnsafeRawBufferPointer) -> Bool {
        name.first == UInt8(ascii: "_") && name.elementsEqual(attachmentsKey.utf8)
    }

    /// The prefix of the name of an entry that refers to a blob. A JSON pointer to the blob follows it.
    static let standInPrefix = "blob_"

    /// Returns whether an entry of `_attachments` would be lost, because its name begins as that of an entry that refers to a blob, but there is
    /// no such blob in the body.
    package static func refersToMissingBlob(_ name: String, in body: DictionaryValue, sharedKeys: SharedKeys) -> Bool {
        name.beginsExactly(with: standInPrefix) && !refersToBlob(name, in: body, sharedKeys: sharedKeys)
    }

    /// Returns whether the name of an entry of `_attachments` is that of a blob in the body.
    package static func refersToBlob(_ name: String, in body: DictionaryValue, sharedKeys: SharedKeys) -> Bool {
        // Properties of the protocol are no part of the body.
        guard let pointer = name.rest(afterExactly: standInPrefix), !pointer.utf8.starts(with: "/_".utf8),
            let blob = JSONPointer.value(at: pointer, in: body, sharedKeys: sharedKeys)?.dictionary
        else { return false }
        return BlobDictionary.isBlob(blob, sharedKeys: sharedKeys)
    }
}
