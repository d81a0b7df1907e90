import DatabaseRuntime
import DocumentStore

extension Blob {
    /// Creates a blob from an asynchronous sequence of buffers. They are written to a temporary file of `database` as they arrive, so
    /// memory use does not grow with their number.
    ///
    /// The content is stored when the blob is saved, in a document or by ``Database/saveBlob(blob:)``. If the blob is deallocated before
    /// that, the file is deleted. Files are written without blocking the calling thread.
    ///
    /// ```swift
    /// let film = try await Blob(contentType: "video/mp4", buffers: download, in: database)
    /// try collection.save(document: document.setBlob(film, forKey: "film"))
    /// ```
    ///
    /// - Parameters:
    ///   - contentType: The MIME type, such as `video/mp4`.
    ///   - buffers: The content.
    ///   - database: The database in which the blob will be saved.
    /// - Throws: The error of the sequence; `CancellationError` if the task was cancelled; an error in `NSPOSIXErrorDomain` if
    ///   the file cannot be written; ``CBLError/notOpen`` if the database is closed.
    public nonisolated(nonsending) convenience init<Buffers: AsyncSequence>(
        contentType: String,
        buffers: Buffers,
        in database: Database
    ) async throws where Buffers.Element: DataProtocol {
        let store = try throwingPublicErrors { try database.openFile().blobs }
        let content = try await BlobUpload.content(of: buffers, in: store)
        self.init(contentType: contentType, finished: content)
    }
}
