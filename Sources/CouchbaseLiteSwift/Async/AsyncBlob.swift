extension Blob {
    /// The content without blocking; see ``Database/async-swift.property`` for the rules.
    public var async: AsyncBlob { AsyncBlob(blob: self) }
}

/// What of a ``Blob`` may block, in `async` form: what ``Blob/async`` gives.
public struct AsyncBlob: Sendable {
    /// The blob.
    public let blob: Blob

    /// The content; see ``Blob/content``.
    public nonisolated(nonsending) var content: Data? {
        get async throws {
            try await WorkQueue.files.run { [blob] in blob.content }
        }
    }
}
