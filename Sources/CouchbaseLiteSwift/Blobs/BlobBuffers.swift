import DocumentStore
import Synchronization

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
/// ``CBLError/corruptData`` if it is damaged; and an error in the domain `NSPOSIXErrorDomain` if it cannot be read.
public struct BlobBuffers: AsyncSequence, Sendable {
    /// The type of a buffer.
    public typealias Element = Data

    private let blob: Blob
    private let offset: UInt64
    private let bufferSize: Int

    init(blob: Blob, offset: UInt64, bufferSize: Int) {
        self.blob = blob
        self.offset = offset
        self.bufferSize = bufferSize
    }

    /// Returns an iterator that reads the content from the beginning of the sequence.
    public func makeAsyncIterator() -> Iterator {
        Iterator(blob: blob, offset: offset, bufferSize: bufferSize)
    }

    /// An iterator that reads the content once.
    public struct Iterator: AsyncIteratorProtocol {
        private let blob: Blob
        private let offset: UInt64
        private let bufferSize: Int
        private var source: BlobSource?
        private var isAtEnd = false

        init(blob: Blob, offset: UInt64, bufferSize: Int) {
            self.blob = blob
            self.offset = offset
            self.bufferSize = bufferSize
        }

        /// Returns the next buffer; `nil` at the end, and after an error was thrown.
        ///
        /// - Throws: The errors of ``BlobBuffers``; `CancellationError` if the task was cancelled.
        public nonisolated(nonsending) mutating func next() async throws -> Data? {
            guard !isAtEnd else { return nil }
            isAtEnd = true
            let (blob, offset, bufferSize, opened) = (blob, offset, bufferSize, source)
            let (source, buffer) = try await WorkQueue.files.run {
                try throwingPublicErrors {
                    let source = try opened ?? BlobSource(blob.openedContent(), offset: offset)
                    return (source, try source.next(bufferSize))
                }
            }
            self.source = source
            isAtEnd = buffer == nil
            return buffer
        }
    }
}

/// An opened content that is read buffer by buffer.
private final class BlobSource: Sendable {
    private let content: Mutex<Blob.OpenedContent>

    init(_ content: sending Blob.OpenedContent, offset: UInt64) {
        switch content {
        case .data(let data): self.content = Mutex(.data(data.dropFirst(Int(clamping: offset))))
        case .file(let reader):
            reader.seek(to: offset)
            self.content = Mutex(.file(reader))
        }
    }

    /// Returns the next bytes, at most `count`; `nil` at the end.
    func next(_ count: Int) throws -> Data? {
        try content.withLock { content in
            let buffer: Data
            switch content {
            case .data(let data):
                buffer = data.prefix(count)
                content = .data(data.dropFirst(count))
            case .file(let reader):
                buffer = try reader.read(count)
            }
            return buffer.isEmpty ? nil : buffer
        }
    }
}

extension BlobReader {
    /// Reads the next `count` bytes, or fewer at the end.
    fileprivate func read(_ count: Int) throws(BlobError) -> Data {
        var data = Data(count: Int(min(UInt64(count), size - position)))
        let wanted = data.count
        let found = try data.withUnsafeMutableBytes { buffer in
            Swift.Result { () throws(BlobError) in try read(into: buffer) }
        }.get()
        guard found == wanted else { throw BlobError(.cutShort, action: "read", path: path) }
        return data
    }
}
