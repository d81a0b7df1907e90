import DocumentStore
import Synchronization

extension Blob {
    /// A blob with the content of an async sequence of buffers, which are written to a file of `database` as they come: memory stays
    /// flat however many there are.
    ///
    /// The content is stored when the blob is saved, in a document or by ``Database/saveBlob(blob:)``. When the blob goes before, so
    /// does the file.
    ///
    /// ```swift
    /// let film = try await Blob(contentType: "video/mp4", buffers: download, in: database)
    /// try collection.save(document: document.setBlob(film, forKey: "film"))
    /// ```
    ///
    /// - Throws: What the sequence throws; `CancellationError` when the task was cancelled; an error in the domain
    ///   `NSPOSIXErrorDomain` when the file cannot be written; `notOpen` when the database is closed.
    public nonisolated(nonsending) convenience init<Buffers: AsyncSequence>(
        contentType: String,
        buffers: Buffers,
        in database: Database
    ) async throws where Buffers.Element: DataProtocol {
        let upload = try await BlobUpload(database)
        for try await buffer in buffers { try await upload.write(Data(buffer)) }
        // A sequence may simply end when its task is cancelled: that is not the whole content.
        try Task.checkCancellation()
        self.init(contentType: contentType, finished: try await upload.finish())
    }
}

/// A file that a blob is written to from tasks.
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
