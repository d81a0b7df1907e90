import DocumentStore
import Fleece

extension InspectedDatabase {
    /// `GET revisions`: the revision tree of a document, with the current revision first.
    func revisions(_ request: APIRequest) throws -> APIResponse {
        let (store, id) = (try collection(request), try request.required("id"))
        guard let revisions = try store.revisions(of: id) else { throw Self.noDocument(id) }
        let values = revisions.map { revision -> JSONValue in
            .object([
                ("rev", .string(revision.id.description)), ("parent", .text(revision.parent?.description)),
                ("sequence", .count(revision.sequence)), ("leaf", .boolean(revision.isLeaf)), ("deleted", .boolean(revision.isDeleted)),
                ("conflict", .boolean(revision.isConflict)), ("closed", .boolean(revision.isClosed)),
                ("rejected", .boolean(revision.isRejected)), ("blobs", .boolean(revision.hasAttachments)),
                ("body", .boolean(revision.hasBody)), ("remotes", .array(revision.remotes.map { .count($0) })),
            ])
        }
        return .json(.object([("id", .string(id)), ("revisions", .array(values))]))
    }

    /// `GET revision`: the properties of one revision, if they are still stored.
    func revision(_ request: APIRequest) throws -> APIResponse {
        let (store, id) = (try collection(request), try request.required("id"))
        guard let wanted = try request.revision("rev") else { throw APIError(.badRequest, "the parameter rev is missing") }
        guard let found = try store.revision(wanted, of: id) else {
            throw APIError(.notFound, "the properties of this revision are not stored any more")
        }
        return .json(
            .object([
                ("rev", .string(wanted.description)), ("deleted", .boolean(found.isDeleted)),
                ("body", .string(try Self.json(found.body, found.sharedKeys, documentID: id))),
            ])
        )
    }
}
