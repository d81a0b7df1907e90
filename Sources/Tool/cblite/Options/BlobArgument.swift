import CouchbaseLiteSwift
import Foundation

/// A file to be stored as a blob, given as `FILE` or `FILE;TYPE`.
struct BlobArgument {
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

    /// Returns a blob that reads the file when it is saved.
    ///
    /// - Throws: ``Failure`` if the file does not exist, may not be read or is a directory.
    func blob() throws -> Blob {
        _ = try InputFile.size(of: path)
        return try Blob(contentType: contentType, fileURL: URL(fileURLWithPath: path == "-" ? "/dev/stdin" : path))
    }
}
