import DocumentStore
import SQLiteEngine

extension Blob.Content {
    /// Creates the content that a document itself may contain.
    init(_ data: Data?) {
        self = data.map { Blob.Content.data($0, copy: nil) } ?? .absent
    }
}

extension Blob.State {
    /// The content in memory; `nil` if it is not there.
    var data: Data? {
        if case .data(let data, copy: _) = content { data } else { nil }
    }

    /// The temporary file with the content; `nil` if there is none.
    var file: FinishedBlob? {
        switch content {
        case .file(let file): file
        case .data(_, copy: let copy): copy
        case .absent, .stream, .reading: nil
        }
    }

    /// Whether only the digest of the blob is known, but no database that may contain the content.
    var isDetached: Bool {
        if case .absent = content { database == nil && digest != nil } else { false }
    }

    /// Hands the stream to the calling thread, if there is one; the thread must read it by ``Blob/read(_:_:finish:store:)``.
    mutating func takeStream() -> InputStream? {
        guard case .stream(let stream) = content else { return nil }
        content = .reading(thread: currentThreadNumber())
        return stream
    }

    /// Keeps stored content in memory.
    mutating func keep(_ data: Data) {
        if case .absent = content { content = .data(data, copy: nil) }
    }

    /// Sets the temporary file, unless another thread has stored the content since: then the file is not needed.
    ///
    /// - Returns: The previous content, which must be released without holding the lock.
    mutating func setFile(_ file: FinishedBlob) -> Blob.Content {
        let previous = content
        if wasStored { return previous }
        if case .data(let data, copy: _) = previous {
            content = .data(data, copy: file)
        } else {
            content = .file(file)
        }
        return previous
    }

    /// Records that the content was saved in `database`, if it was put into its store before.
    ///
    /// - Parameter keepsData: Whether large content stays in memory.
    /// - Returns: The previous content, which must be released without holding the lock.
    mutating func didSave(in database: Database, keepsData: Bool) -> Blob.Content? {
        guard let stored = installed else { return nil }
        let previous = content
        installed = nil
        switch previous {
        case .data(let data, copy: _):
            wasStored = true
            content = keepsData || data.count <= Blob.cachedSize ? .data(data, copy: nil) : .absent
        case .file:
            wasStored = true
            content = .absent
        case .absent, .stream, .reading: break
        }
        digest = stored.string
        self.database = database
        return previous
    }

    /// Opens the file of the content.
    ///
    /// - Throws: An error that names the digest if the content is missing, or if its size is not the one in the document.
    func open() throws -> BlobReader {
        if let finished = file { return try finished.reader() }
        guard let digest, let database else {
            throw NSError.couchbaseLite(code: CBLError.notFound, message: "The content of a blob cannot be read before the blob is saved")
        }
        let store = try database.openFile().blobs
        guard let reader = try BlobDigest(digest).flatMap({ try store.reader(of: $0) }) else {
            throw NSError.couchbaseLite(code: CBLError.notFound, message: "The content of the blob \(digest) is missing")
        }
        guard length == 0 || length == reader.size else {
            throw NSError.couchbaseLite(
                code: CBLError.corruptData,
                message: "The content of the blob \(digest) has \(reader.size) bytes instead of \(length)"
            )
        }
        return reader
    }
}
