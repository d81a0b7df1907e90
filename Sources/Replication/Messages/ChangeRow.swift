import DocumentStore
import Fleece
import SyncCore

/// A revision that a peer announces: a row of `changes` (Replication 3.6).
struct ChangeRow {
    let sequence: RemoteSequence
    let documentID: String
    /// Nil when it is none that could be stored.
    let revision: RevisionID?
    /// 1: deleted, 2: access revoked, 4: removed from its channels.
    let flags: Int

    var isDeleted: Bool { flags & 1 != 0 }

    /// Whether the row says that the user may not see the document any more. One that was deleted while it left its channels is
    /// an ordinary deletion (Replication 4.6).
    var isAccessLost: Bool { flags > 1 && flags != 5 }
}

extension ChangeRow {
    /// More rows are not taken from one message; peers send at most 200 (Replication 4.13).
    static let maximumCount = 10_000

    /// Reads the body of a `changes` message. It is empty when the peer has no more: `[]`, `null`, or no body.
    ///
    /// - Throws: {HTTP, 400}, for one bad row too: what cannot be read would be lost if the others were taken.
    static func rows(_ body: [UInt8]) throws(SyncError) -> [ChangeRow] {
        if body.isEmpty { return [] }
        let list: FleeceData
        do {
            list = try FleeceData.parsing(json: body)
        } catch {
            throw malformed("\(error)")
        }
        let rows = try list.withRoot { root throws(SyncError) -> [ChangeRow] in
            if root.isNull { return [] }
            guard let array = root.array else { throw malformed("it is no array") }
            guard array.count <= maximumCount else { throw malformed("there are more than \(maximumCount) rows") }
            var rows: [ChangeRow] = []
            rows.reserveCapacity(array.count)
            for index in 0..<array.count {
                guard let row = array[index]?.array.flatMap({ ChangeRow($0) }) else { throw malformed("row \(index) is none") }
                rows.append(row)
            }
            return rows
        }
        return rows ?? []
    }

    private static func malformed(_ what: String) -> SyncError {
        SyncError(.http, 400, "Invalid body of changes: \(what)")
    }

    /// Nil unless there are a sequence, a document ID and something like a revision ID.
    private init?(_ row: ArrayValue) {
        guard row.count >= 3, let sequence = row[0].flatMap({ RemoteSequence($0) }),
            let documentID = row[1]?.string, (1...255).contains(documentID.utf8.count),
            let revision = row[2]?.string, revision.utf8.contains(UInt8(ascii: "-")),
            let flags = Self.flags(row[3])
        else { return nil }
        self.sequence = sequence
        self.documentID = documentID
        self.revision = RevisionID(revision)
        self.flags = flags
    }

    /// A boolean, or the bits as a number; missing means none.
    private static func flags(_ value: Value?) -> Int? {
        guard let value, !value.isNull else { return 0 }
        if let isDeleted = value.boolean { return isDeleted ? 1 : 0 }
        guard let bits = value.integerBits, bits >= 0 else { return nil }
        return Int(bits)
    }
}
