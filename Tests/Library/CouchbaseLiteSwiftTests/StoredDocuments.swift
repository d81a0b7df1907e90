import DatabaseRuntime
import DocumentStore
import Fleece
import Foundation
import TestSupport

@testable import CouchbaseLiteSwift

/// Saves documents without a database: encodes them with shared keys, and reads them back from the bytes.
struct DocumentCodec {
    let keys = MutableSharedKeys(SharedKeys([]))
    /// Where the content of blobs is stored; without it, saving a blob fails.
    var database: Database?

    /// The document's properties in stored form.
    func body(of document: Document) throws -> FleeceData {
        try encode(document).body
    }

    /// Whether the document refers to blobs.
    func containsBlobs(_ document: Document) throws -> Bool {
        try encode(document).containsBlobs
    }

    private func encode(_ document: Document) throws -> (body: FleeceData, containsBlobs: Bool) {
        var encoder = Encoder(sharedKeys: keys)
        let containsBlobs = try document.encodeProperties(into: &encoder) { blob in
            guard let database else { throw NSError(domain: "no database", code: 0) }
            let digest = try blob.shared.install(in: database.openFile().blobs, of: database)
            blob.shared.didSave(in: database)
            return digest
        }
        let body = try encoder.finishedData()
        try Validator.validate(body.bytes)
        return (body, containsBlobs)
    }

    /// The document as it is read after it was saved.
    func roundTrip(_ document: Document) throws -> Document {
        let body = try body(of: document)
        return Document(
            id: document.id,
            revision: nil,
            sequence: 0,
            body: body,
            sharedKeys: keys.snapshot,
            collection: try database?.defaultCollection()
        )
    }
}

/// A stored document with these properties.
func stored(_ data: [String: Any]) throws -> Document {
    try DocumentCodec().roundTrip(MutableDocument(id: "doc", data: data))
}

extension Document {
    /// The properties as they were read.
    var storedBytes: [UInt8] { contents.source.map { $0.data.copiedBytes } ?? [] }
}

/// Plain values as JSON with sorted keys, for comparing them.
func canonical(_ plain: Any) throws -> String {
    let data = try JSONSerialization.data(withJSONObject: plain, options: [.sortedKeys, .fragmentsAllowed])
    return String(decoding: data, as: UTF8.self)
}

/// A database in its own directory, which is removed after the last use.
final class TestDatabase {
    let directory: TemporaryDirectory
    let database: Database

    init() throws {
        directory = try TemporaryDirectory()
        let config = DatabaseConfiguration()
        config.directory = directory.url.path
        database = try Database(name: "test", config: config)
    }
}

extension FleeceData {
    /// The bytes in an array. Reading `bytes` during the last use of an object could access released memory.
    var copiedBytes: [UInt8] { withExtendedLifetime(self) { [UInt8](bytes) } }
}
