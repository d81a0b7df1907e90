import DocumentStore
import Fleece
import SQLiteEngine

/// Binary content of any size, which a document refers to by its digest.
///
/// The content is stored beside the document, once however many documents refer to it, when the document is saved.
/// Immutable and safe to use from any thread.
///
/// ```swift
/// document.setBlob(Blob(contentType: "image/jpeg", data: jpeg), forKey: "avatar")
/// ```
public final class Blob: Equatable, Hashable, @unchecked Sendable {
    // Unchecked because everything that changes is in `state`, which `lock` guards.
    private let lock = ConditionLock()
    private var state: State
    /// The kind of content, as in `image/jpeg`.
    public let contentType: String?
    /// The dictionary that was read, to be written as it is; nil for blobs made by the app.
    private let stored: (source: FleeceSource, value: Value)?

    /// How large a content may be to stay in memory once it is stored.
    static let cachedSize = 8192
    /// How much of a stream is stored at a time.
    static let pieceSize = 65536

    struct State {
        /// As it is written in documents; nil until the content is stored.
        var digest: String?
        var length: UInt64 = 0
        var data: Data?
        var stream: InputStream?
        /// The thread that reads the stream just now. Others know no content until it is done.
        var readingThread: UInt?
        /// Where a stream that failed can be had anew.
        var fileURL: URL?
        /// The content in a file that only has to be put into the store.
        var finished: FinishedBlob?
        /// The digest of what was put into the store, for a document whose save may still fail.
        var installed: BlobDigest?
        /// Where the content is stored.
        var database: Database?
        /// Whether this object had the content stored, or found it there. Not so for one that a document refers to, which has
        /// to be kept as it is even when its content is missing.
        var wasStored = false
    }

    /// The value of the property ``typeProperty`` by which a dictionary says that it is a blob.
    public static let blobType = BlobDictionary.typeValue
    /// The key `@type`.
    public static let typeProperty = BlobDictionary.typeKey
    /// The key `digest`.
    public static let blobDigestProperty = BlobDictionary.digestKey
    /// The key `length`.
    public static let blobLengthProperty = BlobDictionary.lengthKey
    /// The key `content_type`.
    public static let blobContentType = BlobDictionary.contentTypeKey

    /// A blob with the content `data`.
    public init(contentType: String, data: Data) {
        self.contentType = contentType
        stored = nil
        state = State(length: UInt64(data.count), data: data)
    }

    /// A blob with what can be read from a stream, which need not be open. It is read once, when the blob is saved or its
    /// content is asked for.
    public init(contentType: String, contentStream: InputStream) {
        self.contentType = contentType
        stored = nil
        state = State(stream: contentStream)
    }

    /// A blob with the content of a file. It is read when the blob is saved or its content is asked for.
    ///
    /// - Throws: When no stream can be made for the file. That it cannot be read shows when it is read.
    public convenience init(contentType: String, fileURL: URL) throws {
        guard fileURL.isFileURL else { _CBLMisuse.invalidArgument("\(fileURL) is not a file URL.") }
        guard let stream = InputStream(url: fileURL) else {
            throw NSError.couchbaseLite(code: CBLError.cantOpenFile, message: "Cannot read \(fileURL.path)")
        }
        self.init(contentType: contentType, contentStream: stream)
        state.fileURL = fileURL
    }

    /// A blob with a content that only has to be put into the store.
    init(contentType: String, finished: FinishedBlob) {
        self.contentType = contentType
        stored = nil
        state = State(length: finished.size, finished: finished)
    }

    /// A blob whose content is stored in `database`.
    init(digest: BlobDigest, length: UInt64, contentType: String?, database: Database) {
        self.contentType = contentType
        stored = nil
        state = State(digest: digest.string, length: length, database: database, wasStored: true)
    }

    /// The blob that a dictionary of the app describes; see ``isBlob(properties:)``.
    init(properties: [String: Any]) {
        contentType = properties[Self.blobContentType] as? String
        stored = nil
        state = State(
            digest: properties[Self.blobDigestProperty] as? String,
            length: (properties[Self.blobLengthProperty] as? NSNumber)?.uint64Value ?? 0,
            data: Self.inlineContent(properties[BlobDictionary.dataKey])
        )
    }

    /// The blob that a stored dictionary describes. `value` must be a part of the source's data.
    init(source: FleeceSource, value: Value) {
        func property(_ key: String) -> Value? {
            value.dictionary?.value(for: key, sharedKeys: source.sharedKeys)
        }
        contentType = property(BlobDictionary.contentTypeKey)?.string
        stored = (source, value)
        let data = property(BlobDictionary.dataKey)
        state = State(
            digest: property(BlobDictionary.digestKey)?.string,
            length: UInt64(clamping: property(BlobDictionary.lengthKey)?.int64 ?? 0),
            data: data?.dataBytes.map { Data($0) } ?? Self.inlineContent(data?.string),
            database: source.database
        )
    }

    /// Content that stands in the document itself, as base64.
    private static func inlineContent(_ value: Any?) -> Data? {
        if let data = value as? Data { return data }
        return (value as? String).flatMap { Data(base64Encoded: $0) }
    }

    /// How many bytes the content has; 0 for a stream that was not read yet.
    public var length: UInt64 { withState { $0.length } }

    /// `sha1-` and the SHA-1 of the content in base64; nil until it is stored.
    public var digest: String? { withState { $0.digest } }

    /// `digest`, `length` unless it is 0, and `content_type`, as far as they are known.
    public var properties: [String: Any] {
        let (digest, length) = withState { ($0.digest, $0.length) }
        var properties: [String: Any] = [:]
        properties[Self.blobDigestProperty] = digest
        if length > 0 { properties[Self.blobLengthProperty] = NSNumber(value: length) }
        properties[Self.blobContentType] = contentType
        return properties
    }

    /// Whether a dictionary describes a blob: its `@type` is `blob`, it has a `digest`, or the content itself under
    /// `data`, and `length` and `content_type` have the right types if they are there.
    public static func isBlob(properties: [String: Any]) -> Bool {
        guard let type = properties[typeProperty] as? String, type == blobType else { return false }
        guard properties[blobDigestProperty] is String || inlineContent(properties[BlobDictionary.dataKey]) != nil
        else { return false }
        if let length = properties[blobLengthProperty], !(length is NSNumber) { return false }
        if let contentType = properties[blobContentType], !(contentType is String) { return false }
        return true
    }

    /// Runs `body` with the state, under the lock: nothing is read or written in there, and no code of the app is called.
    func withState<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        try lock.withLock { try body(&state) }
    }

    /// As ``withState(_:)``, once no other thread reads the blob's stream. The thread that reads it does not wait for itself: to a stream
    /// that asks the blob it belongs to, the blob has no content yet.
    func withContent<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        while let reader = state.readingThread, reader != currentThreadNumber() { lock.wait() }
        return try body(&state)
    }

    /// Reads the stream, which ``State/takeStream()`` has given to this thread, piece by piece and without the lock, and then puts what
    /// came of it into the state.
    func read<Result>(
        _ stream: InputStream,
        _ body: (UnsafeRawBufferPointer) throws -> Void,
        finish: () throws -> Result,
        store: (inout State, Result) -> Void
    ) throws {
        let result = Swift.Result {
            try stream.forEachPiece(body)
            return try finish()
        }
        lock.withLock {
            state.readingThread = nil
            switch result {
            case .success(let value): store(&state, value)
            case .failure: state.stream = state.fileURL.flatMap(InputStream.init(url:))
            }
            lock.wakeAll()
        }
        _ = try result.get()
    }

    /// Says something in the log. Outside of the lock: who hears it may ask for this very blob.
    func warn(_ message: String) {
        Log.log(domain: .database, level: .warning, message: message)
    }

    // MARK: Encoding

    /// Writes the dictionary that stands for the blob, after its content has been stored.
    func encode(into encoder: inout Encoder, _ context: inout EncodingContext, saving save: BlobSaver) throws {
        if let stored {
            if withState({ $0.data == nil }) { _ = try save(self) }
            return context.copy(stored.value, of: stored.source, into: &encoder)
        }
        if context.inlinesNewBlobs, digest == nil { return try encodeWithContent(into: &encoder) }
        let digest = try save(self)
        encoder.beginDictionary()
        encoder.writeKey(BlobDictionary.typeKey)
        encoder.write(BlobDictionary.typeValue)
        encoder.writeKey(BlobDictionary.digestKey)
        encoder.write(digest.string)
        encoder.writeKey(BlobDictionary.lengthKey)
        encoder.write(unsigned: length)
        if let contentType {
            encoder.writeKey(BlobDictionary.contentTypeKey)
            encoder.write(contentType)
        }
        encoder.endDictionary()
    }

    /// Writes the dictionary that stands for a blob without a digest, the content in it.
    private func encodeWithContent(into encoder: inout Encoder) throws {
        guard let content else { throw NSError.couchbaseLite(code: CBLError.ioError, message: "The content of a blob cannot be read") }
        encoder.beginDictionary()
        encoder.writeKey(BlobDictionary.typeKey)
        encoder.write(BlobDictionary.typeValue)
        encoder.writeKey(BlobDictionary.dataKey)
        content.withUnsafeBytes { encoder.write(data: $0) }
        encoder.writeKey(BlobDictionary.lengthKey)
        encoder.write(unsigned: UInt64(content.count))
        if let contentType {
            encoder.writeKey(BlobDictionary.contentTypeKey)
            encoder.write(contentType)
        }
        encoder.endDictionary()
    }

    /// The blob as JSON. Not before it was saved, which is a misuse.
    public func toJSON() -> String {
        let (digest, length) = withState { ($0.digest, $0.length) }
        guard let digest else { _CBLMisuse.inconsistency("toJSON is not for blobs that were not saved.") }
        var writer = JSONWriter(capacity: 128)
        writer.append(raw: "{\"@type\":\"blob\",\"digest\":")
        writer.append(digest)
        writer.append(raw: ",\"length\":")
        writer.append(unsigned: length)
        if let contentType {
            writer.append(raw: ",\"content_type\":")
            writer.append(contentType)
        }
        writer.append(raw: "}")
        return writer.string
    }
}
