import DocumentStore

extension Blob {
    /// Writes a content that is large, or comes out of a stream, to a file beside the others of `store`, so that little is left to be
    /// done by ``install(in:of:)``. Call it outside of transactions: nobody else should wait for it.
    ///
    /// - Throws: ``BlobError`` or the error of the blob's stream. A stream that failed is spent, unless it is that of a file.
    func prepare(for store: BlobStore) throws {
        let (state, stream) = withContent { state in
            (state, state.finished == nil ? state.takeStream() : nil)
        }
        if let stream { return try write(stream, to: store) }
        let made: FinishedBlob?
        if let finished = state.finished {
            made = finished.store === store ? nil : try finished.copy(for: store)
        } else if let data = state.data, data.count > Self.cachedSize, !state.wasStored {
            made = try data.withUnsafeBytes { bytes in
                let digest = BlobDigest(of: bytes)
                guard try !store.contains(digest) else { return nil }
                var writer = try BlobWriter(store: store, digest: digest)
                try writer.write(bytes)
                return try writer.finish()
            }
        } else {
            made = nil
        }
        if let made { withState { $0.finished = made } }
    }

    /// Writes what the stream gives to a file beside those of `store`.
    private func write(_ stream: InputStream, to store: BlobStore) throws {
        // An optional, because a closure cannot give up what it has captured.
        var writer: BlobWriter? = nil
        try read(
            stream,
            { piece in
                if writer == nil { writer = try BlobWriter(store: store) }
                try writer?.write(piece)
            },
            finish: {
                guard let whole = writer.take() else { return try BlobWriter(store: store).finish() }
                return try whole.finish()
            },
            store: { state, finished in
                state.length = finished.size
                state.finished = finished
            }
        )
    }

    /// Puts the content into `store`, that of `database`, unless it is there already. The blob keeps what it has, for another try,
    /// until ``didSave(in:keepsData:)``.
    ///
    /// - Throws: ``BlobError``, the error of the blob's stream, or an error when there is no content or it is stored in
    ///   another database; ``Document/checkBlobs(belongTo:)`` tells the latter before anything is locked.
    func install(in store: BlobStore, of database: Database) throws -> BlobDigest {
        try prepare(for: store)
        let state = withContent { $0 }
        if let own = state.database, own !== database {
            throw NSError.couchbaseLite(code: CBLError.invalidParameter, message: ForeignBlob.reason)
        }
        let digest = try Self.install(state, in: store)
        withState { $0.installed = digest }
        return digest
    }

    /// The digest that ``install(in:of:)`` will have. Reads a content that is not read yet, as ``prepare(for:)`` does, so that little is
    /// left to be done.
    ///
    /// - Throws: What ``prepare(for:)`` throws, or an error when there is no content.
    func digest(preparedFor store: BlobStore) throws -> BlobDigest {
        try prepare(for: store)
        let state = withContent { $0 }
        if let finished = state.finished { return finished.digest }
        if let data = state.data { return data.withUnsafeBytes { BlobDigest(of: $0) } }
        return try Self.knownDigest(state)
    }

    private static func install(_ state: State, in store: BlobStore) throws -> BlobDigest {
        if let finished = state.finished {
            // Another thread may have prepared it for another database meanwhile.
            try (finished.store === store ? finished : finished.copy(for: store)).install()
            return finished.digest
        }
        if let data = state.data { return try data.withUnsafeBytes { try store.store($0) } }
        let digest = try knownDigest(state)
        if state.wasStored, try !store.contains(digest) {
            throw NSError.couchbaseLite(
                code: CBLError.notFound,
                message: """
                    The content of the blob \(digest.string) is not in the database any more. A compaction removes what no document \
                    refers to: make a new blob.
                    """
            )
        }
        return digest
    }

    /// The digest of a blob whose content is not here.
    private static func knownDigest(_ state: State) throws -> BlobDigest {
        guard let text = state.digest else {
            throw NSError.couchbaseLite(code: CBLError.notFound, message: "A blob has no content that can be saved")
        }
        guard let digest = BlobDigest(text) else {
            throw NSError.couchbaseLite(code: CBLError.invalidParameter, message: "\(text) is not the digest of a blob")
        }
        return digest
    }

    /// What was put into the store of `database` is saved: the blob has its digest from now on.
    ///
    /// - Parameter keepsData: Whether a large content stays in memory. It must as long as no document refers to the blob: any
    ///   compaction may remove it from the store.
    func didSave(in database: Database, keepsData: Bool = false) {
        withState { state in
            guard let digest = state.installed else { return }
            state.installed = nil
            if state.data != nil || state.finished != nil { state.wasStored = true }
            state.digest = digest.string
            state.database = database
            state.finished = nil
            if !keepsData, let data = state.data, data.count > Self.cachedSize { state.data = nil }
        }
    }

    /// Whether the blob was read out of a document of `database`, so that saving it again stores nothing.
    func isFromDocument(of database: Database) -> Bool {
        withState { $0.database === database && $0.digest != nil && !$0.wasStored }
    }

    /// A misuse when the blob was stored in another database. Call it outside of locks.
    func checkDatabase(_ database: Database) {
        if isForeign(to: database) { ForeignBlob.fail() }
    }

    /// Whether the blob was stored in another database.
    func isForeign(to database: Database) -> Bool {
        withState { state in state.database.map { $0 !== database } ?? false }
    }
}

/// A document cannot be saved because of a blob that is stored in another database.
struct ForeignBlob: Error {
    /// What a resolver's document fails with (API 11).
    static let reason =
        "A document contains a blob that was saved to a different database. The save operation cannot complete."

    /// The same where it is a programming error (API 8). Call it outside of locks.
    static func fail() -> Never {
        _CBLMisuse.inconsistency(reason + " Make a new blob from its content.")
    }
}
