import DocumentStore

extension Blob {
    /// Writes the content to a temporary file in the directory of `store` if it is large or comes from a stream, so that
    /// ``install(in:of:)`` has little left to do. Should be called outside of transactions, so that other writers do not wait for it.
    ///
    /// - Throws: ``BlobError`` or the error of the blob's stream. A stream that failed cannot be read again, unless it is that of a file.
    func prepare(for store: BlobStore) throws {
        let (state, stream) = withContent { state in (state, state.takeStream()) }
        if let stream { return try write(stream, to: store) }
        let made: FinishedBlob?
        if let finished = state.file {
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
        if let made {
            let previous = withState { $0.setFile(made) }
            withExtendedLifetime(previous) {}
        }
    }

    /// Writes the content of a stream to a temporary file in the directory of `store`.
    private func write(_ stream: InputStream, to store: BlobStore) throws {
        // Optional, because a closure cannot consume a captured variable.
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
                state.content = .file(finished)
            }
        )
    }

    /// Stores the content in `store`, the blob store of `database`, unless it is already there. Until ``didSave(in:keepsData:)`` is called,
    /// the blob retains its content, so that a failed save can be repeated.
    ///
    /// - Throws: ``BlobError``; the error of the blob's stream; or an error if the blob has no content or is stored in another database.
    ///   The latter can be checked before a lock is taken, by ``Document/checkBlobs(belongTo:)``.
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

    /// Returns the digest that ``install(in:of:)`` will return. Reads content that was not read yet, as ``prepare(for:)`` does.
    ///
    /// - Throws: The errors of ``prepare(for:)``, or an error if the blob has no content.
    func digest(preparedFor store: BlobStore) throws -> BlobDigest {
        try prepare(for: store)
        let state = withContent { $0 }
        if let finished = state.file { return finished.digest }
        if let data = state.data { return data.withUnsafeBytes { BlobDigest(of: $0) } }
        return try Self.knownDigest(state)
    }

    private static func install(_ state: State, in store: BlobStore) throws -> BlobDigest {
        if let finished = state.file {
            // Another thread may have prepared the blob for another database since.
            try (finished.store === store ? finished : finished.copy(for: store)).install()
            return finished.digest
        }
        if let data = state.data { return try data.withUnsafeBytes { try store.store($0) } }
        let digest = try knownDigest(state)
        if state.wasStored, try !store.contains(digest) {
            throw NSError.couchbaseLite(
                code: CBLError.notFound,
                message: """
                    The content of the blob \(digest.string) is no longer in the database. A compaction deletes content that no document \
                    refers to; create a new blob.
                    """
            )
        }
        return digest
    }

    /// Returns the digest of a blob whose content is not in memory.
    private static func knownDigest(_ state: State) throws -> BlobDigest {
        guard let text = state.digest else {
            throw NSError.couchbaseLite(
                code: CBLError.notFound,
                message: "The blob cannot be saved: it has no content, or its stream could not be read"
            )
        }
        guard let digest = BlobDigest(text) else {
            throw NSError.couchbaseLite(code: CBLError.invalidParameter, message: "\"\(text)\" is not a valid blob digest")
        }
        return digest
    }

    /// Sets the digest of the content that was put into the store of `database`, after it was saved.
    ///
    /// - Parameter keepsData: Whether large content stays in memory. It must as long as no document refers to the blob, because a
    ///   compaction may delete it from the store.
    func didSave(in database: Database, keepsData: Bool = false) {
        let previous = withState { $0.didSave(in: database, keepsData: keepsData) }
        withExtendedLifetime(previous) {}
    }

    /// Ends the process (API 8) if the blob is stored in another database. Must be called without holding a lock.
    func checkDatabase(_ database: Database) {
        if isForeign(to: database) { ForeignBlob.fail() }
    }

    /// Returns whether the blob is stored in another database.
    func isForeign(to database: Database) -> Bool {
        withState { state in state.database.map { $0 !== database } ?? false }
    }
}

/// The error that a document contains a blob that is stored in another database.
struct ForeignBlob: Error {
    /// The message for a document that a conflict resolver returned (API 11).
    static let reason =
        "A document contains a blob that was saved to a different database. The save operation cannot complete."

    /// Ends the process, where a blob of another database is a programming error (API 8). Must be called without holding a lock.
    static func fail() -> Never {
        _CBLMisuse.inconsistency(reason + " Create a new blob from its content.")
    }
}
