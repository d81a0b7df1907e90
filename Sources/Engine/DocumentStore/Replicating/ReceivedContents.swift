package import Foundation

/// The contents of attachments that were received with a revision. They become blobs when the revision is stored, so that those of a refused
/// revision take no space.
package struct ReceivedContents: Sendable {
    /// The digests of the contents that were added.
    package private(set) var digests: Set<BlobDigest> = []
    private var small: [Data] = []
    private var files: [FinishedBlob] = []

    /// The size in bytes from which content is written to a file at once, and not during the transaction, for which other writers wait.
    private static let fileSize = 1 << 20

    package init() {}

    /// Adds content, and returns its digest.
    ///
    /// - Parameter blobs: The store of the database that will contain the revision.
    package mutating func add(_ content: Data, _ blobs: BlobStore) throws -> BlobDigest {
        let digest = content.withUnsafeBytes { BlobDigest(of: $0) }
        guard digests.insert(digest).inserted else { return digest }
        guard content.count >= Self.fileSize else {
            small.append(content)
            return digest
        }
        let file = try content.withUnsafeBytes { bytes in
            var writer = try BlobWriter(store: blobs, digest: digest)
            try writer.write(bytes)
            return try writer.finish()
        }
        files.append(file)
        return digest
    }

    /// Adds content that was written to a file.
    package mutating func add(_ file: FinishedBlob) {
        digests.insert(file.digest)
        files.append(file)
    }

    /// Adds the contents to the store. Must be called in the transaction that stores the revision, so that maintenance does not remove them
    /// before the document refers to them.
    func install(in blobs: BlobStore) throws {
        for content in small { _ = try content.withUnsafeBytes { bytes throws(BlobError) in try blobs.store(bytes) } }
        for file in files { try file.install() }
    }
}
