import ExactStrings

/// The documents and collections changed by a transaction, for the observers.
struct ChangeRecorder {
    private struct ChangedDocuments {
        var ids: [String] = []
        var seen: Set<ExactString> = []
    }

    private var documents: [CollectionID: ChangedDocuments] = [:]
    private var deletedCollections: Set<CollectionID> = []

    mutating func recordChange(of documentID: String, in collection: CollectionID) {
        if documents[collection, default: ChangedDocuments()].seen.insert(ExactString(documentID)).inserted {
            documents[collection]?.ids.append(documentID)
        }
    }

    /// Records that a collection was deleted. Changes of its documents are not reported then.
    mutating func recordDeletion(of collection: CollectionID) {
        documents[collection] = nil
        deletedCollections.insert(collection)
    }

    /// Returns and removes what was recorded; `nil` if there is nothing.
    mutating func take() -> CommittedChanges? {
        guard !documents.isEmpty || !deletedCollections.isEmpty else { return nil }
        defer { self = ChangeRecorder() }
        return CommittedChanges(documents.mapValues { ($0.ids, $0.seen) }, deletedCollections: deletedCollections)
    }
}
