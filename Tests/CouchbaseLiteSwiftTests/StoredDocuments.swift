import DocumentStore
import Fleece
import Foundation

@testable import CouchbaseLiteSwift

/// Saves documents without a database: encodes them with shared keys, and reads them back from the bytes.
struct DocumentCodec {
    let keys = MutableSharedKeys(SharedKeys([]))
    var database: Database?
    var collection: Collection?

    /// The document as it reads after having been saved, and whether it refers to blobs.
    func save(_ document: Document) throws -> (document: Document, containsBlobs: Bool) {
        var encoder = Encoder(sharedKeys: keys)
        let containsBlobs = try document.encodeProperties(into: &encoder) { blob in
            guard let database else { throw NSError(domain: "no database", code: 0) }
            return try blob.store(in: database.openFile().blobs, of: database)
        }
        let body = try encoder.finishedData()
        try Validator.validate(body.bytes)
        let stored = Document(
            id: document.id,
            revision: nil,
            sequence: 0,
            body: body,
            sharedKeys: keys.snapshot,
            collection: collection
        )
        return (stored, containsBlobs)
    }

    /// The document as it reads after having been saved.
    func roundTrip(_ document: Document) throws -> Document {
        try save(document).document
    }
}

/// A stored document with these properties.
func stored(_ data: [String: Any]) throws -> Document {
    try DocumentCodec().roundTrip(MutableDocument(id: "doc", data: data))
}

/// A number of nanoseconds and the like compare badly: this is a JSON text with sorted keys of plain values.
func canonical(_ plain: Any) throws -> String {
    let data = try JSONSerialization.data(withJSONObject: plain, options: [.sortedKeys, .fragmentsAllowed])
    return String(decoding: data, as: UTF8.self)
}
