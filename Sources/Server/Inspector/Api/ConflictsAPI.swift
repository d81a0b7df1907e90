import DocumentStore
import Fleece

extension InspectedDatabase {
    private static let maximumConflicts = 200

    /// `GET conflicts`: the documents in conflict of a collection, with both versions and the common ancestor; at most 200.
    func conflicts(_ request: APIRequest) throws -> APIResponse {
        let store = try collection(request)
        let limit = try request.number("limit", in: 1...Self.maximumConflicts, default: 50)
        let ids = try store.conflictedDocuments()
        let conflicts = try ids.prefix(limit).compactMap { try store.conflict(in: $0) }
        return .json(
            ["total": ids.count, "conflicts": (try conflicts.map { try value($0) })]
        )
    }

    private func value(_ conflict: StoredConflict) throws -> AnswerObject {
        func version(_ revision: ConflictRevision?) throws -> AnswerObject? {
            guard let revision else { return nil }
            return [
                "rev": revision.id.description, "deleted": revision.isDeleted,
                "body": try Self.json(revision.body, conflict.sharedKeys, documentID: conflict.documentID),
            ]
        }
        return [
            "id": conflict.documentID, "local": try version(conflict.local), "remote": try version(conflict.remote),
            "base": try version(conflict.base),
        ]
    }

    /// `POST conflicts`: resolves a conflict, if both versions are still those that the user has seen.
    func resolveConflict(_ request: APIRequest) throws -> APIResponse {
        try checkIsWritable()
        let object = try request.object()
        let (store, id) = (try collection(named: object.required("collection")), try object.required("id"))
        let (local, remote) = (try object.required("local"), try object.required("remote"))
        let resolution = try self.resolution(object)
        let resolved = try file.transaction { writer -> ResolvedConflict? in
            guard let conflict = try store.conflict(in: id), conflict.local.id.description == local,
                conflict.remote.id.description == remote
            else { return nil }
            return try store.resolve(conflict, with: resolution, in: writer)
        }
        guard let resolved else { throw APIError(.conflict, "the document has been changed since it was read") }
        return .json(
            [
                "id": id, "rev": resolved.revision.description, "deleted": resolved.isDeleted,
                "conflict": resolved.isStillConflicted,
            ]
        )
    }

    private func resolution(_ object: JSONObject) throws -> ConflictResolution {
        switch try object.string("keep") {
        case "local": return .local
        case "remote": return .remote
        case "merged": return .merged(OwnedBody(try JSONObject(Array(object.required("body").utf8)).data))
        default: throw APIError(.badRequest, "the member \"keep\" must be local, remote or merged")
        }
    }
}
