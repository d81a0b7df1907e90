#if Replication
import DocumentStore
import Base
import Fleece
import WebServer

/// A document whose attachments follow it in a multipart body, as clients of CouchDB send it: the first part is the document, in which the entries of
/// `_attachments` have `"follows":true`, and the other parts are their contents.
struct MultipartDocument {
    /// The content of an attachment.
    struct Content {
        /// The name in the header of the part; `nil` if there is none.
        let name: String?
        let digest: BlobDigest
        let length: UInt64
    }

    /// The maximum number of contents. Each one needs a file descriptor until the document is stored.
    static let maximumContents = 100

    let json: [UInt8]
    private let contents: [Content]
    /// The contents, which become blobs when the document is stored.
    let uploaded: ReceivedContents

    /// Reads a body.
    ///
    /// - Parameter limits: The maximum size of the document, and of each content, in bytes.
    /// - Throws: ``WebError`` 400 if the body is not valid, 413 if a part is too large, 503 if there is not enough memory.
    init(_ reader: consuming MultipartReader, _ blobs: BlobStore, limits: (document: Int, content: Int)) async throws {
        guard try await reader.nextPart() != nil else { throw HubError.badRequest("The multipart body has no parts") }
        var json: [UInt8] = []
        while let piece = try await reader.nextPiece() {
            guard json.count + piece.count <= limits.document else { throw WebError(413, "The document is too large") }
            guard reader.body.reserve(piece.count) else {
                throw WebError(503, "Too many large requests at the same time", headers: [("Retry-After", "5")])
            }
            json += piece
        }
        var contents: [Content] = []
        var uploaded = ReceivedContents()
        while let header = try await reader.nextPart() {
            guard contents.count < Self.maximumContents else {
                throw HubError.badRequest("A multipart body has at most \(Self.maximumContents) attachments")
            }
            var writer = try BlobWriter(store: blobs)
            while let piece = try await reader.nextPiece() {
                guard writer.count + UInt64(piece.count) <= UInt64(limits.content) else {
                    throw WebError(413, "An attachment is too large")
                }
                try writer.write(piece)
            }
            let file = try writer.finish()
            let name = header["content-disposition"].flatMap { HeaderParameter.value("filename", in: $0) }
            contents.append(Content(name: name, digest: file.digest, length: file.size))
            uploaded.add(file)
        }
        try await reader.finish()
        (self.json, self.contents, self.uploaded) = (json, contents, uploaded)
    }

    /// Returns the contents of the entries that have `"follows":true`: those with the name of the entry, and the others in the order in which the
    /// document has the entries.
    ///
    /// - Throws: ``WebError`` 400 if the numbers differ.
    func contents(of entries: DictionaryValue?) throws -> [ExactString: Content] {
        // The members of an object are sorted by their names; their positions show the order in which they were written.
        let names = (entries?.pairs ?? []).filter { $1.dictionary?.value(for: "follows")?.boolean == true }
            .sorted { $0.value.position < $1.value.position }.compactMap { $0.key.text(.empty) }
        guard names.count == contents.count else {
            throw HubError.badRequest("The document has \(names.count) attachments that follow, and the body \(contents.count)")
        }
        var found: [ExactString: Content] = [:]
        for content in contents {
            if let name = content.name, names.contains(where: { $0.isExactly(name) }) { found[ExactString(name)] = content }
        }
        var unnamed = contents.filter { content in
            content.name.map { name in !names.contains { $0.isExactly(name) } } ?? true
        }[...]
        for name in names where found[ExactString(name)] == nil { found[ExactString(name)] = unnamed.popFirst() }
        guard found.count == names.count else { throw HubError.badRequest("Two parts are the content of the same attachment") }
        return found
    }

    /// Checks what an entry says about its content.
    ///
    /// - Throws: ``WebError`` 400 if the digest or the length is another one.
    static func check(_ entry: DictionaryValue, _ content: Content, name: String) throws {
        let digest = entry.value(for: "digest")?.string
        // CouchDB's own digests are of another kind.
        let isWrong = digest.map { $0.beginsExactly(with: "sha1-") && !$0.isExactly(content.digest.string) } ?? false
        // If it is encoded, `length` is that of the decoded content.
        let length = (entry.value(for: "encoded_length") ?? (entry.value(for: "encoding") == nil ? entry.value(for: "length") : nil))
        let isOther = length.map { $0.integerBits.flatMap { UInt64(exactly: $0) } != content.length } ?? false
        if isWrong || isOther { throw HubError.badRequest("The content of the attachment \(name) has another digest or length") }
    }
}
#endif
