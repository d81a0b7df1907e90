import DocumentStore
import SQLiteEngine

extension Blob {
    /// The content, or nil when it is missing or damaged in the database, or the stream cannot be read.
    ///
    /// A large content that is stored is read again each time. Asking a blob that knows nothing but a digest, made from a
    /// dictionary and not saved yet, is a misuse.
    public var content: Data? {
        guard !withState(\.isDetached) else { failDetached() }
        let (state, stream) = withContent { state in
            (state, state.data == nil ? state.takeStream() : nil)
        }
        if let data = state.data { return data }
        if let stream { return read(stream) }
        guard let data = storedContent(state) else { return nil }
        // Small contents stay. What a digest stands for never changes.
        if data.count <= Self.cachedSize, state.digest != nil { withState { $0.data = data } }
        return data
    }

    /// A stream over the content, not yet open. Nil when the content is missing or damaged in the database, or when the
    /// blob has but a stream itself.
    public var contentStream: InputStream? { contentStream(from: 0) }

    /// As ``contentStream``, of what begins at `offset`, in bytes. Nothing is read for one beyond the end.
    public func contentStream(from offset: UInt64) -> InputStream? {
        guard !withState(\.isDetached) else { failDetached() }
        let state = withContent { $0 }
        if let data = state.data { return InputStream(data: Data(data.dropFirst(Int(clamping: offset)))) }
        guard state.stream == nil, let reader = reader(state) else { return nil }
        reader.seek(to: offset)
        return BlobInputStream(reader)
    }

    /// A content that can be read from any place.
    enum OpenedContent {
        case data(Data)
        case file(BlobReader)
    }

    /// The content, to be read.
    ///
    /// - Throws: `notFound` when it is missing, or a stream that nobody has read; `corruptData` or ``BlobError`` when it is
    ///   damaged.
    func openedContent() throws -> OpenedContent {
        guard !withState(\.isDetached) else { failDetached() }
        let state = withContent { $0 }
        if let data = state.data { return .data(data) }
        return .file(try state.open())
    }

    private func failDetached() -> Never {
        warn("The content of a blob was asked for, of which nothing but the digest is known.")
        _CBLMisuse.inconsistency("A blob has no content before its document was saved.")
    }

    private func read(_ stream: InputStream) -> Data? {
        var data = Data()
        do {
            try read(stream, { data.append(contentsOf: $0) }, finish: {}) { state, _ in
                state.data = data
                state.length = UInt64(data.count)
            }
            return data
        } catch {
            warn("The stream of a blob cannot be read: \(error.localizedDescription)")
            return nil
        }
    }

    private func storedContent(_ state: State) -> Data? {
        guard let reader = reader(state) else { return nil }
        do {
            var data = Data(count: Int(reader.size))
            let count = try data.withUnsafeMutableBytes { try reader.read(into: $0) }
            guard count == data.count else {
                warn("The blob \(state.digest ?? "") is cut short.")
                return nil
            }
            return data
        } catch {
            warn("The blob \(state.digest ?? "") cannot be read: \(error)")
            return nil
        }
    }

    /// Opens the content; nil, with a warning, when that fails.
    private func reader(_ state: State) -> BlobReader? {
        do {
            return try state.open()
        } catch {
            warn("The blob \(state.digest ?? "") has no content: \(publicError(error).localizedDescription)")
            return nil
        }
    }
}

extension Blob.State {
    /// Gives the calling thread the stream, if there is one, to read it by ``Blob/read(_:_:finish:store:)``.
    mutating func takeStream() -> InputStream? {
        guard let stream else { return nil }
        self.stream = nil
        readingThread = currentThreadNumber()
        return stream
    }

    /// Whether nothing is known but the digest, of a content that some database may have.
    fileprivate var isDetached: Bool {
        data == nil && stream == nil && readingThread == nil && finished == nil && database == nil && digest != nil
    }

    /// Opens the file of the content.
    ///
    /// - Throws: An error that names the digest when the content is missing, or has another size than the document says.
    fileprivate func open() throws -> BlobReader {
        if let finished { return try finished.reader() }
        guard let digest, let database else {
            throw NSError.couchbaseLite(code: CBLError.notFound, message: "A blob has no content that can be read before it is saved")
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

extension InputStream {
    /// Reads the stream to its end, opening it first if need be, and closes it.
    ///
    /// - Throws: The stream's error as an `NSError`, or what `body` throws.
    func forEachPiece(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        if streamStatus == .notOpen { open() }
        defer { close() }
        let piece = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: Blob.pieceSize)
        defer { piece.deallocate() }
        guard let start = piece.baseAddress else { return }
        while true {
            let count = read(start, maxLength: piece.count)
            if count == 0 { return }
            guard count > 0 else {
                throw streamError as NSError?
                    ?? .couchbaseLite(code: CBLError.ioError, message: "A stream cannot be read")
            }
            try body(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(piece)[..<count]))
        }
    }
}
