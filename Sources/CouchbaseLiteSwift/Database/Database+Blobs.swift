import DocumentStore

extension Database {
    /// Stores a blob's content, which gives it its digest. A blob that no document refers to lasts until the next compaction.
    ///
    /// - Throws: An error in the domain `NSPOSIXErrorDomain` when the content cannot be written, the error of the blob's stream
    ///   when it cannot be read.
    public func saveBlob(blob: Blob) throws {
        try throwingPublicErrors {
            let file = try openFile()
            blob.checkDatabase(self)
            _ = try blob.install(in: file.blobs, of: self)
            try file.blobs.syncNames()
            blob.didSave(in: self, keepsData: true)
        }
    }

    /// The blob with a digest, as it stands in documents.
    ///
    /// - Parameter properties: Those of a blob: `@type` is `"blob"`, `digest` a string; optionally `content_type` and `length`.
    ///   Anything else is a programming error.
    /// - Returns: Nil when the database does not have the content.
    public func getBlob(properties: [String: Any]) throws -> Blob? {
        try throwingPublicErrors {
            guard Blob.isBlob(properties: properties), let text = properties[Blob.blobDigestProperty] as? String else {
                _CBLMisuse.invalidArgument("The properties are not those of a blob.")
            }
            let file = try openFile()
            guard let digest = BlobDigest(text), let size = try file.blobs.size(of: digest) else { return nil }
            return Blob(digest: digest, length: size, contentType: properties[Blob.blobContentType] as? String, database: self)
        }
    }
}
