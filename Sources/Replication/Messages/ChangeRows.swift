import DocumentStore
import Fleece

/// One row of `proposeChanges` (Replication 3.7).
struct ProposalRow: Sendable {
    var documentID: String
    var revision: RevisionID
    /// The revision that the sender assumes to be the peer's current one.
    var serverRevision: RevisionID?
    /// The approximate size of the body in bytes.
    var bodySize: Int

    static func json(_ rows: some Collection<ProposalRow>) -> [UInt8] {
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

/// The rows of an outgoing `changes` message (Replication 3.6).
enum AnnouncementRow {
    /// Returns the body of the message. Default values at the end of a row are omitted.
    static func json(_ changes: some Collection<LocalChange>) -> [UInt8] {
        array(changes) { change, writer in
            writer.append(unsigned: change.sequence)
            writer.append(ascii: ",")
            writer.append(change.documentID)
            writer.append(ascii: ",")
            writer.append(change.revision.description)
            guard change.isDeleted || change.bodySize > 0 else { return }
            writer.append(ascii: ",")
            writer.append(change.isDeleted)
            guard change.bodySize > 0 else { return }
            writer.append(ascii: ",")
            writer.append(Int64(change.bodySize))
        }
    }
}

/// Returns a JSON array of arrays, each filled by `writeItems`.
private func array<Row>(_ rows: some Collection<Row>, _ writeItems: (Row, inout JSONWriter) -> Void) -> [UInt8] {
    var writer = JSONWriter(capacity: 16 + rows.count * 128)
    writer.append(array: rows) { row, writer in
        writer.append(ascii: "[")
        writeItems(row, &writer)
        writer.append(ascii: "]")
    }
    return writer.byteArray
}
