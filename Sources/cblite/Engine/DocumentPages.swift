import CouchbaseLiteSwift
import DocumentStore

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
