import DocumentStore
import Testing

@testable import Replication

/// A suite of tests that pull documents with blobs.
protocol PulledBlobSuite {}

extension PulledBlobSuite {
    var content: String { "Hello, blob!" }
    /// The digest of ``content``.
    var digest: String { "sha1-ArH2IhJgRp/90GRqSAdAfa750BE=" }

    /// Returns a reference to a blob, in JSON.
    func blob(_ digest: String, length: Int? = nil, type: String = "text/plain") -> String {
        let length = length.map { #","length":\#($0)"# } ?? ""
        return #"{"@type":"blob","content_type":"\#(type)","digest":"\#(digest)"\#(length)}"#
    }

    func digest(of text: String) -> String {
        Array(text.utf8).withUnsafeBytes { BlobDigest(of: $0) }.string
    }

    /// Returns the content of a blob in the database of the pulling side; `nil` if it is not stored.
    func stored(_ pull: TestPull, _ digest: String) throws -> String? {
        try pull.replica.database.blobs.contents(of: try #require(BlobDigest(digest))).map {
            String(decoding: $0, as: UTF8.self)
        }
    }
}
