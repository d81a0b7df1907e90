import Base
import CouchbaseLiteSwift
import DocumentStore
import Fleece

/// A document as it is stored. The public API reads single documents only, without their flags and sizes, and its objects cost more for
/// each document.
struct StoredDocument {
    fileprivate let record: DocumentRecord

    var id: String { record.id }
    var revision: String { record.revision.description }
    var sequence: UInt64 { record.sequence }
    var isDeleted: Bool { record.isDeleted }
    var isInConflict: Bool { record.flags.contains(.conflicted) }
    var hasBlobs: Bool { record.flags.contains(.hasAttachments) }
    /// The size of the encoded properties in bytes.
    var size: Int { record.body.bytes.count }
    /// The time when the document expires, in milliseconds since 1970; `nil` if it does not expire.
    var expiration: Int64? { record.expiration }
}

extension StoredDocument {
    /// Returns whether an ID is before another one, in the order in which documents are enumerated.
    static func isOrdered(_ left: String, _ right: String) -> Bool { left.isOrderedBefore(right) }

    /// Calls `body` with the properties and the shared keys that they use.
    ///
    /// - Throws: `StoreError.corruptDocument` if the stored body cannot be read; errors of `body`.
    func withProperties<Result>(_ body: (Value, SharedKeys) throws -> Result) throws -> Result {
        guard let result = try record.body.withRoot({ try body($0, record.sharedKeys) }) else {
            throw StoreError.corruptDocument(documentID: id, reason: FleeceError(.badRoot).description)
        }
        return result
    }
}

extension DocumentCollection {
    func storedDocument(_ id: String, includingDeleted: Bool = false) throws -> StoredDocument? {
        try store.document(id, includingDeleted: includingDeleted).map { StoredDocument(record: $0) }
    }

    /// Calls `body` with each document, in the order of the IDs, until it returns `false`.
    ///
    /// - Parameters:
    ///   - id: Documents are included only if their ID is greater; `nil` includes all.
    ///   - pattern: Documents are included only if their ID matches this shell pattern (`*`, `?`, `[…]`); `nil` includes all.
    func forEachStoredDocument(
        after id: String? = nil,
        includingDeleted: Bool = false,
        matching pattern: String? = nil,
        _ body: (StoredDocument) throws -> Bool
    ) throws {
        try store.forEachDocument(after: id, includingDeleted: includingDeleted, matching: pattern) { try body(StoredDocument(record: $0)) }
    }
}

extension DocumentCollection {
    /// Calls `body` with the IDs that match a shell pattern. They are read in pages, so that `body` can delete documents.
    func forEachID(matching pattern: String, includingDeleted: Bool, _ body: (String) throws -> Void) throws {
        var last: String?
        while true {
            var page: [String] = []
            try store.forEachDocument(after: last, includingDeleted: includingDeleted, matching: pattern) { record in
                page.append(record.id)
                return page.count < 1000
            }
            for id in page { try body(id) }
            guard page.count == 1000 else { return }
            last = page.last
        }
    }
}

/// Writes documents as JSON with the ID as a property, and keys in the order of their bytes (Storage format 9.3). The public API writes
/// the keys in the order in which they are stored.
struct DocumentJSON: ~Copyable {
    /// The name of the member that contains the ID.
    static let idKey = "_id"
    /// The name of the member that contains the revision ID, if requested.
    private static let revisionKey = "_rev"

    private var writer = JSONWriter(capacity: 4096)

    /// Calls `body` with the JSON text of a document, which is valid only during the call.
    ///
    /// - Parameter properties: Properties in place of those of the document, without shared keys.
    /// - Throws: `StoreError.corruptDocument` if the stored body cannot be read; errors of `body`.
    mutating func withText<Result>(
        of document: StoredDocument,
        includingRevision: Bool = false,
        properties: FleeceData? = nil,
        _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result {
        let record = document.record
        let keys = properties == nil ? record.sharedKeys : .empty
        writer.removeAll()
        var extra = [(Self.idKey, record.id)]
        if includingRevision { extra.append((Self.revisionKey, record.revision.description)) }
        do throws(FleeceError) {
            let isWritten: Void? = try (properties ?? record.body).withRoot { root throws(FleeceError) in
                try append(root, keys: keys, extra: extra)
            }
            guard isWritten != nil else { throw FleeceError(.badRoot) }
        } catch {
            throw StoreError.corruptDocument(documentID: record.id, reason: error.description)
        }
        return try writer.withBytes(body)
    }

    /// - Parameter extra: Members in addition to the properties, sorted by key. They replace properties of the same
    ///   name, which no release can have stored.
    private mutating func append(_ root: Value, keys: SharedKeys, extra: [(key: String, value: String)]) throws(FleeceError) {
        guard let dictionary = root.dictionary else { throw FleeceError(.badRoot) }
        var extra = extra[...]
        writer.beginObject()
        for (key, value) in dictionary.pairs.sorted(by: { keys.isOrdered($0.key, $1.key) }) {
            guard let text = key.text(keys) else { throw FleeceError(.badKey, at: value.position) }
            var isReplaced = false
            while let next = extra.first, Self.isOrdered(next.key, text) || next.key == text {
                isReplaced = isReplaced || next.key == text
                writer.member(next.key, next.value)
                extra.removeFirst()
            }
            if isReplaced { continue }
            writer.name(text)
            try writer.append(value, sharedKeys: keys, form: .canonical)
        }
        for member in extra {
            writer.member(member.key, member.value)
        }
        writer.endObject()
    }

    private static func isOrdered(_ left: String, _ right: String) -> Bool { left.utf8.lexicographicallyPrecedes(right.utf8) }
}

/// The documents of a collection in the order of their IDs, one after the other. Only a page of them is in memory.
struct DocumentPages {
    private let collection: DocumentCollection?
    private var page: ArraySlice<StoredDocument> = []
    private var last: String?
    private var isAtEnd = false
    private static let maximumCount = 200
    private static let maximumSize = 1 << 20

    /// - Parameter collection: `nil` for a collection that does not exist, which has no documents.
    init(_ collection: DocumentCollection?) {
        self.collection = collection
        isAtEnd = collection == nil
    }

    mutating func next() throws -> StoredDocument? {
        if page.isEmpty, !isAtEnd { try readPage() }
        return page.popFirst()
    }

    private mutating func readPage() throws {
        var (documents, size) = ([StoredDocument](), 0)
        isAtEnd = true
        try collection?.forEachStoredDocument(after: last) { document in
            documents.append(document)
            size += document.size
            guard documents.count == Self.maximumCount || size >= Self.maximumSize else { return true }
            isAtEnd = false
            return false
        }
        last = documents.last?.id
        page = documents[...]
    }
}
