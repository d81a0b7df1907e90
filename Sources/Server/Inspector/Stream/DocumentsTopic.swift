import Base
import DocumentStore

/// The collections, and the documents of one of them that have changed: `{"collections":[…],"documents":[…],"reload":false}`.
///
/// If `reload` is true, too many documents have changed, or some were deleted or purged, and the page has to read its list again.
struct DocumentsTopic: StreamTopic {
    /// More changed documents are not listed.
    private static let maximumChanges = 100

    private let database: InspectedDatabase
    private let store: CollectionStore
    private var last: UInt64
    /// The counters of the collection at the last message.
    private var counts: StoreCounts?
    private var commits: CommitObservation?
    private var counting: ChangeObservation?

    /// - Parameter last: The sequence of the collection when the page has read its list.
    init(_ database: InspectedDatabase, _ store: CollectionStore, after last: UInt64) {
        (self.database, self.store, self.last) = (database, store, last)
    }

    mutating func observe(_ changed: @escaping @Sendable () -> Void) throws {
        commits = CommitObservation(try database.file, changed)
        counting = database.counts.observers.add(changed)
    }

    mutating func next() throws -> AnswerValue? {
        try commits?.begin()
        let (documents, mustReload) = try changes()
        let answer: AnswerObject = [
            "collections": try database.collectionValues(counting: true), "documents": documents,
            "reload": mustReload,
        ]
        return answer
    }

    /// Returns the documents that have changed since the last call, and whether the page has to read its list again instead.
    private mutating func changes() throws -> (documents: [AnswerObject], mustReload: Bool) {
        try database.file.read { context in
            let now = try StoreCounts(of: store.tables.store, on: context.connection)
            defer { (counts, last) = (now, now.lastSequence) }
            let isRemoved = counts.map { ($0.purgeCount, $0.tombstonePurgeCount) != (now.purgeCount, now.tombstonePurgeCount) } ?? false
            guard now.lastSequence != last || isRemoved else { return ([], false) }
            var ids: [String] = []
            let changes = try store.changes(after: last, limit: Self.maximumChanges + 1, remote: nil) { ids.append($0.documentID) }
            ids += changes.map(\.documentID)
            guard !isRemoved, ids.count <= Self.maximumChanges else { return ([], true) }
            return (try ids.compactMap(summary), false)
        }
    }

    private func summary(_ id: String) throws -> AnswerObject? {
        do {
            return try store.document(id, includingDeleted: true).map(InspectedDatabase.summary)
        } catch let error as StoreError {
            guard case .corruptDocument = error else { throw error }
            return InspectedDatabase.summary(ofDamaged: id, error)
        }
    }
}
