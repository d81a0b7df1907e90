import DocumentStore

extension Blob {
    /// Writes a content that is large, or comes out of a stream, to a file beside the others of `store`, so that little is left to be
    /// done by ``install(in:of:)``. Call it outside of transactions: nobody else should wait for it.
    ///
    /// - Throws: ``BlobError`` or the error of the blob's stream. A stream that failed is spent, unless it is that of a file.
    func prepare(for store: BlobStore) throws {
        try withState { state in
            if let finished = state.finished {
                if finished.store !== store { state.finished = try finished.copy(for: store) }
            } else if let stream = state.stream {
                state.stream = nil
                do {
                    var writer = try BlobWriter(store: store)
                    try stream.forEachPiece { try writer.write($0) }
                    state.length = writer.count
                    state.finished = try writer.finish()
                } catch {
                    state.stream = state.fileURL.flatMap(InputStream.init(url:))
                    throw error
                }
            } else if let data = state.data, data.count > Self.cachedSize, !state.wasStored {
                try data.withUnsafeBytes { bytes in
                    let digest = BlobDigest(of: bytes)
                    guard try !store.contains(digest) else { return }
                    var writer = try BlobWriter(store: store, digest: digest)
                    try writer.write(bytes)
                    state.finished = try writer.finish()
                }
            }
        }
    }

    /// Puts the content into `store`, that of `database`, unless it is there already. The blob keeps what it has, for another try,
    /// until ``didSave(in:keepsData:)``.
    ///
    /// - Throws: ``BlobError``, the error of the blob's stream, or an error when there is no content or it is stored in
    ///   another database; ``Document/checkBlobs(belongTo:)`` tells the latter before anything is locked.
    func install(in store: BlobStore, of database: Database) throws -> BlobDigest {
        try prepare(for: store)
        return try withState { state in
            if let own = state.database, own !== database {
                throw NSError.couchbaseLite(code: CBLError.invalidParameter, message: Self.foreignReason)
            }
            let digest = try Self.install(state, in: store)
            state.installed = digest
            return digest
        }
    }

    private static func install(_ state: State, in store: BlobStore) throws -> BlobDigest {
        if let finished = state.finished {
            try finished.install()
            return finished.digest
        }
        if let data = state.data { return try data.withUnsafeBytes { try store.store($0) } }
        guard let text = state.digest else {
            throw NSError.couchbaseLite(code: CBLError.notFound, message: "A blob has no content that can be saved")
        }
        guard let digest = BlobDigest(text) else {
            throw NSError.couchbaseLite(code: CBLError.invalidParameter, message: "\(text) is not the digest of a blob")
        }
        if state.wasStored, try !store.contains(digest) {
            throw NSError.couchbaseLite(
                code: CBLError.notFound,
                message: """
                    The content of the blob \(text) is not in the database any more. A compaction removes what no document \
                    refers to: make a new blob.
                    """
            )
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
        guard let own = withState({ $0.database }), own !== database else { return }
        Self.failForeign()
    }

    static func failForeign() -> Never {
        _CBLMisuse.inconsistency(foreignReason)
    }

    private static let foreignReason = """
        A document contains a blob that was saved to a different database. The save operation cannot complete. \
        Make a new blob from its content.
        """
}
