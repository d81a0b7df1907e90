package import DocumentStore
package import Foundation
import Synchronization

/// The content of a blob that was opened, and can be read from any position.
package enum OpenedBlob {
    /// The content is in memory.
    case data(Data)
    /// The content is in a file, which only one task at a time may read.
    case file(BlobReader)

    /// Returns a stream of the content, which begins at `offset`.
    package func stream(from offset: UInt64) -> InputStream {
        switch self {
        case .data(let data): return InputStream(data: Data(data.dropFirst(Int(clamping: offset))))
        case .file(let reader):
            reader.seek(to: offset)
            return BlobInputStream(reader)
        }
    }
}

/// An opened content that is read buffer by buffer.
package final class BlobSource: Sendable {
    private let content: Mutex<OpenedBlob>

    /// Begins at `offset`; there is no content if that is beyond the end.
    package init(_ content: sending OpenedBlob, offset: UInt64) {
        switch content {
        case .data(let data): self.content = Mutex(.data(data.dropFirst(Int(clamping: offset))))
        case .file(let reader):
            reader.seek(to: offset)
            self.content = Mutex(.file(reader))
        }
    }

    /// Returns the next bytes, at most `count`; `nil` at the end.
    package func next(_ count: Int) throws -> Data? {
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
    package func read(_ count: Int) throws(BlobError) -> Data {
        let wanted = Int(clamping: min(UInt64(clamping: count), size - position))
        // `Data(count:)` would fill the memory with zeros first.
        guard wanted > 0 else { return Data() }
        guard let memory = malloc(wanted) else { throw BlobError(.tooLarge, action: "read", path: path) }
        do throws(BlobError) {
            let found = try read(into: UnsafeMutableRawBufferPointer(start: memory, count: wanted))
            guard found == wanted else { throw BlobError(.cutShort, action: "read", path: path) }
        } catch {
            free(memory)
            throw error
        }
        return Data(bytesNoCopy: memory, count: wanted, deallocator: .free)
    }
}

/// The temporary file to which a task writes the content of a blob.
package final class BlobUpload: Sendable {
    private let writer: Mutex<BlobWriter?>

    private init(to store: BlobStore) throws { writer = Mutex(try BlobWriter(store: store)) }

    /// Writes the buffers of a sequence as they arrive, on the queue for files.
    ///
    /// - Throws: The error of the sequence unchanged, or the error that an app receives for an error of writing; `CancellationError` if the
    ///   task was cancelled. The file is deleted then.
    package nonisolated(nonsending) static func content<Buffers: AsyncSequence>(
        of buffers: Buffers,
        in store: BlobStore
    ) async throws -> FinishedBlob where Buffers.Element: DataProtocol {
        let upload = try await WorkQueue.files.runThrowingPublicErrors { try BlobUpload(to: store) }
        do {
            for try await buffer in buffers {
                let data = Data(buffer)
                try await WorkQueue.files.runThrowingPublicErrors { try upload.write(data) }
            }
            // A sequence may simply end when its task is cancelled. The content would then be incomplete.
            try Task.checkCancellation()
        } catch {
            upload.discard()
            // A sequence may end with any error when its task is cancelled.
            try Task.checkCancellation()
            throw error
        }
        return try await WorkQueue.files.runThrowingPublicErrors { try upload.finish() }
    }

    private func write(_ buffer: Data) throws {
        try writer.withLock { writer in
            try buffer.withUnsafeBytes { try writer?.write($0) }
        }
    }

    /// Deletes the file now: the thread that wrote the last buffer may retain this object a little longer than the caller.
    private func discard() { writer.withLock { $0 = nil } }

    private func finish() throws -> FinishedBlob {
        try writer.withLock { writer in
            guard let whole = writer.take() else { throw CancellationError() }
            return try whole.finish()
        }
    }
}

extension InputStream {
    /// Returns a stream of a file.
    ///
    /// - Throws: ``BlobContentError/unreadableFile(_:)`` if no stream can be created. Whether the file can be read is not checked.
    package static func stream(ofFile url: URL) throws(BlobContentError) -> InputStream {
        guard let stream = InputStream(url: url) else { throw .unreadableFile(url.path) }
        return stream
    }

    /// Checks that a URL is that of a file that can be read.
    package static func checkFile(_ url: URL) throws(BlobContentError) {
        guard url.isFileURL else { throw .notAFileURL(url) }
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory) else { throw .noFile(url.path) }
        guard !isDirectory.boolValue, FileManager.default.isReadableFile(atPath: url.path) else { throw .unreadableFile(url.path) }
    }

    /// Reads the stream to its end, and returns the content in memory.
    func contents() throws -> Data {
        var data = Data()
        try forEachPiece { data.append(contentsOf: $0) }
        return data
    }

    /// Reads the stream to its end, and returns the content in a temporary file of `store`.
    func contents(in store: BlobStore) throws -> FinishedBlob {
        // Optional, because a closure cannot consume a captured variable.
        var writer: BlobWriter? = nil
        try forEachPiece { piece in
            if writer == nil { writer = try BlobWriter(store: store) }
            try writer?.write(piece)
        }
        guard let whole = writer.take() else { return try BlobWriter(store: store).finish() }
        return try whole.finish()
    }

    /// Opens the stream if it is not open, reads it to its end, and closes it.
    ///
    /// - Throws: The stream's error as an `NSError`, or the error of `body`.
    package func forEachPiece(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        if streamStatus == .notOpen { open() }
        defer { close() }
        let piece = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 65536)
        defer { piece.deallocate() }
        guard let start = piece.baseAddress else { return }
        while true {
            let count = read(start, maxLength: piece.count)
            if count == 0 { return }
            guard count > 0 else {
                if let error = streamError as NSError? { throw error }
                throw BlobContentError.streamFailed
            }
            try body(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(piece)[..<count]))
        }
    }
}
