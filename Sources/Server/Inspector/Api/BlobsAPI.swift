import DocumentStore
import Fleece
import WebServer

extension InspectedDatabase {
    /// The most that one answer contains, in bytes. Larger contents are read with ranges.
    static let maximumBlob = 32 << 20

    /// Returns the blobs to which a body refers.
    static func blobs(in body: FleeceData, _ keys: SharedKeys) -> [AnswerObject] {
        body.withRoot { root in
            var blobs: [AnswerObject] = []
            BlobReferences.forEach(in: root, sharedKeys: keys) { dictionary in
                guard let digest = BlobDictionary.digest(in: dictionary, sharedKeys: keys) else { return }
                let length = dictionary.value(for: BlobDictionary.lengthKey, sharedKeys: keys)?.int64
                blobs.append(
                    [
                        "digest": digest.string,
                        "type": dictionary.value(for: BlobDictionary.contentTypeKey, sharedKeys: keys)?.string,
                        "length": length,
                    ]
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
        let size = reader.size
        let range = ByteRange(request.range, size: size)
        let part: Range<UInt64>
        switch range {
        case .whole: part = 0..<size
        case .part(let bytes): part = bytes
        case .unsatisfiable:
            var response = APIError(.badRange, "the range is outside of the content, which has \(size) bytes").response
            response.headers = Self.contentRange(range, size)
            return response
        }
        guard part.upperBound - part.lowerBound <= Self.maximumBlob else {
            throw APIError(.tooLarge, "the content has \(size) bytes: read it in ranges")
        }
        let type = SafeContentType(request["type"])
        var response = APIResponse(status: range == .whole ? 200 : 206, contentType: type.name)
        response.headers = [("Accept-Ranges", "bytes"), ("Content-Disposition", type.disposition)] + Self.contentRange(range, size)
        reader.seek(to: part.lowerBound)
        response.body = try reader.read(upTo: part.count)
        return response
    }

    private static func contentRange(_ range: ByteRange, _ size: UInt64) -> [(name: String, value: String)] {
        range.contentRange(ofSize: size).map { [("Content-Range", $0)] } ?? []
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
