#if Replication
import DocumentStore
import Base
import Fleece
import WebServer

/// `_revs_diff`: which of the revisions of a client the hub does not have. A client asks for this before it stores them with `new_edits=false`.
struct RevisionsDifference {
    let documents: DocumentRequests

    private var keyspace: Keyspace { documents.keyspace }
    /// The maximum number of revisions of all documents together. A document without revisions counts as one.
    private static let maximumCount = 10_000

    private struct Document {
        let id: String
        let revisions: [String]
    }

    /// Responds to `{"ID":["REVISION",…],…}`. Documents of which the hub has all revisions are not in the response.
    func respond(_ request: WebRequest) async throws -> WebResponse {
        let documents = try await request.body.collect { try withJSONObject($0) { try Self.documents($0) } }
        let json = try await JSONWriter.object(documents, pausingAfterEach: 100) { try append($1, to: &$0) }
        return WebResponse(json: json.byteArray)
    }

    private static func documents(_ root: DictionaryValue) throws -> [Document] {
        var count = 0
        return try root.pairs.map { key, value in
            guard let id = key.text(.empty), let array = value.array else {
                throw HubError.badRequest("Each document must have an array of revisions")
            }
            count += max(1, array.count)
            guard count <= maximumCount else { throw HubError.badRequest("At most \(maximumCount) revisions can be compared at once") }
            return Document(
                id: id,
                revisions: try (0..<array.count).map { index in
                    guard let text = array[index]?.string else { throw HubError.badRequest("A revision must be a string") }
                    return text
                }
            )
        }
    }

    private func append(_ document: Document, to writer: inout JSONWriter) throws {
        let known = try self.known(document.id)
        let missing = document.revisions.filter { RevisionID(tree: $0).map { !known.ids.contains($0) } ?? true }
        guard !missing.isEmpty else { return }
        let newest = missing.compactMap { RevisionID(tree: $0)?.generation }.max() ?? 0
        let ancestors = known.leaves.filter { $0.generation < newest }
        writer.object(document.id) { writer in
            writer.member("missing", missing)
            if !ancestors.isEmpty { writer.array("possible_ancestors", ancestors) { $0.append($1.description) } }
        }
    }

    /// Returns the revisions of a document; none if it is damaged: the client sends the missing ones then, and gets the error of the document.
    private func known(_ documentID: String) throws -> (ids: Set<RevisionID>, leaves: [RevisionID]) {
        do {
            return try shown(documentID)
        } catch StoreError.corruptDocument {
            return ([], [])
        }
    }

    /// Returns the revisions of a document; none if it does not exist or the user may not read it, so that nothing about it is shown. Of a document
    /// that the user was able to read, it only returns which revisions there are: the client must not push those that were removed.
    private func shown(_ documentID: String) throws -> (ids: Set<RevisionID>, leaves: [RevisionID]) {
        guard let current = try keyspace.current(documentID) else { return ([], []) }
        let isReadable = try documents.access().mayRead(current.channels)
        guard try isReadable || documents.lost?.couldRead(current) == true else { return ([], []) }
        let revisions = try keyspace.revisions(of: documentID) ?? []
        return (Set(revisions.map(\.id)), isReadable ? revisions.filter(\.isLeaf).map(\.id) : [])
    }
}
#endif
