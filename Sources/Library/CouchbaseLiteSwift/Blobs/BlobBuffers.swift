import DatabaseRuntime

extension Blob {
    /// Returns the content as an asynchronous sequence of buffers, which uses little memory for content of any size.
    ///
    /// ```swift
    /// for try await buffer in blob.buffers() { hash.update(data: buffer) }
    /// ```
    ///
    /// - Parameters:
    ///   - offset: The number of bytes to skip. If it is not less than the size of the content, the sequence is empty. The default is 0.
    ///   - bufferSize: The size of a buffer in bytes; the last one may be smaller. At least 1: anything less is a programming error and
    ///     ends the process. The default is 65536.
    public func buffers(from offset: UInt64 = 0, bufferSize: Int = 65536) -> BlobBuffers {
        guard bufferSize > 0 else { _CBLMisuse.invalidArgument("bufferSize is \(bufferSize), but must be at least 1.") }
        return BlobBuffers(blob: self, offset: offset, bufferSize: bufferSize)
    }
}

/// The content of a ``Blob`` in buffers, returned by ``Blob/buffers(from:bufferSize:)``.
///
/// Each buffer is read when it is requested, without blocking the calling thread. Every iteration reads the content again.
///
/// Iteration throws ``CBLError/notFound`` if the content is missing in the database, or is a stream that has not been read yet;
/// ``CBLError/corruptData`` if it is damaged; and an error in `NSPOSIXErrorDomain` if it cannot be read.
public struct BlobBuffers: AsyncSequence, Sendable {
    /// The type of a buffer.
    public typealias Element = Data

    fileprivate let blob: Blob
    fileprivate let offset: UInt64
    fileprivate let bufferSize: Int

    /// Returns an iterator that reads the content from the beginning of the sequence.
    public func makeAsyncIterator() -> Iterator { Iterator(buffers: self) }

    /// An iterator that reads the content once.
    public struct Iterator: AsyncIteratorProtocol {
        private let buffers: BlobBuffers
        private var source: BlobSource?
        private var isAtEnd = false

        fileprivate init(buffers: BlobBuffers) { self.buffers = buffers }

        /// Returns the next buffer; `nil` at the end, and after an error was thrown.
        ///
        /// - Throws: The errors of ``BlobBuffers``; `CancellationError` if the task was cancelled.
        public nonisolated(nonsending) mutating func next() async throws -> Data? {
            guard !isAtEnd else { return nil }
            isAtEnd = true
            let (buffers, opened) = (buffers, source)
            let (source, buffer) = try await WorkQueue.files.runThrowingPublicErrors {
                let source = try opened ?? BlobSource(buffers.blob.openedContent(), offset: buffers.offset)
                return (source, try source.next(buffers.bufferSize))
            }
            self.source = source
            isAtEnd = buffer == nil
            return buffer
        }
    }
}
