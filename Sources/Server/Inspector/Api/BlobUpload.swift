import Base
import DocumentStore
import Fleece

extension InspectedDatabase {
    /// The longest content type of an uploaded blob, in bytes.
    private static let maximumType = 255

    /// `POST blob`: stores the body as a blob, and refers to it with the property `property` of a document, if `rev` is the current revision. The
    /// other properties stay as they are.
    func uploadBlob(_ request: APIRequest) throws -> APIResponse {
        try checkIsWritable()
        let (store, id, key) = (try collection(request), try request.required("id"), try request.required("property"))
        guard let base = try request.revision("rev") else { throw APIError(.badRequest, "the parameter rev is missing") }
        guard !key.isEmpty else { throw APIError(.badRequest, "the name of the property is empty") }
        let type = try Self.contentType(request["type"])
        // Before the content is stored, which only a compaction would remove again.
        guard try store.document(id)?.revision == base else { return try answer(.conflict, store, id) }
        let digest = try file.blobs.store(request.body)
        let outcome = try file.transaction { writer in
            guard let current = try store.document(id), current.revision == base else { return DocumentSaveOutcome.conflict }
            return try store.save(DocumentSave(id, base: .revision(base)), in: writer) { encoder in
                encoder.beginDictionary()
                current.body.withRoot { root in
                    for (name, value) in root.dictionary?.pairs ?? [] {
                        guard let name = name.text(current.sharedKeys), !name.isExactly(key) else { continue }
                        encoder.writeKey(name)
                        encoder.write(value, keys: .other(current.sharedKeys))
                    }
                }
                encoder.writeKey(key)
                BlobDictionary.write(.digest(digest), length: UInt64(request.body.count), contentType: type, into: &encoder)
                encoder.endDictionary()
                return true
            }
        }
        return try answer(outcome, store, id)
    }

    /// Returns the content type, which is only stored and shown as text.
    private static func contentType(_ type: String?) throws(APIError) -> String {
        guard let type, !type.isEmpty else { return "application/octet-stream" }
        guard type.utf8.count <= maximumType, type.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw APIError(.badRequest, "the content type is not one")
        }
        return type
    }
}
