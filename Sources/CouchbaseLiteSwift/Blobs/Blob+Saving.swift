import DatabaseRuntime
import DocumentStore

extension Blob {
    /// Writes the content to a temporary file in the directory of `store` if it is large or comes from a stream, so that
    /// ``install(in:of:)`` has little left to do. Should be called outside of transactions, so that other writers do not wait for it.
    ///
    /// - Throws: ``BlobError`` or the error of the blob's stream. A stream that failed cannot be read again, unless it is that of a file.
    func prepare(for store: BlobStore) throws {
        let (state, stream) = withContent { state in (state, state.takeStream()) }
        if let stream {
            _ = try read(stream) { try $0.contents(in: store) }
        } else if let file = try state.prepared(for: store) {
            let previous = withState { $0.setFile(file) }
            withExtendedLifetime(previous) {}
        }
    }

    /// Stores the content in `store`, the blob store of `database`, unless it is already there. Until ``didSave(in:keepsData:)`` is called,
    /// the blob retains its content, so that a failed save can be repeated.
    ///
    /// - Throws: ``BlobError``; the error of the blob's stream; or an error if the blob has no content or is stored in another database.
    ///   The latter can be checked before a lock is taken, by ``Document/checkBlobs(belongTo:)``.
    func install(in store: BlobStore, of database: Database) throws -> BlobDigest {
        try prepare(for: store)
        let digest = try withContent { $0 }.install(in: store, of: database)
        withState { $0.installed = digest }
        return digest
    }

    /// Returns the digest that ``install(in:of:)`` will return. Reads content that was not read yet, as ``prepare(for:)`` does.
    ///
    /// - Throws: The errors of ``prepare(for:)``, or an error if the blob has no content.
    func digest(preparedFor store: BlobStore) throws -> BlobDigest {
        try prepare(for: store)
        return try withContent { $0 }.expectedDigest
    }

    /// Sets the digest of the content that was put into the store of `database`, after it was saved. See
    /// ``BlobState/didSave(in:keepsData:)``.
    func didSave(in database: Database, keepsData: Bool = false) {
        let previous = withState { $0.didSave(in: database, keepsData: keepsData) }
        withExtendedLifetime(previous) {}
    }

    /// Ends the process (API 8) if the blob is stored in another database. Must be called without holding a lock.
    func checkDatabase(_ database: Database) { if isForeign(to: database) { ForeignBlob.fail() } }

    /// Returns whether the blob is stored in another database.
    func isForeign(to database: Database) -> Bool { withState { $0.isForeign(to: database) } }
}

extension Database: BlobHost {}

extension ForeignBlob {
    /// Ends the process, where a blob of another database is a programming error (API 8). Must be called without holding a lock.
    static func fail() -> Never { _CBLMisuse.inconsistency(reason + " Create a new blob from its content.") }
}
