import Base
import DatabaseRuntime
import DocumentStore
import Fleece

/// Binary content of any size, to which a document refers by its digest.
///
/// The content is stored outside of the document when the document is saved. Content to which several documents refer is stored once. A
/// blob is immutable and thread-safe.
///
/// ```swift
/// document.setBlob(Blob(contentType: "image/jpeg", data: jpeg), forKey: "avatar")
/// ```
public final class Blob: Equatable, Hashable, Sendable {
    /// The content and what is known about it.
    let shared: SharedBlob
    /// The MIME type of the content, such as `image/jpeg`; `nil` if the document does not specify it.
    public let contentType: String?
    /// The dictionary from which the blob was read, and which is written unchanged; `nil` for a blob that the app created.
    // `nonisolated(unsafe)` is safe because the value is a part of the source's data, which never changes.
    nonisolated(unsafe) private let stored: (source: FleeceSource, value: Value)?

    /// The value of the property ``typeProperty`` that marks a dictionary as a blob: `blob`.
    public static let blobType = BlobDictionary.typeValue
    /// The name of the property that contains the type: `@type`.
    public static let typeProperty = BlobDictionary.typeKey
    /// The name of the property that contains the digest: `digest`.
    public static let blobDigestProperty = BlobDictionary.digestKey
    /// The name of the property that contains the length: `length`.
    public static let blobLengthProperty = BlobDictionary.lengthKey
    /// The name of the property that contains the MIME type: `content_type`.
    public static let blobContentType = BlobDictionary.contentTypeKey

    /// Creates a blob with a MIME type, such as `image/jpeg`, and the content `data`.
    public convenience init(contentType: String, data: Data) {
        self.init(contentType, BlobState(length: UInt64(data.count), content: .data(data)))
    }

    /// Creates a blob from a stream. The stream is read once, when the blob is saved or its content is first read.
    ///
    /// - Parameters:
    ///   - contentType: The MIME type, such as `image/jpeg`.
    ///   - contentStream: The content. The stream may be open or not; the app must not use it any more.
    public convenience init(contentType: String, contentStream: InputStream) {
        self.init(contentType, BlobState(content: .stream(UnreadStream(contentStream))))
    }

    /// Creates a blob from a file. The file is read when the blob is saved or its content is first read.
    ///
    /// - Parameters:
    ///   - contentType: The MIME type, such as `image/jpeg`.
    ///   - fileURL: The URL of the file. A URL that is not a file URL is a programming error and ends the process; see
    ///     ``init(contentType:validating:)``.
    /// - Throws: ``CBLError/cantOpenFile`` if no stream can be created for the file. Whether the file can be read is not checked yet.
    public convenience init(contentType: String, fileURL: URL) throws {
        guard fileURL.isFileURL else { _CBLMisuse.invalidArgument("\(fileURL) is not a file URL.") }
        try self.init(contentType, file: fileURL)
    }

    /// Creates a blob from a file that may not exist, or a URL that may not be that of a file; see ``init(contentType:fileURL:)``.
    ///
    /// - Throws: ``CBLError/invalidURL`` if it is not a file URL; ``CBLError/cantOpenFile`` if the file does not exist, is a directory, or
    ///   cannot be read.
    public convenience init(contentType: String, validating fileURL: URL) throws {
        try throwingPublicErrors { try InputStream.checkFile(fileURL) }
        try self.init(contentType, file: fileURL)
    }

    private convenience init(_ contentType: String, file fileURL: URL) throws {
        let stream = try throwingPublicErrors { try InputStream.stream(ofFile: fileURL) }
        self.init(contentType, BlobState(content: .stream(UnreadStream(stream))), fileURL: fileURL)
    }

    /// Creates a blob whose content is in a temporary file that only has to be moved into the store.
    convenience init(contentType: String, finished: FinishedBlob) {
        self.init(contentType, BlobState(length: finished.size, content: .file(finished)))
    }

    /// Creates a blob whose content is stored in `database`.
    convenience init(digest: String, length: UInt64, contentType: String?, database: Database) {
        self.init(contentType, BlobState(digest: digest, length: length, database: database, wasStored: true))
    }

    /// Creates the blob that a dictionary of the app describes; see ``isBlob(properties:)``.
    convenience init(properties: [String: Any]) {
        self.init(properties[Blob.blobContentType] as? String, BlobState(describedBy: properties))
    }

    /// Creates the blob that a stored dictionary describes. `value` must be a part of the source's data.
    convenience init(source: FleeceSource, value: Value) {
        let dictionary = value.dictionary
        let contentType = dictionary?.value(for: BlobDictionary.contentTypeKey, sharedKeys: source.sharedKeys)?.string
        self.init(contentType, BlobState(storedAs: dictionary, source.sharedKeys, in: source.blobHost), stored: (source, value))
    }

    private init(_ contentType: String?, _ state: BlobState, stored: (source: FleeceSource, value: Value)? = nil, fileURL: URL? = nil) {
        self.contentType = contentType
        self.stored = stored
        shared = SharedBlob(state, fileURL: fileURL)
    }

    /// Whether the app has created the blob, and it was never saved.
    var isNew: Bool { stored == nil && digest == nil }

    /// The size of the content, in bytes; 0 for a stream that has not been read yet.
    public var length: UInt64 { shared.withState { $0.length } }

    /// The digest of the content: `sha1-` followed by the SHA-1 hash in base64. `nil` until the content is stored.
    public var digest: String? { shared.withState { $0.digest } }

    /// The properties `digest`, `length` and `content_type`, as far as they are known. A length of 0 is omitted.
    public var properties: [String: Any] { shared.withState { $0 }.properties(contentType: contentType) }

    /// Returns whether a dictionary describes a blob.
    ///
    /// It does if `@type` is `"blob"`, `digest` is a string or `data` contains the content itself, and `length` and `content_type`, if they
    /// exist, are a number and a string.
    public static func isBlob(properties: [String: Any]) -> Bool { BlobState.description(in: properties) != nil }

    // MARK: Encoding

    /// Writes the dictionary that represents the blob, after its content was stored.
    func encode(into encoder: inout Encoder, _ context: inout EncodingContext, saving save: BlobSaver) throws {
        if let stored {
            if shared.withState({ $0.data == nil }) { _ = try save(self) }
            return context.copy(stored.value, of: stored.source.data, stored.source.sharedKeys, into: &encoder)
        }
        if context.inlinesNewBlobs, digest == nil { return try encodeWithContent(into: &encoder) }
        BlobDictionary.write(.digest(try save(self)), length: length, contentType: contentType, into: &encoder)
    }

    /// Writes the dictionary that represents a blob without a digest, including its content.
    private func encodeWithContent(into encoder: inout Encoder) throws {
        guard let content else { throw LibraryError(CBLError.ioError, "The content of a blob cannot be read") }
        content.withUnsafeBytes { bytes in
            BlobDictionary.write(.inline(bytes), length: UInt64(bytes.count), contentType: contentType, into: &encoder)
        }
    }

    /// Returns the dictionary that represents the blob in documents, as JSON.
    ///
    /// Calling this for a blob that the app created and never saved, which has no digest, is a programming error and ends the process. A
    /// blob whose content the document itself contains, without a digest, is returned as the document contains it.
    public func toJSON() -> String {
        let (digest, length) = shared.withState { ($0.digest, $0.length) }
        if digest == nil, let stored { return stored.source.json(stored.value) ?? "{}" }
        guard let digest else { _CBLMisuse.inconsistency("toJSON() cannot be called on a blob that has not been saved.") }
        return BlobDictionary.json(digest: digest, length: length, contentType: contentType)
    }
}

extension Blob {
    /// Returns whether two blobs have the same content. Digests are compared if both blobs are stored; otherwise the content is read. A
    /// blob whose content cannot be read is equal only to itself.
    public static func == (blob1: Blob, blob2: Blob) -> Bool {
        if blob1 === blob2 { return true }
        guard let digest1 = blob1.contentDigest, let digest2 = blob2.contentDigest else { return false }
        return digest1 == digest2
    }

    /// Feeds the digest of the content into `hasher`. The content is read if it is not stored yet.
    public func hash(into hasher: inout Hasher) { hasher.combine(contentDigest) }

    /// The digest; computed from the content if the blob is not stored yet. Equal digests mean equal contents.
    private var contentDigest: ExactString? {
        if let digest { return ExactString(digest) }
        return content.map { data in data.withUnsafeBytes { ExactString(BlobDigest(of: $0).string) } }
    }
}

extension Blob {
    /// Ends the process (API 8) if the blob is stored in another database. Must be called without holding a lock.
    func checkDatabase(_ database: Database) { if shared.isForeign(to: database) { ForeignBlob.fail() } }
}

extension Database: BlobHost {}

extension ForeignBlob {
    /// Ends the process, where a blob of another database is a programming error (API 8). Must be called without holding a lock.
    static func fail() -> Never { _CBLMisuse.inconsistency(reason + " Create a new blob from its content.") }
}
