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
    /// The number of the first ancestors that were merged to make the revision (Version vectors 2.4).
    let mergedCount: Int
    /// The ID by which the peer's clients with trees know the revision (Version vectors 7.6); `nil` if the peer does not say, and in a database with
    /// revision trees.
    let treeName: TreeRevisionID?
    let isDeleted: Bool
    /// The sequence from the row that announced the revision. Pushing clients send a sequence of their own.
    let sequence: RemoteSequence?
    /// The revision to which the delta in the body applies; `nil` if the body is complete.
    let deltaBase: RevisionID?
    /// Whether the revision must be refused if it would be a conflict.
    let refusesConflicts: Bool

    /// - Throws: {HTTP, 400} if the document ID or a revision ID is missing or invalid; {LiteCore, 4} if a vector is invalid.
    init(_ properties: Properties, _ naming: RevisionNaming = .trees) throws(SyncError) {
        guard let id = properties["id"], !id.isEmpty, let name = properties["rev"] else {
            throw SyncError(http: .badRequest, "Missing docID or revID")
        }
        documentID = id
        let list = properties["history"] ?? ""
        let received = try naming.usesVersions ? ReceivedHistory(versions: name, list, naming) : ReceivedHistory(trees: name, list)
        (revision, history, mergedCount) = (received.revision, received.ancestors, received.mergedCount)
        let nameInTrees = naming.usesVersions ? properties[Properties.treeName] ?? "" : ""
        treeName = try nameInTrees.isEmpty ? nil : Self.treeName(nameInTrees)
        isDeleted = properties.boolean("deleted")
        sequence = properties["sequence"].flatMap { RemoteSequence(property: $0) }
        let base = properties["deltaSrc"] ?? ""
        deltaBase = try base.isEmpty ? nil : Self.deltaBase(base, naming)
        refusesConflicts = properties.boolean("noconflicts")
    }

    private static func treeName(_ text: String) throws(SyncError) -> TreeRevisionID {
        guard let id = RevisionID(tree: text)?.tree else { throw SyncError(http: .badRequest, "received invalid version ID") }
        return id
    }

    private static func deltaBase(_ text: String, _ naming: RevisionNaming) throws(SyncError) -> RevisionID {
        if let revision = naming.revision(text) { return revision }
        guard !naming.usesVersions else { throw SyncError(http: .badRequest, "received invalid version ID") }
        throw SyncError(http: .badRequest, "Invalid revision ID \"\(text.prefix(64))\"")
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
