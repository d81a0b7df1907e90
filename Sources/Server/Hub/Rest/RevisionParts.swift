#if Replication
import DocumentStore
import Fleece
import WebServer

extension StoredRevision {
    /// The revisions that a client says it has.
    struct KnownRevisions: Sendable {
        /// The history ends with the first of these; `nil` for the whole history.
        var historyEnds: [RevisionID]?
        /// The attachments that the newest of these has are not sent; `nil` to send all.
        var withAttachments: [RevisionID]?

        /// Creates those of a client that has none.
        init() {}

        /// Reads `revs_from` and `atts_since`, which are arrays of strings in JSON. Without `revs_from`, `atts_since` counts.
        init(_ request: WebRequest) throws {
            func list(_ name: String) throws -> [RevisionID]? {
                guard let text = request.queryValue(name), !text.isEmpty else { return nil }
                return try parsedJSON(Array(text.utf8), of: name).withRoot { try Self.list($0, name) } ?? nil
            }
            withAttachments = try list("atts_since")
            historyEnds = try list("revs_from") ?? withAttachments
        }

        /// Reads the same members of an element of `_bulk_get`.
        init(_ item: DictionaryValue) throws {
            withAttachments = try item.value(for: "atts_since").flatMap { try Self.list($0, "atts_since") }
            historyEnds = try item.value(for: "revs_from").flatMap { try Self.list($0, "revs_from") } ?? withAttachments
        }

        /// Returns the revisions of an array. What cannot be the ID of a revision is none that the document has.
        private static func list(_ value: Value, _ name: String) throws -> [RevisionID]? {
            guard !value.isNull else { return nil }
            guard let array = value.array, array.count <= 1000 else {
                throw HubError.badRequest("\(name) must be an array of at most 1,000 strings")
            }
            return try (0..<array.count).compactMap { index in
                guard let text = array[index]?.string else { throw HubError.badRequest("\(name) must be an array of strings") }
                return RevisionID(tree: text)
            }
        }
    }

    /// The parts of a document that only some responses contain.
    struct Parts: Sendable {
        /// Whether to add `_revisions`.
        var hasHistory = false
        /// The maximum number of revisions in `_revisions`.
        var maximumHistory = Int.max
        /// Whether attachments contain their data, in Base64.
        var hasAttachmentData = false
        /// What the client has.
        var known = KnownRevisions()
        /// Whether to add `_conflicts`, `_deleted_conflicts` and `_revs_info`, unless they would be empty.
        var hasConflicts = false
        var hasDeletedConflicts = false
        var hasRevisionStates = false
        /// Whether to add `_exp`, if the document expires.
        var hasExpiration = false
        /// Whether the version of the revision is shown, if it has one.
        var hasVersion = false
    }
}

extension StoredRevision.Parts {
    /// Reads `revs`, `revs_limit`, `revs_from`, `attachments`, `atts_since`, `show_exp`, `show_cv`, and `meta` or what it stands for.
    init(_ request: WebRequest) throws {
        hasHistory = request.isTrue("revs")
        hasAttachmentData = request.isTrue("attachments")
        known = try .init(request)
        if let text = request.queryValue("revs_limit") {
            guard let limit = Int(text), limit >= 0 else { throw HubError.badRequest("revs_limit must be a number") }
            maximumHistory = limit
        }
        let isAll = request.isTrue("meta")
        hasConflicts = isAll || request.isTrue("conflicts")
        hasDeletedConflicts = isAll || request.isTrue("deleted_conflicts")
        hasRevisionStates = isAll || request.isTrue("revs_info")
        hasExpiration = request.isTrue("show_exp")
        hasVersion = request.isTrue("show_cv")
    }

    /// Returns the same for a client that has other revisions.
    func adding(_ known: StoredRevision.KnownRevisions) -> Self {
        var copy = self
        copy.known.withAttachments = known.withAttachments ?? copy.known.withAttachments
        copy.known.historyEnds = known.historyEnds ?? copy.known.historyEnds
        return copy
    }

    /// Returns the part of a branch that the client needs, up to the first revision that it has.
    func trimmed(_ branch: [RevisionID]) -> ArraySlice<RevisionID> {
        let end = known.historyEnds.flatMap { ends in branch.firstIndex { ends.contains($0) } }
        return branch.prefix(through: end ?? branch.count - 1).prefix(maximumHistory)
    }

    /// Whether the ancestors of a revision are needed.
    var needsHistory: Bool { hasHistory || hasAttachmentData && known.withAttachments != nil }

    /// Returns the generation of the newest revision of a branch whose attachments the client has; 0 for none.
    func knownGeneration(_ branch: [RevisionID]) -> UInt64 {
        known.withAttachments.flatMap { known in branch.first { known.contains($0) }?.generation } ?? 0
    }

    /// Appends what is known about the other revisions of a document.
    func appendTree(of documentID: String, in keyspace: Keyspace, to writer: inout JSONWriter) throws {
        guard hasConflicts || hasDeletedConflicts || hasRevisionStates else { return }
        let revisions = try keyspace.revisions(of: documentID) ?? []
        let others = revisions.dropFirst().filter(\.isLeaf)
        Self.append("_conflicts", hasConflicts ? others.filter { !$0.isDeleted } : [], to: &writer)
        Self.append("_deleted_conflicts", hasDeletedConflicts ? others.filter(\.isDeleted) : [], to: &writer)
        guard hasRevisionStates, let current = revisions.first else { return }
        writer.objects("_revs_info", try keyspace.history(of: documentID, from: current.id) ?? []) { writer, id in
            let found = revisions.first { $0.id == id }
            writer.member("rev", id.description)
            writer.member("status", found?.isDeleted == true ? "deleted" : found?.hasBody == true ? "available" : "missing")
        }
    }

    private static func append(_ name: String, _ revisions: some Sequence<RevisionInfo>, to writer: inout JSONWriter) {
        let ids = revisions.map(\.id.description)
        if !ids.isEmpty { writer.member(name, ids) }
    }
}
#endif
