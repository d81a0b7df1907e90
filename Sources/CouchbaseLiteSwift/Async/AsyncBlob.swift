import DatabaseRuntime

extension Blob {
    /// The functions of the blob that may block, as `async` functions; see ``Database/async-swift.property`` for the rules.
    public var async: AsyncBlob { AsyncBlob(blob: self) }
}

/// The functions of a ``Blob`` that may block, as `async` functions; returned by ``Blob/async``.
public struct AsyncBlob: Sendable {
    /// The blob.
    public let blob: Blob

    /// The content; see ``Blob/content``.
    ///
    /// - Throws: `CancellationError` if the task was cancelled before the content was read.
    public nonisolated(nonsending) var content: Data? {
        get async throws { try await WorkQueue.files.run { [blob] in blob.content } }
    }
}
