import DocumentStore
import Fleece
import SyncCore

/// The rows of a `proposeChanges` message (Replication 3.7).
struct Proposals {
    /// The rows. `nil` for a row whose document ID or revision ID is invalid.
    let rows: [ProposedRevision?]

    /// The maximum number of rows in a message. Stock clients send 200.
    static let maximumCount = 10_000
    /// The maximum length of a document ID in bytes (Replication 4.6).
    static let maximumIDLength = 255

    /// - Throws: The error to respond with if the body is invalid.
    init(body: [UInt8], _ naming: RevisionNaming = .trees) throws(SyncError) {
        let data: FleeceData
        do {
            data = try FleeceData.parsing(json: body)
        } catch {
            throw SyncError(http: .badRequest, "proposeChanges: \(error)")
        }
        let rows = data.withRoot { root -> [ProposedRevision?]? in
            if root.isNull { return [] }
            guard let array = root.array, array.count <= Self.maximumCount else { return nil }
            var rows: [ProposedRevision?] = []
            rows.reserveCapacity(array.count)
            for index in 0..<array.count {
                guard let row = array[index]?.array, let id = row[0]?.string, let revision = row[1]?.string else { return nil }
                rows.append(Self.row(id, revision, row[2]?.string, naming))
            }
            return rows
        }
        guard let rows = rows ?? nil else {
            throw SyncError(http: .badRequest, "the body of proposeChanges must be an array of at most \(Self.maximumCount) rows")
        }
        self.rows = rows
    }

    private static func row(
        _ id: String,
        _ revision: String,
        _ serverRevision: String?,
        _ naming: RevisionNaming
    ) -> ProposedRevision? {
        guard (1...maximumIDLength).contains(id.utf8.count), let offer = naming.offer(of: id, revision) else { return nil }
        return ProposedRevision(offer, serverRevision: serverRevision.flatMap { naming.revision($0) })
    }

    /// Returns the answer of `evaluate` to each row; `nil` for invalid rows.
    func answers(_ evaluate: ([ProposedRevision]) throws -> [ProposalAnswer]) rethrows -> [ProposalAnswer?] {
        var answers = try evaluate(rows.compactMap(\.self)).makeIterator()
        return rows.map { $0 == nil ? nil : answers.next() }
    }

    /// Returns the body of the response: a status for each row, without zeros at the end.
    ///
    /// - Parameter namesRevisions: Whether a conflict includes the current revision, as requested by the client.
    static func reply(_ answers: [ProposalAnswer?], namesRevisions: Bool, _ naming: RevisionNaming = .trees) -> [UInt8] {
        let count = (answers.lastIndex { $0 != .send } ?? -1) + 1
        return JSONWriter.array(answers.prefix(count)) { writer, answer in
            switch answer {
            case .send?: writer.value(0)
            case .have?: writer.value(304)
            case .conflict(let current)? where namesRevisions: append(naming.text(current), to: &writer)
            case .conflictWithVector(let vector)? where namesRevisions:
                append(vector.current.map { naming.text(.version($0), vector) } ?? "", to: &writer)
            case .conflict?, .conflictWithVector?: writer.value(409)
            case .unreadable?: writer.value(500)
            case nil: writer.value(400)
            }
        }.byteArray
    }

    /// Appends a conflict with the current revision.
    private static func append(_ revision: String, to writer: inout JSONWriter) {
        writer.object {
            $0.member("status", 409)
            $0.member("rev", revision)
        }
    }
}
