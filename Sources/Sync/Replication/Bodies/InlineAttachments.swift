import Base
import DocumentStore
import Fleece
import Foundation
import SyncCore

/// The attachments of a pushed body whose contents are in the body itself, as `data` in Base64 (Replication 8.8).
struct InlineAttachments {
    /// The body, in which digests replace the contents.
    let json: [UInt8]
    let contents: ReceivedContents

    /// Reads the contents. Returns `nil` if the body has none.
    ///
    /// - Parameters:
    ///   - generation: The generation of the revision.
    ///   - blobs: The store of the database that will contain the revision.
    ///   - maximumSize: The maximum size of a content in bytes; `nil` for no limit.
    /// - Throws: {HTTP, 400} if a content is not valid Base64, {HTTP, 413} if it is too large; the errors of writing it to a file.
    init?(in body: FleeceData, generation: UInt64, _ blobs: BlobStore, maximumSize: UInt64?) throws(SyncError) {
        let parts = body.withRoot { root in
            Result { () throws(SyncError) in try Self.parts(of: root, generation, blobs, maximumSize) }
        }
        guard let (json, contents) = try parts?.get() ?? nil else { return nil }
        (self.json, self.contents) = (json, contents)
    }

    private typealias Parts = (json: [UInt8], contents: ReceivedContents)

    private static func parts(
        of root: Value,
        _ generation: UInt64,
        _ blobs: BlobStore,
        _ maximumSize: UInt64?
    ) throws(SyncError) -> Parts? {
        guard let root = root.dictionary, let entries = root.value(for: OutgoingBody.attachmentsKey)?.dictionary,
            entries.pairs.contains(where: { $1.dictionary?.value(for: BlobDictionary.dataKey) != nil })
        else { return nil }
        do {
            var contents = ReceivedContents()
            var writer = JSONWriter()
            try append(root, to: &writer) { name, value, writer in
                guard name.isExactly(OutgoingBody.attachmentsKey) else { return try writer.append(value) }
                try append(entries, to: &writer) { _, value, writer in
                    guard let entry = value.dictionary, let data = entry.value(for: BlobDictionary.dataKey) else {
                        return try writer.append(value)
                    }
                    guard let content = data.string.flatMap({ Data(base64Encoded: $0) }) else {
                        throw SyncError(http: .badRequest, "The data of an attachment is not Base64")
                    }
                    guard UInt64(content.count) <= maximumSize ?? .max else { throw SyncError.blobTooLarge }
                    let digest = try contents.add(content, blobs)
                    try append(entry, digest, content.count, generation, to: &writer)
                }
            }
            return (writer.byteArray, contents)
        } catch {
            throw SyncError(error)
        }
    }

    /// Appends an entry with the digest of its content.
    private static func append(
        _ entry: DictionaryValue,
        _ digest: BlobDigest,
        _ length: Int,
        _ generation: UInt64,
        to writer: inout JSONWriter
    ) throws {
        try writer.object { writer in
            writer.member("digest", digest.string)
            writer.member("length", length)
            writer.member("revpos", generation)
            writer.member("stub", true)
            for (key, value) in entry.pairs {
                guard let name = key.text(.empty), !replacedKeys.contains(where: { $0.isExactly(name) }) else { continue }
                try writer.member(name, value)
            }
        }
    }

    private static let replacedKeys = [
        BlobDictionary.digestKey, BlobDictionary.lengthKey, BlobDictionary.dataKey, "revpos", "stub", "follows",
    ]

    /// Appends an object whose values are appended by `body`.
    private static func append(
        _ dictionary: DictionaryValue,
        to writer: inout JSONWriter,
        _ body: (String, Value, inout JSONWriter) throws -> Void
    ) throws {
        try writer.object { writer in
            for (key, value) in dictionary.pairs {
                guard let name = key.text(.empty) else { continue }
                writer.name(name)
                try body(name, value, &writer)
            }
        }
    }
}
