import Base
package import DocumentStore
package import Foundation

/// A database in which blobs are stored.
package protocol BlobHost: AnyObject, Sendable {
    /// Returns the file of the database.
    ///
    /// - Throws: `notOpen` if the database is closed.
    func openFile() throws(StoreError) -> DatabaseFile
}

/// A stream that has not been read yet.
///
/// `@unchecked Sendable`: ``BlobState/beginReading()`` hands it to one thread, and only that thread uses it.
package struct UnreadStream: @unchecked Sendable {
    let stream: InputStream

    /// Creates it for a stream that nobody else uses from now on.
    package init(_ stream: InputStream) { self.stream = stream }
}

/// The content of a blob, as far as the object itself has it.
package enum BlobContent: Sendable {
    /// The object does not have the content: it is in the database, or it is missing, or its stream failed.
    case absent
    /// The content in memory, and perhaps a copy of it in a temporary file.
    case data(Data, copy: FinishedBlob? = nil)
    /// The content has not been read yet.
    case stream(UnreadStream)
    /// A thread is reading the stream. Other threads wait until it is done.
    case reading(thread: UInt)
    /// The content in a temporary file that only has to be moved into the store.
    case file(FinishedBlob)
}

/// What is known of a blob, and where its content is.
package struct BlobState: Sendable {
    /// The digest in the form in which documents contain it; `nil` until the content is stored.
    package private(set) var digest: String?
    /// The size of the content in bytes; 0 if it is not known.
    package private(set) var length: UInt64
    /// Where the content is, as far as this object knows.
    package private(set) var content: BlobContent
    /// The digest of the content that was put into the store for a document whose save may still fail.
    package var installed: BlobDigest?
    private var database: (any BlobHost)?
    /// Whether the content was stored through this object, or was found in the store. `false` for a blob that was read from a document:
    /// such a blob can be saved again even if its content is missing.
    private var wasStored: Bool

    /// The maximum size, in bytes, of content that stays in memory after it was stored.
    private static let cachedSize = 8192

    /// Creates the state of a blob.
    ///
    /// - Parameters:
    ///   - database: The database that has the content, or may have it; `nil` if there is none.
    ///   - wasStored: Whether the content is known to be in that database.
    package init(
        digest: String? = nil,
        length: UInt64 = 0,
        content: BlobContent = .absent,
        database: (any BlobHost)? = nil,
        wasStored: Bool = false
    ) {
        self.digest = digest
        self.length = length
        self.content = content
        self.database = database
        self.wasStored = wasStored
    }

    /// The content in memory; `nil` if it is not there.
    package var data: Data? {
        if case .data(let data, copy: _) = content { data } else { nil }
    }

    /// The temporary file with the content; `nil` if there is none.
    private var file: FinishedBlob? {
        switch content {
        case .file(let file): file
        case .data(_, copy: let copy): copy
        case .absent, .stream, .reading: nil
        }
    }

    /// Whether only the digest of the blob is known, but no database that may contain the content.
    package var isDetached: Bool {
        if case .absent = content { database == nil && digest != nil } else { false }
    }

    /// Returns whether the blob is stored in another database.
    package func isForeign(to other: any BlobHost) -> Bool { database.map { $0 !== other } ?? false }

    // MARK: Reading

    /// Whether another thread is reading the stream. The thread that reads it does not wait for itself: for a stream that accesses its own
    /// blob, the blob has no content yet.
    package var isBusy: Bool {
        if case .reading(let reader) = content { reader != currentThreadNumber() } else { false }
    }

    /// Hands the stream to the calling thread, if there is one; the thread must read it, and then call ``finishReading(_:reopened:)``.
    package mutating func beginReading() -> UnreadStream? {
        guard case .stream(let stream) = content else { return nil }
        content = .reading(thread: currentThreadNumber())
        return stream
    }

    /// Stores what was read from the stream or, if that failed, the stream that was opened again.
    package mutating func finishReading(_ result: Result<BlobContent, any Error>, reopened: UnreadStream?) {
        switch result {
        case .success(let read):
            content = read
            length = data.map { UInt64($0.count) } ?? file?.size ?? 0
        case .failure: content = reopened.map(BlobContent.stream) ?? .absent
        }
    }

    /// Keeps stored content in memory if it is small. It cannot become outdated, because a digest identifies its content.
    package mutating func keep(_ data: Data) {
        if case .absent = content, data.count <= Self.cachedSize, digest != nil { content = .data(data) }
    }

    /// Opens the file of the content.
    ///
    /// - Throws: An error that names the digest if the content is missing, or if its size is not the one in the document.
    package func open() throws -> BlobReader {
        if let file { return try file.reader() }
        guard let digest, let database else { throw BlobContentError.notSaved }
        let store = try database.openFile().blobs
        guard let reader = try BlobDigest(digest).flatMap({ try store.reader(of: $0) }) else { throw BlobContentError.missing(digest) }
        guard length == 0 || length == reader.size else { throw BlobContentError.wrongSize(digest, actual: reader.size, stated: length) }
        return reader
    }

    // MARK: Saving

    /// Returns a temporary file with the content in the directory of `store`; `nil` if none is needed, because the content is small or
    /// already stored.
    package func prepared(for store: BlobStore) throws -> FinishedBlob? {
        if let file { return file.store === store ? nil : try file.copy(for: store) }
        // Content that this process does not know is verified here, and not in the transaction.
        if wasStored, data == nil, let digest, let known = BlobDigest(digest) { _ = try store.ensureStored(known) }
        guard let data, data.count > Self.cachedSize, !wasStored else { return nil }
        return try data.withUnsafeBytes { bytes in
            let digest = BlobDigest(of: bytes)
            guard try !store.contains(digest) else { return nil }
            var writer = try BlobWriter(store: store, digest: digest)
            try writer.write(bytes)
            return try writer.finish()
        }
    }

    /// Sets the temporary file, unless another thread has stored the content since: then the file is not needed.
    ///
    /// - Returns: The previous content, which must be released without holding the lock.
    package mutating func setFile(_ file: FinishedBlob) -> BlobContent {
        let previous = content
        if wasStored { return previous }
        if case .data(let data, copy: _) = previous {
            content = .data(data, copy: file)
        } else {
            content = .file(file)
        }
        return previous
    }

    /// Stores the content in `store`, the blob store of `database`, unless it is already there, and returns its digest.
    package func install(in store: BlobStore, of database: any BlobHost) throws -> BlobDigest {
        if isForeign(to: database) { throw ForeignBlob() }
        if let file {
            // Another thread may have prepared the blob for another database since.
            try (file.store === store ? file : file.copy(for: store)).install()
            return file.digest
        }
        if let data { return try data.withUnsafeBytes { try store.store($0) } }
        let digest = try knownDigest
        if wasStored, try !store.ensureStored(digest) { throw BlobContentError.removed(digest) }
        return digest
    }

    /// The digest that ``install(in:of:)`` will return. Content that was not read yet has none.
    package var expectedDigest: BlobDigest {
        get throws {
            if let file { return file.digest }
            if let data { return data.withUnsafeBytes { BlobDigest(of: $0) } }
            return try knownDigest
        }
    }

    /// The digest of a blob whose content is not in memory.
    private var knownDigest: BlobDigest {
        get throws {
            guard let digest else { throw BlobContentError.noContent }
            guard let known = BlobDigest(digest) else { throw BlobContentError.invalidDigest(digest) }
            return known
        }
    }

    /// Records that the content was saved in `database`, if it was put into its store before.
    ///
    /// - Parameter keepsData: Whether large content stays in memory. It must as long as no document refers to the blob, because a
    ///   compaction may delete it from the store.
    /// - Returns: The previous content, which must be released without holding the lock.
    package mutating func didSave(in database: any BlobHost, keepsData: Bool) -> BlobContent? {
        guard let stored = installed else { return nil }
        let previous = content
        installed = nil
        switch previous {
        case .data(let data, copy: _):
            wasStored = true
            content = keepsData || data.count <= Self.cachedSize ? .data(data) : .absent
        case .file:
            wasStored = true
            content = .absent
        case .absent, .stream, .reading: break
        }
        digest = stored.string
        self.database = database
        return previous
    }
}

/// The error that a document contains a blob that is stored in another database.
package struct ForeignBlob: Error {
    /// The message for a document that a conflict resolver returned (API 11).
    package static let reason =
        "A document contains a blob that was saved to a different database. The save operation cannot complete."

    package init() {}
}

/// The content of a blob cannot be read or stored.
package enum BlobContentError: Error, CustomStringConvertible {
    /// The blob belongs to no database yet, and has no content in memory.
    case notSaved
    /// The content with this digest is not in the database.
    case missing(_ digest: String)
    /// The file of the content has another size than the document says.
    case wrongSize(_ digest: String, actual: UInt64, stated: UInt64)
    /// The content was stored, and a compaction has removed it since.
    case removed(BlobDigest)
    /// A blob without content, or whose stream could not be read, is to be stored.
    case noContent
    /// A document or an app has given this text as a digest.
    case invalidDigest(String)
    /// The app's stream has failed and does not say why.
    case streamFailed
    /// The app has given a URL that is not that of a file.
    case notAFileURL(URL)
    /// The app has given the path of a file that does not exist.
    case noFile(String)
    /// The app has given the path of a file that cannot be opened.
    case unreadableFile(String)

    package var description: String {
        switch self {
        case .notSaved: "The content of a blob cannot be read before the blob is saved"
        case .missing(let digest): "The content of the blob \(digest) is missing"
        case .wrongSize(let digest, let actual, let stated):
            "The content of the blob \(digest) has \(actual) bytes instead of \(stated)"
        case .removed(let digest):
            """
            The content of the blob \(digest.string) is no longer in the database. A compaction deletes content that no document \
            refers to; create a new blob.
            """
        case .noContent: "The blob cannot be saved: it has no content, or its stream could not be read"
        case .invalidDigest(let text): "\"\(text)\" is not a valid blob digest"
        case .streamFailed: "The input stream failed without reporting an error"
        case .notAFileURL(let url): "\(url) is not a file URL."
        case .noFile(let path): "There is no file \(path)"
        case .unreadableFile(let path): "Cannot read \(path)"
        }
    }
}
