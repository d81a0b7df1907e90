import DocumentStore

extension Blob {
    /// The content, or nil when it is missing or damaged in the database, or the stream cannot be read.
    ///
    /// A large content that is stored is read again each time. Asking a blob that knows nothing but a digest, made from a
    /// dictionary and not saved yet, is a misuse.
    public var content: Data? {
        let isDetached = withState { $0.data == nil && $0.stream == nil && $0.database == nil && $0.digest != nil }
        guard !isDetached else { failDetached() }
        return withState { state in
            if let data = state.data { return data }
            if let stream = state.stream { return read(stream, into: &state) }
            guard let data = storedContent(state) else { return nil }
            if data.count <= Self.cachedSize { state.data = data }
            return data
        }
    }

    /// A stream over the content, not yet open. Nil when the content is missing or damaged in the database, or when the
    /// blob has but a stream itself.
    public var contentStream: InputStream? {
        let isDetached = withState { $0.data == nil && $0.stream == nil && $0.database == nil && $0.digest != nil }
        guard !isDetached else { failDetached() }
        return withState { state in
            if let data = state.data { return InputStream(data: data) }
            guard state.stream == nil, let reader = reader(state) else { return nil }
            return BlobInputStream(reader)
        }
    }

    private func failDetached() -> Never {
        withState { _ in warn("The content of a blob was asked for, of which nothing but the digest is known.") }
        _CBLMisuse.inconsistency("A blob has no content before its document was saved.")
    }

    private func read(_ stream: InputStream, into state: inout State) -> Data? {
        state.stream = nil
        do {
            var data = Data()
            try stream.forEachPiece { data.append(contentsOf: $0) }
            state.data = data
            state.length = UInt64(data.count)
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

    /// Opens the stored content; nil, with a warning, when it is missing or has another size than the document says.
    private func reader(_ state: State) -> BlobReader? {
        guard let text = state.digest, let store = try? state.database?.openFile().blobs else { return nil }
        do {
            guard let digest = BlobDigest(text), let reader = try store.reader(of: digest) else {
                warn("The content of the blob \(text) is missing.")
                return nil
            }
            guard state.length == 0 || state.length == reader.size else {
                warn("The content of the blob \(text) has \(reader.size) bytes instead of \(state.length).")
                return nil
            }
            return reader
        } catch {
            warn("The blob \(text) cannot be read: \(error)")
            return nil
        }
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
