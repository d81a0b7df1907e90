import DatabaseRuntime

extension Blob {
    /// Whether the blob was created from a dictionary with only a digest, for example by ``MutableDocument/setJSON(_:)``, and its document
    /// has not been saved: its content cannot be read then.
    public var isDetached: Bool { shared.withState(\.isDetached) }

    /// The content; `nil` if it is missing or damaged in the database or has more than 2 GiB there, or if the blob's stream cannot be read.
    /// The reason is logged as a warning. Larger content can be read with ``contentStream``.
    ///
    /// The content of a stored blob is read from disk. Content of at most 8 KiB is then kept in memory; larger content is read again each
    /// time. If the blob was created from a stream, the stream is read now, and its content stays in memory until it is saved.
    ///
    /// A blob that was created from a dictionary with only a digest has no content until its document is saved: reading it before is a
    /// programming error and ends the process; see ``isDetached``.
    ///
    /// - Complexity: O(*n*), where *n* is the size of the content, unless it is in memory.
    public var content: Data? {
        guard !isDetached else { failDetached() }
        return readable { () throws(BlobReadingError) in try shared.data() }
    }

    /// A stream of the content, which is not yet open. `nil` if the content is missing or damaged in the database, or if the blob was
    /// created from a stream that has not been read yet.
    ///
    /// The stream must be used by one thread at a time. It does not support run loops and delegates.
    public var contentStream: InputStream? { contentStream(from: 0) }

    /// Returns a stream like ``contentStream`` that begins at a given position.
    ///
    /// - Parameter offset: The number of bytes to skip. If it is not less than the size of the content, the stream is empty.
    public func contentStream(from offset: UInt64) -> InputStream? {
        guard !isDetached else { failDetached() }
        return readable { () throws(BlobReadingError) in try shared.openedIfRead() }?.stream(from: offset)
    }

    /// Opens the content.
    ///
    /// - Throws: `notFound` if the content is missing, or is a stream that was not read yet; `corruptData` or ``BlobError`` if it is
    ///   damaged.
    func openedContent() throws -> OpenedBlob {
        guard !isDetached else { failDetached() }
        return try shared.opened()
    }

    private func failDetached() -> Never {
        warn("The content of a blob cannot be read: only its digest is known")
        _CBLMisuse.inconsistency("A blob that was created from a dictionary has no content before its document is saved.")
    }

    /// Returns what `read` returns; logs a warning and returns `nil` if it fails.
    private func readable<Content>(_ read: () throws(BlobReadingError) -> Content?) -> Content? {
        do {
            return try read()
        } catch {
            warn(error.text)
            return nil
        }
    }
}
