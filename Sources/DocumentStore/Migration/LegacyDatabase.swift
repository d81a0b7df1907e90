import SQLiteEngine

/// Reads the documents of a database of 1.x (Storage format 6.2). To be used inside one transaction.
struct LegacyDatabase {
    /// One document, as far as it is taken over.
    struct Document {
        let id: String
        /// The winning revision and its ancestors, newest first.
        let history: [RevisionID]
        let isDeleted: Bool
        let hasAttachments: Bool
    }

    /// What cannot be taken over, and why.
    struct Failure: Error, CustomStringConvertible {
        let documentID: String?
        let reason: String

        var description: String { (documentID.map { "document \"\($0)\": " } ?? "") + reason }
    }

    private let documents: Statement
    private let winner: Statement
    private let ancestor: Statement

    /// - Throws: ``Failure`` when tables or columns are missing.
    init(_ connection: Connection) throws {
        try connection.registerCollation(name: LegacyRevisionOrder.name, compare: LegacyRevisionOrder.compare)
        for table in ["docs", "revs"] {
            // Not a view, whose statement could do anything.
            let isTable = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = '\(table)'"
            guard try connection.scalar(isTable) != nil else { throw Failure(documentID: nil, reason: "it has no table \"\(table)\"") }
        }
        do {
            if let id = try connection.scalarText("SELECT docid FROM docs GROUP BY docid HAVING count(*) > 1 LIMIT 1") {
                throw Failure(documentID: id, reason: "there is more than one of this ID")
            }
            documents = try connection.prepare("SELECT doc_id, docid FROM docs ORDER BY doc_id")
            winner = try connection.prepare(
                """
                SELECT sequence, revid, parent, deleted, no_attachments, json FROM revs
                WHERE doc_id = ? AND current != 0 ORDER BY deleted, revid DESC LIMIT 1
                """
            )
            ancestor = try connection.prepare("SELECT revid, parent, doc_id FROM revs WHERE sequence = ?")
        } catch let error as SQLiteError where !error.isCorrupt {
            throw Failure(documentID: nil, reason: error.message)
        }
    }

    /// Finds the next document that is to be taken over, and calls `body` with it and with the JSON of its properties, which is
    /// valid during the call.
    ///
    /// - Parameter maximumDepth: How many revisions of its history are wanted.
    /// - Returns: False when there are no more documents.
    func next(maximumDepth: Int, _ body: (Document, UnsafeRawBufferPointer) throws -> Void) throws -> Bool {
        while try documents.step() {
            let (number, id) = (documents.int64(at: 0), documents.text(at: 1))
            // 1.x has none of these in this table.
            if id.hasPrefix("_") { continue }
            try winner.bind(number, at: 1)
            defer { winner.reset() }
            guard try winner.step() else { continue }
            let document = Document(
                id: id,
                history: try history(ofDocument: number, id, maximumDepth),
                isDeleted: winner.int64(at: 3) != 0,
                hasAttachments: !winner.isNull(at: 4) && winner.int64(at: 4) == 0
            )
            try body(document, winner.blob(at: 5))
            return true
        }
        return false
    }

    private func history(ofDocument number: Int64, _ id: String, _ maximumDepth: Int) throws -> [RevisionID] {
        guard let current = RevisionID(winner.text(at: 1)) else { throw Failure(documentID: id, reason: "its revision ID is malformed") }
        var history = [current]
        var (child, parent) = (winner.int64(at: 0), winner.isNull(at: 2) ? nil : winner.int64(at: 2))
        while let sequence = parent, history.count < maximumDepth {
            // Sequences grow with every revision, so a history that does not go down would never end.
            guard sequence < child else { throw Failure(documentID: id, reason: "its history goes in a circle") }
            try ancestor.bind(sequence, at: 1)
            defer { ancestor.reset() }
            // What 1.x has pruned is not there any more.
            guard try ancestor.step() else { break }
            guard ancestor.int64(at: 2) == number else { throw Failure(documentID: id, reason: "its history leads to another document") }
            guard let revision = RevisionID(ancestor.text(at: 0)) else {
                throw Failure(documentID: id, reason: "a revision ID in its history is malformed")
            }
            let generation = history[history.count - 1].generation
            guard revision.generation < generation else {
                throw Failure(documentID: id, reason: "the generations of its history do not go down")
            }
            // A gap ends the history: a tree has none (Storage format 6.3).
            guard revision.generation == generation - 1 else { break }
            history.append(revision)
            (child, parent) = (sequence, ancestor.isNull(at: 1) ? nil : ancestor.int64(at: 1))
        }
        return history
    }
}
