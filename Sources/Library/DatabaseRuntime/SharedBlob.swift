import Base
package import DocumentStore
package import Foundation

/// The content of a blob, which several threads may use: its state, and the lock that guards it.
///
/// A stream is read by one thread without holding the lock, while the other threads wait for its content.
package final class SharedBlob: Sendable {
    private let state: Monitor<BlobState>
    /// The file from which a stream that failed can be opened again.
    private let fileURL: URL?

    /// Creates the content.
    ///
    /// - Parameter fileURL: The file of a stream in `state`, from which it can be read again if it fails; `nil`, the default, if there is
    ///   none.
    package init(_ state: BlobState, fileURL: URL? = nil) {
        self.state = Monitor(state)
        self.fileURL = fileURL
    }

    /// Runs `body` with the state while holding the lock. `body` must not do input or output, or call code of the app, or release a
    /// ``FinishedBlob``, which would delete its file.
    package func withState<Result: Sendable, Failure: Error>(
        _ body: (inout BlobState) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try state.withLock(body)
    }

    /// Runs `body` like ``withState(_:)``, after waiting until no other thread is reading the blob's stream.
    private func withContent<Result: Sendable, Failure: Error>(
        _ body: (inout BlobState) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try state.withLock(waitingWhile: \.isBusy, body)
    }

    // MARK: Reading

    /// Returns the content. Reads a stream that was not read yet; its content stays in memory. Keeps small content of a store.
    ///
    /// - Throws: ``BlobReadingError``.
    package func data() throws(BlobReadingError) -> Data {
        let (state, stream) = withContent { state in (state, state.beginReading()) }
        if let data = state.data { return data }
        if let stream {
            return try reading({ try contents(of: stream) }, .stream)
        }
        let reader = try open(state)
        let data = try reading({ try reader.read(reader.sizeInMemory()) }, .content(digest: state.digest))
        withState { $0.keep(data) }
        return data
    }

    /// Opens the content.
    ///
    /// - Returns: `nil` if it is a stream that was not read yet.
    /// - Throws: ``BlobReadingError``.
    package func openedIfRead() throws(BlobReadingError) -> OpenedBlob? {
        let state = withContent { $0 }
        if let data = state.data { return .data(data) }
        if case .stream = state.content { return nil }
        return .file(try open(state))
    }

    /// Opens the content.
    ///
    /// - Throws: `notFound` if the content is missing, or is a stream that was not read yet; `corruptData` or ``BlobError`` if it is
    ///   damaged.
    package func opened() throws -> OpenedBlob {
        let state = withContent { $0 }
        if let data = state.data { return .data(data) }
        return .file(try state.open())
    }

    private func open(_ state: BlobState) throws(BlobReadingError) -> BlobReader {
        try reading({ try state.open() }, .opening(digest: state.digest))
    }

    private func reading<Result>(_ body: () throws -> Result, _ step: BlobReadingError.Step) throws(BlobReadingError) -> Result {
        do { return try body() } catch { throw BlobReadingError(step: step, reason: error) }
    }

    private func contents(of stream: UnreadStream) throws -> Data {
        var data = Data()
        try read(stream) { stream in
            data = try stream.contents()
            return .data(data)
        }
        return data
    }

    /// Reads a stream that ``BlobState/beginReading()`` has handed to this thread, without holding the lock, and stores its content.
    private func read(_ unread: UnreadStream, by read: (InputStream) throws -> BlobContent) throws {
        let result = Result { try read(unread.stream) }
        var reopened: UnreadStream?
        if case .failure = result { reopened = fileURL.flatMap(InputStream.init(url:)).map(UnreadStream.init) }
        state.withLock { $0.finishReading(result, reopened: reopened) }
        state.wakeAll()
        _ = try result.get()
    }

    // MARK: Saving

    /// Writes the content to a temporary file in the directory of `store` if it is large or comes from a stream, so that
    /// ``install(in:of:)`` has little left to do. Should be called outside of transactions, so that other writers do not wait for it.
    ///
    /// - Throws: ``BlobError`` or the error of the blob's stream. A stream that failed cannot be read again, unless it is that of a file.
    package func prepare(for store: BlobStore) throws {
        let (state, stream) = withContent { state in (state, state.beginReading()) }
        if let stream {
            try read(stream) { .file(try $0.contents(in: store)) }
        } else if let file = try state.prepared(for: store) {
            let previous = withState { $0.setFile(file) }
            withExtendedLifetime(previous) {}
        }
    }

    /// Stores the content in `store`, the blob store of `database`, unless it is already there. Until ``didSave(in:keepsData:)`` is called,
    /// the blob retains its content, so that a failed save can be repeated.
    ///
    /// - Throws: ``BlobError``; the error of the blob's stream; or an error if the blob has no content or is stored in another database.
    ///   The latter can be checked before a lock is taken, with ``isForeign(to:)``.
    package func install(in store: BlobStore, of database: any BlobHost) throws -> BlobDigest {
        try prepare(for: store)
        let digest = try withContent { $0 }.install(in: store, of: database)
        withState { $0.installed = digest }
        return digest
    }

    /// Returns the digest that ``install(in:of:)`` will return. Reads content that was not read yet, as ``prepare(for:)`` does.
    ///
    /// - Throws: The errors of ``prepare(for:)``, or an error if the blob has no content.
    package func digest(preparedFor store: BlobStore) throws -> BlobDigest {
        try prepare(for: store)
        return try withContent { $0 }.expectedDigest
    }

    /// Sets the digest of the content that was put into the store of `database`, after it was saved. See
    /// ``BlobState/didSave(in:keepsData:)``.
    package func didSave(in database: any BlobHost, keepsData: Bool = false) {
        let previous = withState { $0.didSave(in: database, keepsData: keepsData) }
        withExtendedLifetime(previous) {}
    }

    /// Returns whether the blob is stored in another database.
    package func isForeign(to database: any BlobHost) -> Bool { withState { $0.isForeign(to: database) } }
}

/// The reason why the content of a blob cannot be read.
package struct BlobReadingError: Error {
    enum Step: Sendable {
        case stream
        case opening(digest: String?)
        case content(digest: String?)
    }

    let step: Step
    let reason: any Error

    /// The message for the log: what could not be read, and why.
    package var text: String {
        let reason = LibraryError.shown(reason).localizedDescription
        return switch step {
        case .stream: "The stream of a blob cannot be read: \(reason)"
        case .opening(let digest): "The content of the blob \(digest ?? "") cannot be opened: \(reason)"
        case .content(let digest): "The blob \(digest ?? "") cannot be read: \(reason)"
        }
    }
}
