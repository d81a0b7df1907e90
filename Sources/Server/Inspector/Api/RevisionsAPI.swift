import DocumentStore
import Fleece

extension InspectedDatabase {
    /// `GET revisions`: the revision tree of a document, with the current revision first.
    func revisions(_ request: APIRequest) throws -> APIResponse {
        let (store, id) = (try collection(request), try request.required("id"))
        guard let revisions = try store.revisions(of: id) else { throw Self.noDocument(id) }
        let values = revisions.map { revision -> AnswerObject in
            [
                "rev": revision.id.description, "parent": revision.parent?.description,
                "sequence": revision.sequence, "leaf": revision.isLeaf, "deleted": revision.isDeleted,
                "conflict": revision.isConflict, "closed": revision.isClosed,
                "rejected": revision.isRejected, "blobs": revision.hasAttachments,
                "body": revision.hasBody, "remotes": (revision.remotes),
            ]
        }
        return .json(["id": id, "revisions": values])
    }

    /// `GET revision`: the properties of one revision, if they are still stored.
    func revision(_ request: APIRequest) throws -> APIResponse {
        let (store, id) = (try collection(request), try request.required("id"))
        guard let wanted = try request.revision("rev") else { throw APIError(.badRequest, "the parameter rev is missing") }
        guard let found = try store.revision(wanted, of: id) else {
            throw APIError(.notFound, "the properties of this revision are not stored any more")
        }
        return .json(
            [
                "rev": wanted.description, "deleted": found.isDeleted,
                "body": try Self.json(found.body, found.sharedKeys, documentID: id),
            ]
        )
    }
}
