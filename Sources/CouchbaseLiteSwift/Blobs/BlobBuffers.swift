import DocumentStore
import Synchronization

extension Blob {
    /// The content, one buffer after the other, however large it is.
    ///
    /// ```swift
    /// for try await buffer in blob.buffers() { hash.update(data: buffer) }
    /// ```
    ///
    /// - Parameters:
    ///   - offset: Where to begin, in bytes. Nothing is read for one beyond the end.
    ///   - bufferSize: How many bytes a buffer has; the last one may have fewer. At least 1.
    public func buffers(from offset: UInt64 = 0, bufferSize: Int = 65536) -> BlobBuffers {
        guard bufferSize > 0 else { _CBLMisuse.invalidArgument("A buffer of \(bufferSize) bytes holds nothing.") }
        return BlobBuffers(blob: self, offset: offset, bufferSize: bufferSize)
    }
}

/// The content of a ``Blob``, in buffers: what ``Blob/buffers(from:bufferSize:)`` gives.
///
/// Files are read on threads of their own, a buffer at a time, when it is asked for. Every iteration reads the content anew.
///
/// - Throws: While it is iterated: `notFound` when the content is missing in the database, or is a stream that has not been saved
///   yet; `corruptData` when it is damaged; an error in the domain `NSPOSIXErrorDomain` when it cannot be read.
public struct BlobBuffers: AsyncSequence, Sendable {
    public typealias Element = Data

    private let blob: Blob
    private let offset: UInt64
    private let bufferSize: Int

    init(blob: Blob, offset: UInt64, bufferSize: Int) {
        self.blob = blob
        self.offset = offset
        self.bufferSize = bufferSize
    }

    public func makeAsyncIterator() -> Iterator {
        Iterator(blob: blob, offset: offset, bufferSize: bufferSize)
    }

    /// Reads the content once.
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

        /// The next buffer; nil at the end, and after an error.
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

/// An opened content, of which one buffer after the other is taken.
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

    /// The next bytes; nil at the end.
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
    /// The next `count` bytes, fewer only at the end.
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
