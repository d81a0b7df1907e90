import DocumentStore
import Fleece

extension InspectedDatabase {
    private static let maximumPage = 500
    /// A page of documents ends when it has read this much, in bytes.
    private static let maximumPageSize = 4 << 20
    /// Larger documents have no preview, because it would take too long to write.
    private static let maximumPreviewed = 64 << 10
    private static let previewLength = 160

    /// `GET documents`: a page of the documents in the order of their IDs, beginning after the ID `after` or at the ID `from`.
    func documents(_ request: APIRequest) throws -> APIResponse {
        let store = try collection(request)
        let limit = try request.number("limit", in: 1...Self.maximumPage, default: 100)
        let includingDeleted = request["deleted"] == "true"
        let prefix = request["prefix"] ?? ""
        var (items, size, hasMore) = ([AnswerObject](), 0, false)
        func add(_ record: DocumentRecord) -> Bool {
            guard record.id.utf8.starts(with: prefix.utf8) else { return false }
            guard items.count < limit, size < Self.maximumPageSize else {
                hasMore = true
                return false
            }
            size += record.body.bytes.count
            items.append(Self.summary(record))
            return true
        }
        func addDamaged(_ id: String, _ error: StoreError) -> Bool {
            guard id.utf8.starts(with: prefix.utf8) else { return false }
            guard items.count < limit else {
                hasMore = true
                return false
            }
            items.append(Self.summary(ofDamaged: id, error))
            return true
        }
        let file = try file
        try file.read { _ in
            let start = request["after"] ?? request["from"] ?? prefix
            if request["after"] == nil, !start.isEmpty {
                do {
                    if let first = try store.document(start, includingDeleted: includingDeleted), !add(first) { return }
                } catch let error as StoreError {
                    guard case .corruptDocument = error else { throw error }
                    guard addDamaged(start, error) else { return }
                }
            }
            try store.forEachDocument(
                after: start.isEmpty ? nil : start,
                includingDeleted: includingDeleted,
                skippingDamaged: addDamaged,
                add
            )
        }
        return .json(["documents": items, "more": hasMore])
    }

    static func summary(_ record: DocumentRecord) -> AnswerObject {
        let size = record.body.bytes.count
        var preview: String?
        if !record.isDeleted, size <= maximumPreviewed {
            preview = record.body.withRoot { try? JSON.string($0, sharedKeys: record.sharedKeys, form: .canonical) } ?? nil
        }
        return [
            "id": record.id, "rev": record.revision.description, "sequence": record.sequence,
            "deleted": record.isDeleted, "conflict": record.flags.contains(.conflicted),
            "blobs": record.flags.contains(.hasAttachments), "size": size,
            "preview": preview.map { String($0.prefix(Self.previewLength)) },
        ]
    }

    /// What is shown of a document that cannot be read: its ID, and what is wrong with it.
    static func summary(ofDamaged id: String, _ error: StoreError) -> AnswerObject {
        ["id": id, "damaged": true, "preview": error.description]
    }

    /// `GET document`: the current revision of a document.
    func document(_ request: APIRequest) throws -> APIResponse {
        let (store, id) = (try collection(request), try request.required("id"))
        guard let record = try store.document(id, includingDeleted: true) else { throw Self.noDocument(id) }
        let text = try Self.json(record.body, record.sharedKeys, documentID: id)
        return .json(
            [
                "id": id, "rev": record.revision.description, "sequence": record.sequence,
                "deleted": record.isDeleted, "conflict": record.flags.contains(.conflicted),
                "size": record.body.bytes.count,
                "expiration": record.expiration,
                // JSON has no binary values: such a document would be changed by saving it.
                "binary": Self.containsData(record.body),
                "blobs": (Self.blobs(in: record.body, record.sharedKeys)),
                // As text, because numbers of JavaScript are less precise.
                "body": text,
            ]
        )
    }

    static func noDocument(_ id: String) -> APIError { APIError(.notFound, "there is no document \"\(id)\"") }

    static func json(_ body: FleeceData, _ keys: SharedKeys, documentID: String) throws -> String {
        guard let text = try body.withRoot({ try JSON.string($0, sharedKeys: keys, form: .canonical) }) else {
            throw StoreError.corruptDocument(documentID: documentID, reason: FleeceError(.badRoot).description)
        }
        return text
    }

    private static func containsData(_ body: FleeceData) -> Bool {
        func contains(_ value: Value, _ depth: Int, _ budget: inout ValueBudget) -> Bool {
            guard budget.consume(), depth <= Limits.maximumDepth else { return false }
            if value.type == .data { return true }
            if let array = value.array {
                for index in 0..<array.count {
                    if let item = array[index], contains(item, depth + 1, &budget) { return true }
                }
            }
            for (_, item) in value.dictionary?.pairs ?? [] where contains(item, depth + 1, &budget) { return true }
            return false
        }
        return body.withRoot { root in
            var budget = ValueBudget(for: root)
            return contains(root, 0, &budget)
        } ?? false
    }

    // MARK: Changing

    /// `PUT document`: saves a document. Without `rev`, the document must not exist.
    func saveDocument(_ request: APIRequest) throws -> APIResponse {
        try checkIsWritable()
        let (store, id, base) = (try collection(request), try request.required("id"), try request.revision("rev"))
        let properties = try request.object().data
        let outcome = try file.transaction { writer in
            try store.save(DocumentSave(id, base: base.map { .revision($0) } ?? .none), in: writer) { encoder in
                guard
                    let hasBlobs = properties.withRoot({ root in
                        encoder.write(root, keys: .other(.empty))
                        return BlobReferences.containsBlobs(root, sharedKeys: .empty)
                    })
                else { throw APIError(.badRequest, "the document cannot be stored") }
                return hasBlobs
            }
        }
        return try answer(outcome, store, id)
    }

    /// `DELETE document`: stores a tombstone, if `rev` is the current revision.
    func deleteDocument(_ request: APIRequest) throws -> APIResponse {
        try checkIsWritable()
        let (store, id) = (try collection(request), try request.required("id"))
        guard let base = try request.revision("rev") else { throw APIError(.badRequest, "the parameter rev is missing") }
        let outcome = try file.transaction { writer in
            guard let current = try store.document(id), current.revision == base else { return DocumentSaveOutcome.conflict }
            guard let tombstone = try source.tombstone?(current, store.id) else {
                return try store.delete(id, base: .revision(base), in: writer)
            }
            return try store.save(DocumentSave(id, base: .revision(base), isDeleted: true), in: writer) { encoder in
                _ = tombstone.data.withRoot { encoder.write($0, keys: .other(tombstone.keys)) }
                return tombstone.hasBlobs
            }
        }
        return try answer(outcome, store, id)
    }

    /// Returns the answer for the outcome of a save.
    func answer(_ outcome: DocumentSaveOutcome, _ store: CollectionStore, _ id: String) throws -> APIResponse {
        switch outcome {
        case .saved(let revision, let sequence):
            return .json(["id": id, "rev": revision.description, "sequence": sequence])
        case .missing: throw Self.noDocument(id)
        case .conflict, .alreadyDeleted:
            let current = try store.document(id, includingDeleted: true)?.revision.description
            throw APIError(.conflict, "the document has been changed since it was read", details: ["current": current])
        }
    }
}
