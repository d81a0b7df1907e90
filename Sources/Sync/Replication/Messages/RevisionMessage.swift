import BLIP
import DocumentStore
import Fleece
import SyncCore

/// The properties of a received `rev` (Replication 3.8).
struct RevisionMessage {
    let documentID: String
    let revision: RevisionID
    /// The ancestors, newest first.
    let history: [RevisionID]
    let isDeleted: Bool
    /// The sequence from the row that announced the revision. Pushing clients send a sequence of their own.
    let sequence: RemoteSequence?
    /// The revision to which the delta in the body applies; `nil` if the body is complete.
    let deltaBase: RevisionID?
    /// Whether the revision must be refused if it would be a conflict.
    let refusesConflicts: Bool

    /// - Throws: {HTTP, 400} if the document ID or a revision ID is missing or invalid.
    init(_ properties: Properties) throws(SyncError) {
        guard let id = properties["id"], !id.isEmpty, let name = properties["rev"] else {
            throw SyncError(http: .badRequest, "Missing docID or revID")
        }
        documentID = id
        revision = try Self.revision(name)
        history = try Self.history(properties["history"] ?? "")
        isDeleted = properties.boolean("deleted")
        sequence = properties["sequence"].flatMap { RemoteSequence(property: $0) }
        let base = properties["deltaSrc"] ?? ""
        deltaBase = base.isEmpty ? nil : try Self.revision(base)
        refusesConflicts = properties.boolean("noconflicts")
    }

    private static func revision(_ text: some StringProtocol) throws(SyncError) -> RevisionID {
        guard let revision = RevisionID(tree: String(text)) else {
            throw SyncError(http: .badRequest, "Invalid revision ID \"\(text.prefix(64))\"")
        }
        return revision
    }

    private static func history(_ text: String) throws(SyncError) -> [RevisionID] {
        guard !text.isEmpty else { return [] }
        return try text.split(separator: ",", omittingEmptySubsequences: false).map { (name) throws(SyncError) in
            try revision(name.trimmingSpaces)
        }
    }
}

extension Substring {
    fileprivate var trimmingSpaces: Substring {
        var text = self.drop { $0 == " " }
        while text.last == " " { text.removeLast() }
        return text
    }
}

extension RemoteSequence {
    /// Reads the property `sequence`: JSON or, as in the `norev` of Sync Gateway, a string without quotes (Replication 3.9).
    init?(property text: String) {
        if let sequence = RemoteSequence(json: text) {
            self = sequence
            return
        }
        var writer = JSONWriter(capacity: text.utf8.count + 8)
        writer.append(text)
        self.init(json: writer.string)
    }
}
