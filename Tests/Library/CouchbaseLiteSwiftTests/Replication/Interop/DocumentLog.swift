#if Replication
import DocumentStore
import Foundation
import PeerSupport
import TestSupport

/// The documents of the independent client: JSON lines in a file, and blobs in files next to it.
final class DocumentLog {
    private let directory: TemporaryDirectory
    private var file: URL { directory.url.appendingPathComponent("docs.jsonl") }

    var path: String { directory.url.path }

    init() throws {
        directory = try TemporaryDirectory()
        try FileManager.default.createDirectory(at: directory.url.appendingPathComponent("blobs"), withIntermediateDirectories: true)
        try Data().write(to: file)
    }

    func append(_ lines: [String]) throws {
        let handle = try FileHandle(forWritingTo: file)
        defer { try? handle.close() }
        try handle.seekToEnd()
        try handle.write(contentsOf: Data((lines.joined(separator: "\n") + "\n").utf8))
    }

    func lines() throws -> [String] {
        try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
    }

    /// Each line with its keys in order, by ID.
    func documents() throws -> [String: String] {
        var documents: [String: String] = [:]
        for line in try lines() {
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
            documents[object["_id"] as? String ?? ""] = IndependentPeer.canonical(object)
        }
        return documents
    }

    /// Adds a file in PEM, and returns its path.
    func addPEM(_ label: String, _ der: [UInt8]) throws -> String {
        let path = directory.path(label + ".pem")
        let lines = Data(der).base64EncodedString(options: .lineLength64Characters)
        try "-----BEGIN \(label)-----\n\(lines)\n-----END \(label)-----\n".write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    /// Adds a blob, and returns its blob dictionary.
    func addBlob(_ data: Data) throws -> String {
        try data.write(to: directory.url.appendingPathComponent("blobs/\(UUID().uuidString)"))
        let digest = data.withUnsafeBytes { BlobDigest(of: $0).description }
        return #"{"@type":"blob","digest":"\#(digest)","length":\#(data.count),"content_type":"image/png"}"#
    }
}
#endif
