import BLIP
import DocumentStore
import Fleece
import SyncCore

/// The properties of a `rev` that has come (Replication 3.8).
struct RevisionMessage {
    let documentID: String
    let revision: RevisionID
    /// The ancestors, newest first.
    let history: [RevisionID]
    let isDeleted: Bool
    /// That of the row which announced it. Pushing clients give one of their own.
    let sequence: RemoteSequence?
    /// The revision that the body is a delta to; nil when it is a whole body.
    let deltaBase: RevisionID?
    /// Whether it must not become a conflict.
    let refusesConflicts: Bool

    /// - Throws: {HTTP, 400} when the document or a revision is not named properly.
    init(_ properties: Properties) throws(SyncError) {
        guard let id = properties["id"], !id.isEmpty, let name = properties["rev"] else {
            throw SyncError(.http, 400, "Missing docID or revID")
        }
        documentID = id
        revision = try Self.revision(name)
        history = try Self.history(properties["history"] ?? "")
        isDeleted = properties.boolean("deleted")
        sequence = properties["sequence"].flatMap { RemoteSequence(property: $0) }
        if let base = properties["deltaSrc"], !base.isEmpty {
            deltaBase = try Self.revision(base)
        } else {
            deltaBase = nil
        }
        refusesConflicts = properties.boolean("noconflicts")
    }

    private static func revision(_ text: some StringProtocol) throws(SyncError) -> RevisionID {
        guard let revision = RevisionID(String(text)) else { throw SyncError(.http, 400, "Invalid revision ID \"\(text.prefix(64))\"") }
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
    /// Reads the property `sequence`: JSON, or, as in the `norev` of a Sync Gateway, a text without its quotes (Replication 3.9).
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
