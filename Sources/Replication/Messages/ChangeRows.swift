package import DocumentStore
import Fleece

/// One row of `proposeChanges` (Replication 3.7).
package struct ProposalRow: Sendable {
    package var documentID: String
    package var revision: RevisionID
    /// The revision that the sender assumes to be the peer's current one.
    package var serverRevision: RevisionID?
    /// The approximate size of the body in bytes.
    package var bodySize: Int

    package init(documentID: String, revision: RevisionID, serverRevision: RevisionID?, bodySize: Int) {
        self.documentID = documentID
        self.revision = revision
        self.serverRevision = serverRevision
        self.bodySize = bodySize
    }

    /// Returns the body of the message.
    package static func json(_ rows: some Collection<ProposalRow>) -> [UInt8] {
        array(rows) { row, writer in
            writer.append(row.documentID)
            writer.append(ascii: ",")
            writer.append(row.revision.description)
            writer.append(ascii: ",")
            writer.append(row.serverRevision?.description ?? "")
            writer.append(ascii: ",")
            writer.append(Int64(row.bodySize))
        }
    }
}

/// One row of an outgoing `changes` message (Replication 3.6).
package struct AnnouncementRow: Sendable {
    package var sequence: UInt64
    package var documentID: String
    package var revision: RevisionID
    package var isDeleted: Bool
    /// The approximate size of the body in bytes.
    package var bodySize: Int

    package init(sequence: UInt64, documentID: String, revision: RevisionID, isDeleted: Bool, bodySize: Int) {
        self.sequence = sequence
        self.documentID = documentID
        self.revision = revision
        self.isDeleted = isDeleted
        self.bodySize = bodySize
    }

    /// Returns the body of the message. Default values at the end of a row are omitted.
    package static func json(_ rows: some Collection<AnnouncementRow>) -> [UInt8] {
        array(rows) { row, writer in
            writer.append(unsigned: row.sequence)
            writer.append(ascii: ",")
            writer.append(row.documentID)
            writer.append(ascii: ",")
            writer.append(row.revision.description)
            guard row.isDeleted || row.bodySize > 0 else { return }
            writer.append(ascii: ",")
            writer.append(row.isDeleted)
            guard row.bodySize > 0 else { return }
            writer.append(ascii: ",")
            writer.append(Int64(row.bodySize))
        }
    }
}

/// Returns a JSON array of arrays, each filled by `writeItems`.
private func array<Row>(_ rows: some Collection<Row>, _ writeItems: (Row, inout JSONWriter) -> Void) -> [UInt8] {
    var writer = JSONWriter(capacity: 16 + rows.count * 128)
    writer.append(ascii: "[")
    var isFirst = true
    for row in rows {
        if !isFirst { writer.append(ascii: ",") }
        isFirst = false
        writer.append(ascii: "[")
        writeItems(row, &writer)
        writer.append(ascii: "]")
    }
    writer.append(ascii: "]")
    return writer.byteArray
}
