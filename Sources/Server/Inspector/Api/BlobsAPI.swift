import DocumentStore
import Fleece

extension InspectedDatabase {
    /// The most that one answer contains, in bytes. Larger contents are read with ranges.
    static let maximumBlob = 32 << 20

    /// Returns the blobs to which a body refers.
    static func blobs(in body: FleeceData, _ keys: SharedKeys) -> [JSONValue] {
        body.withRoot { root in
            var blobs: [JSONValue] = []
            BlobReferences.forEach(in: root, sharedKeys: keys) { dictionary in
                guard let digest = BlobDictionary.digest(in: dictionary, sharedKeys: keys) else { return }
                let length = dictionary.value(for: BlobDictionary.lengthKey, sharedKeys: keys)?.int64
                blobs.append(
                    .object([
                        ("digest", .string(digest.string)),
                        ("type", .text(dictionary.value(for: BlobDictionary.contentTypeKey, sharedKeys: keys)?.string)),
                        ("length", length.map { .integer($0) } ?? .null),
                    ])
                )
            }
            return blobs
        } ?? []
    }

    /// `GET blob`: the content of a blob, or a part of it. The type is one that a browser only shows or plays, whatever the document says:
    /// never one that it would run as a page or script.
    func blob(_ request: APIRequest) throws -> APIResponse {
        let text = try request.required("digest")
        guard let digest = BlobDigest(text) else { throw APIError(.badRequest, "the parameter digest is not a digest") }
        guard let reader = try file.blobs.reader(of: digest) else { throw APIError(.notFound, "the content of the blob is not stored") }
        defer { reader.close() }
        let size = Int(clamping: reader.size)
        let range = try request.range.map { try ByteRange($0, size: size) }
        let part = range?.bytes ?? 0..<size
        guard part.count <= Self.maximumBlob else { throw APIError(.tooLarge, "the content has \(size) bytes: read it in ranges") }
        var response = APIResponse(status: range == nil ? 200 : 206, contentType: SafeContentType(request["type"]).name)
        response.headers = [("Accept-Ranges", "bytes"), ("Content-Disposition", SafeContentType(request["type"]).disposition)]
        if range != nil { response.headers.append(("Content-Range", "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(size)")) }
        reader.seek(to: UInt64(part.lowerBound))
        response.body = try reader.read(upTo: part.count)
        return response
    }
}

/// The value of a header `Range` with one range of bytes (RFC 9110, 14.1.2).
struct ByteRange {
    let bytes: Range<Int>

    /// - Throws: ``APIError`` if the range is invalid or begins after the end.
    init(_ text: String, size: Int) throws(APIError) {
        let invalid = APIError(.badRange, "the range is not valid for \(size) bytes")
        guard text.hasPrefix("bytes=") else { throw invalid }
        let ends = text.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2 else { throw invalid }
        switch (Int(ends[0]), Int(ends[1])) {
        case (let first?, let last?) where first >= 0 && first <= last && first < size: bytes = first..<min(last, size - 1) + 1
        case (let first?, nil) where first >= 0 && first < size && ends[1].isEmpty: bytes = first..<size
        case (nil, let count?) where count > 0 && size > 0 && ends[0].isEmpty: bytes = max(0, size - min(count, size))..<size
        default: throw invalid
        }
    }
}

/// A content type that a browser shows without running anything.
struct SafeContentType {
    let name: String
    /// The value of `Content-Disposition`.
    let disposition: String

    private static let shown: Set<String> = [
        "image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/bmp", "audio/mpeg", "audio/ogg", "audio/wav",
        "audio/x-wav", "audio/webm", "audio/aac", "audio/mp4", "audio/flac", "video/mp4", "video/webm", "video/ogg",
    ]

    init(_ type: String?) {
        let type = type?.split(separator: ";").first.map { $0.lowercased() } ?? ""
        if Self.shown.contains(type) {
            (name, disposition) = (type, "inline")
        } else if type.hasPrefix("text/") || type == "application/json" {
            (name, disposition) = ("text/plain; charset=utf-8", "inline")
        } else {
            (name, disposition) = ("application/octet-stream", "attachment")
        }
    }
}
