import DocumentStore
import Fleece
import Foundation

/// A file to be stored as a blob, given as `FILE` or `FILE;TYPE`.
struct BlobFile {
    let path: String
    let contentType: String

    init(_ text: String) {
        if let semicolon = text.lastIndex(of: ";"), text[semicolon...].contains("/") {
            path = String(text[..<semicolon])
            contentType = String(text[text.index(after: semicolon)...])
        } else {
            path = text
            contentType = Self.types[(text as NSString).pathExtension.lowercased()] ?? "application/octet-stream"
        }
    }

    private static let types = [
        "css": "text/css", "csv": "text/csv", "gif": "image/gif", "html": "text/html", "jpeg": "image/jpeg",
        "jpg": "image/jpeg", "json": "application/json", "md": "text/markdown", "mp3": "audio/mpeg",
        "mp4": "video/mp4", "pdf": "application/pdf", "png": "image/png", "svg": "image/svg+xml", "txt": "text/plain",
        "wav": "audio/wav", "webp": "image/webp", "xml": "application/xml", "zip": "application/zip",
    ]

    /// Stores the content and returns the blob dictionary that references it (Storage format 4.2).
    func store(in blobs: BlobStore) throws -> FleeceData {
        let input = try InputFile(path)
        var writer = try BlobWriter(store: blobs)
        while let piece = try input.nextPiece() { try piece.withUnsafeBytes { try writer.write($0) } }
        let length = writer.count
        let digest = try writer.install()
        var encoder = Encoder()
        encoder.beginDictionary()
        encoder.writeKey(BlobDictionary.typeKey)
        encoder.write(BlobDictionary.typeValue)
        encoder.writeKey(BlobDictionary.digestKey)
        encoder.write(digest.string)
        encoder.writeKey(BlobDictionary.lengthKey)
        encoder.write(unsigned: length)
        encoder.writeKey(BlobDictionary.contentTypeKey)
        encoder.write(contentType)
        encoder.endDictionary()
        return try encoder.finishedData()
    }
}
