package import DocumentStore
import Fleece
import SyncCore

/// A revision announced by a peer: a row of `changes` (Replication 3.6).
struct ChangeRow {
    let sequence: RemoteSequence
    let documentID: String
    /// The announced revision; `nil` if its ID is not valid in this database.
    let offer: OfferedRevision?
    /// Bit set: 1 = deleted, 2 = access revoked, 4 = removed from the channels.
    let flags: Int

    var revision: RevisionID? { offer?.revision }
    var isDeleted: Bool { flags & 1 != 0 }

    /// Whether the user has lost access to the document. A document that was deleted while it left its channels is an ordinary deletion
    /// (Replication 4.6).
    var isAccessLost: Bool { flags > 1 && flags != 5 }

    /// The maximum number of rows in a message. Peers send at most 200 (Replication 4.13).
    static let maximumCount = 10_000

    /// Parses the body of a `changes` message. The result is empty if the peer has no more changes: `[]`, `null`, or no body.
    ///
    /// - Throws: {HTTP, 400} if any row is invalid. If the other rows were accepted, the invalid one would be lost.
    static func rows(_ body: [UInt8], _ naming: RevisionNaming = .trees) throws(SyncError) -> [ChangeRow] {
        if body.isEmpty { return [] }
        let list: FleeceData
        do {
            list = try FleeceData.parsing(json: body)
        } catch {
            throw malformed("\(error)")
        }
        let rows = try list.withRoot { root throws(SyncError) -> [ChangeRow] in
            if root.isNull { return [] }
            guard let array = root.array else { throw malformed("it is not an array") }
            guard array.count <= maximumCount else { throw malformed("there are more than \(maximumCount) rows") }
            return try (0..<array.count).map { (index) throws(SyncError) in
                guard let row = array[index]?.array.flatMap({ ChangeRow($0, naming) }) else { throw malformed("row \(index) is invalid") }
                return row
            }
        }
        return rows ?? []
    }

    private static func malformed(_ what: String) -> SyncError {
        SyncError(http: .badRequest, "Invalid body of changes: \(what)")
    }

    /// Returns `nil` unless the row has a sequence, a document ID and a string that resembles a revision ID.
    private init?(_ row: ArrayValue, _ naming: RevisionNaming) {
        guard row.count >= 3, let sequence = row[0].flatMap({ RemoteSequence($0) }), let documentID = row[1]?.string,
            (1...255).contains(documentID.utf8.count), let revision = row[2]?.string, naming.resembles(revision),
            let flags = Self.flags(row[3])
        else { return nil }
        self.sequence = sequence
        self.documentID = documentID
        offer = naming.offer(of: documentID, revision)
        self.flags = flags
    }

    /// Parses a boolean or the bit set. A missing value means no flags.
    private static func flags(_ value: Value?) -> Int? {
        guard let value, !value.isNull else { return 0 }
        if let isDeleted = value.boolean { return isDeleted ? 1 : 0 }
        guard let bits = value.integerBits, bits >= 0 else { return nil }
        return Int(bits)
    }
}

/// One row of `proposeChanges` (Replication 3.7).
struct ProposalRow: Sendable {
    var documentID: String
    var revision: RevisionID
    /// The vector of the revision; empty for one of a tree.
    var versions = VersionVector.empty
    /// The revision that the sender assumes to be the peer's current one.
    var serverRevision: RevisionID?
    /// The approximate size of the body in bytes.
    var bodySize: Int

    static func json(_ rows: some Collection<ProposalRow>, _ naming: RevisionNaming = .trees) -> [UInt8] {
        array(rows) { row, writer in
            writer.value(row.documentID)
            writer.value(naming.text(row.revision, row.versions))
            writer.value(row.serverRevision.map { naming.text($0) } ?? "")
            writer.value(row.bodySize)
        }
    }
}

/// The rows of an outgoing `changes` message (Replication 3.6).
enum AnnouncementRow {
    /// Returns the body of the message. Default values at the end of a row are omitted.
    static func json(_ changes: some Collection<AnnouncedChange>, _ naming: RevisionNaming = .trees) -> [UInt8] {
        array(changes) { announced, writer in
            let change = announced.change
            writer.value(json: announced.sequence.utf8)
            writer.value(change.documentID)
            writer.value(naming.text(change.revision))
            if let loss = announced.loss { return writer.value(loss.rawValue | (change.isDeleted && loss == .revoked ? 1 : 0)) }
            guard change.isDeleted || change.bodySize > 0 else { return }
            writer.value(change.isDeleted)
            if change.bodySize > 0 { writer.value(change.bodySize) }
        }
    }
}

/// A change that a passive session announces (Replication 3.6).
package struct AnnouncedChange: Sendable {
    /// Why the client may not read a document anymore.
    package enum Loss: Int, Sendable {
        /// The user has lost the access to the document's channels.
        case revoked = 2
        /// The document has left the user's channels.
        case removed = 4
    }

    /// The revision to announce.
    package let change: LocalChange
    /// The sequence that the client stores and returns, in JSON.
    package let sequence: String
    /// Set if the client should remove its copy of the document.
    package let loss: Loss?

    package init(_ change: LocalChange, sequence: String, loss: Loss? = nil) {
        (self.change, self.sequence, self.loss) = (change, sequence, loss)
    }

    init(_ change: LocalChange) { self.init(change, sequence: String(change.sequence)) }
}

/// Returns a JSON array of arrays, each filled by `writeItems`.
private func array<Row>(_ rows: some Collection<Row>, _ writeItems: (Row, inout JSONWriter) -> Void) -> [UInt8] {
    JSONWriter.array(capacity: 16 + rows.count * 128, rows) { writer, row in
        writer.beginArray()
        writeItems(row, &writer)
        writer.endArray()
    }.byteArray
}
