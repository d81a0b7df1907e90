import DatabaseRuntime
import DocumentStore

extension Database {
    /// Stores the content of a blob, and sets the blob's ``Blob/digest``.
    ///
    /// The content is on the medium before the first document that refers to it is committed, so that no document can lose its blobs in a power
    /// failure. Until then it can be lost, unless ``DatabaseConfiguration/fullSync`` is set: then this function waits until it is on
    /// the medium.
    ///
    /// A compaction (``MaintenanceType/compact``) deletes content that no document refers to. A blob that was stored in another
    /// ``Database`` object is a programming error and ends the process.
    ///
    /// - Throws: ``CBLError/notOpen`` if the database is closed; an error in `NSPOSIXErrorDomain` if the content cannot be
    ///   written; the error of the blob's stream if the content cannot be read.
    public func saveBlob(blob: Blob) throws {
        try throwingPublicErrors {
            let file = try openFile()
            blob.checkDatabase(self)
            _ = try blob.shared.install(in: file.blobs, of: self)
            if file.options.fullSync { try file.blobs.flush() }
            blob.shared.didSave(in: self, keepsData: true)
        }
    }

    /// Returns the stored blob with a given digest.
    ///
    /// - Parameter properties: The properties by which a document refers to a blob: `@type` must be `"blob"` and `digest` a string;
    ///   `content_type` and `length` are optional. A dictionary that does not describe a blob is a programming error and ends the process;
    ///   see ``getBlob(validating:)``.
    /// - Returns: The blob; `nil` if the database does not contain its content.
    /// - Throws: ``CBLError/notOpen`` if the database is closed; an error in `NSPOSIXErrorDomain` if its file cannot be accessed.
    public func getBlob(properties: [String: Any]) throws -> Blob? {
        let described = _CBLMisuse.trap { () throws(Misuse) in try BlobState.storedDescription(in: properties) }
        return try throwingPublicErrors { try storedBlob(described.digest, described.contentType) }
    }

    /// Returns the stored blob with a digest of a dictionary that may not describe a blob; see ``getBlob(properties:)``.
    ///
    /// - Throws: ``CBLError/invalidParameter`` if the dictionary does not describe a blob; otherwise as ``getBlob(properties:)``.
    public func getBlob(validating properties: [String: Any]) throws -> Blob? {
        try throwingPublicErrors {
            let described = try BlobState.storedDescription(in: properties)
            return try storedBlob(described.digest, described.contentType)
        }
    }

    private func storedBlob(_ text: String, _ contentType: String?) throws -> Blob? {
        let file = try openFile()
        guard let digest = BlobDigest(text), let size = try file.blobs.size(of: digest) else { return nil }
        return Blob(digest: text, length: size, contentType: contentType, database: self)
    }
}
