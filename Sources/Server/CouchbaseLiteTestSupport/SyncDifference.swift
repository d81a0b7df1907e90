#if Replication
import CouchbaseLiteSwift

/// The difference between two collections that should have the same documents.
public struct SyncDifference: Error, CustomStringConvertible {
    /// The full name of the collection.
    public let collection: String
    /// The documents that differ, at most ten, each with what is different.
    public let documents: [String]
    /// The number of documents that differ.
    public let count: Int

    public var description: String {
        let more = count > documents.count ? ["and \(count - documents.count) more"] : []
        return "\(collection) is not synced: " + (documents + more).joined(separator: "; ")
    }

    static func check(_ collection: Collection, _ other: Collection) throws {
        let (mine, theirs) = (try Revisions(of: collection), try Revisions(of: other))
        let differing = (mine.ids + theirs.ids.filter { mine[$0] == nil }).filter { mine[$0] != theirs[$0] }
        guard !differing.isEmpty else { return }
        let texts = differing.prefix(10).map { id in
            switch (mine[id], theirs[id]) {
            case (let mine?, let theirs?): "\"\(id)\" has revision \(mine) here and \(theirs) there"
            case (nil, _): "\"\(id)\" is missing here"
            case (_, nil): "\"\(id)\" is missing there"
            }
        }
        throw SyncDifference(collection: collection.fullName, documents: texts, count: differing.count)
    }

    /// The current revision IDs of the documents of a collection. The IDs of documents are compared by their bytes.
    private struct Revisions {
        let ids: [String]
        private let revisions: [[UInt8]: String]

        init(of collection: Collection) throws {
            let rows = try collection.database.query("SELECT meta().id, meta().revisionID FROM \(collection)").execute().allResults()
            ids = rows.map { $0.string(at: 0) ?? "" }
            revisions = Dictionary(rows.map { (Array(($0.string(at: 0) ?? "").utf8), $0.string(at: 1) ?? "") }) { first, _ in first }
        }

        subscript(id: String) -> String? { revisions[Array(id.utf8)] }
    }
}
#endif
