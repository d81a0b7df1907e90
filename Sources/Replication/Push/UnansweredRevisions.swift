import DocumentStore
import ExactStrings
import Fleece

/// Revisions that were sent to a peer whose answers never came, because the connection broke off: the peer may have taken them or not.
///
/// The next session proposes them again. What the peer turns out to have then was pushed by this database, and its listeners have not been
/// told yet; that is all this list is for. It is stored beside the checkpoint, on this side only.
struct UnansweredRevisions: Equatable {
    /// More are not remembered: as many as are ever under way.
    static let maximumCount = 5000

    private var revisions: [ExactString: Entry] = [:]

    private struct Entry: Equatable {
        let documentID: String
        let revision: RevisionID
    }

    init() {}

    var isEmpty: Bool { revisions.isEmpty }

    mutating func insert(_ documentID: String, _ revision: RevisionID) {
        guard revisions.count < Self.maximumCount else { return }
        revisions[ExactString(documentID)] = Entry(documentID: documentID, revision: revision)
    }

    /// Forgets what is known of a document.
    mutating func remove(_ documentID: String) {
        if !revisions.isEmpty { revisions[ExactString(documentID)] = nil }
    }

    /// Takes a revision off the list; false when it is not there.
    mutating func take(_ documentID: String, _ revision: RevisionID) -> Bool {
        guard !revisions.isEmpty, revisions[ExactString(documentID)]?.revision == revision else { return false }
        revisions[ExactString(documentID)] = nil
        return true
    }

    // MARK: Stored form

    /// A list of document IDs and revision IDs in turn.
    func json() -> [UInt8] {
        var writer = JSONWriter()
        writer.append(ascii: "[")
        let entries = revisions.values.sorted { $0.documentID.utf8.lexicographicallyPrecedes($1.documentID.utf8) }
        for (index, entry) in entries.enumerated() {
            if index > 0 { writer.append(ascii: ",") }
            writer.append(entry.documentID)
            writer.append(ascii: ",")
            writer.append(entry.revision.description)
        }
        writer.append(ascii: "]")
        return writer.byteArray
    }

    /// Reads the stored form. What makes no sense is passed over.
    init(json: [UInt8]) {
        guard let data = try? FleeceData.parsing(json: json) else { return }
        data.withRoot { root in
            guard let list = root.array else { return }
            for index in stride(from: 0, to: list.count - 1, by: 2) {
                guard let documentID = list[index]?.string,
                    let revision = list[index + 1]?.string.flatMap({ RevisionID($0) })
                else { continue }
                insert(documentID, revision)
            }
        }
    }
}

extension ReplicaDatabase {
    /// The list that belongs to the checkpoint of that name.
    func unansweredRevisions(_ checkpointName: String) throws -> UnansweredRevisions {
        try checkpoint(Self.unansweredName(checkpointName)).map { UnansweredRevisions(json: $0) }
            ?? UnansweredRevisions()
    }

    func setUnansweredRevisions(_ revisions: UnansweredRevisions, _ checkpointName: String) throws {
        let name = Self.unansweredName(checkpointName)
        if revisions.isEmpty { try removeCheckpoint(name) } else { try setCheckpoint(name, revisions.json()) }
    }

    /// No checkpoint has such a name (Replication 4.2).
    private static func unansweredName(_ checkpointName: String) -> String { "unanswered-" + checkpointName }
}
