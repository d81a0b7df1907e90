import DocumentStore
import Synchronization

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
    /// - Throws: The error of the sequence; `CancellationError` if the task was cancelled; an error in the domain `NSPOSIXErrorDomain` if
    ///   the file cannot be written; ``CBLError/notOpen`` if the database is closed.
    public nonisolated(nonsending) convenience init<Buffers: AsyncSequence>(
        contentType: String,
        buffers: Buffers,
        in database: Database
    ) async throws where Buffers.Element: DataProtocol {
        let upload = try await BlobUpload(database)
        do {
            for try await buffer in buffers { try await upload.write(Data(buffer)) }
            // A sequence may simply end when its task is cancelled. The content would then be incomplete.
            try Task.checkCancellation()
        } catch {
            upload.discard()
            throw error
        }
        self.init(contentType: contentType, finished: try await upload.finish())
    }
}

/// The temporary file to which a task writes the content of a blob.
private final class BlobUpload: Sendable {
    private let writer: Mutex<BlobWriter?>

    nonisolated(nonsending) init(_ database: Database) async throws {
        let store = try throwingPublicErrors { try database.openFile().blobs }
        writer = Mutex(nil)
        try await WorkQueue.files.run { [self] in
            try throwingPublicErrors {
                try writer.withLock { $0 = try BlobWriter(store: store) }
            }
        }
    }

    nonisolated(nonsending) func write(_ buffer: Data) async throws {
        try await WorkQueue.files.run { [self] in
            try throwingPublicErrors {
                try writer.withLock { writer in
                    try buffer.withUnsafeBytes { try writer?.write($0) }
                }
            }
        }
    }

    /// Deletes the file now: the thread that wrote the last buffer may retain this object a little longer than the caller.
    func discard() {
        writer.withLock { $0 = nil }
    }

    nonisolated(nonsending) func finish() async throws -> FinishedBlob {
        try await WorkQueue.files.run { [self] in
            try throwingPublicErrors {
                try writer.withLock { writer in
                    guard let whole = writer.take() else { throw CancellationError() }
                    return try whole.finish()
                }
            }
        }
    }
}
