import DocumentStore

extension Blob {
    /// Stores the content in `store`, that of `database`, unless it is there already, and gives the blob its digest.
    ///
    /// - Throws: ``BlobError``, the error of the blob's stream, or an error when there is no content or it is stored in
    ///   another database; ``Document/checkBlobs(belongTo:)`` tells the latter before anything is locked.
    @discardableResult
    func store(in store: BlobStore, of database: Database) throws -> BlobDigest {
        try withState { state in
            if let own = state.database, own !== database {
                throw NSError.couchbaseLite(code: CBLError.invalidParameter, message: Self.foreignReason)
            }
            if state.database === database, let digest = state.digest { return try Self.parse(digest) }
            let digest: BlobDigest
            if let data = state.data {
                digest = try data.withUnsafeBytes { try store.store($0) }
                if data.count > Self.cachedSize { state.data = nil }
            } else if let stream = state.stream {
                digest = try Self.store(stream, in: store, length: &state.length)
                state.stream = nil
            } else if let text = state.digest {
                // A reference to what another document of the database stored.
                digest = try Self.parse(text)
            } else {
                throw NSError.couchbaseLite(code: CBLError.notFound, message: "A blob has no content that can be saved")
            }
            state.digest = digest.string
            state.database = database
            return digest
        }
    }

    /// Whether the content is known to be stored in `database`.
    func isStored(in database: Database) -> Bool {
        withState { $0.database === database && $0.digest != nil }
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

    private static func parse(_ digest: String) throws -> BlobDigest {
        if let parsed = BlobDigest(digest) { return parsed }
        throw NSError.couchbaseLite(code: CBLError.invalidParameter, message: "\(digest) is not the digest of a blob")
    }

    private static func store(_ stream: InputStream, in store: BlobStore, length: inout UInt64) throws -> BlobDigest {
        var writer = try BlobWriter(store: store)
        try stream.forEachPiece { try writer.write($0) }
        length = writer.count
        return try writer.install()
    }
}
