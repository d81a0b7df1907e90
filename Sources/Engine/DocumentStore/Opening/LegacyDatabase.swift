import Fleece
import SQLiteEngine

/// Reads the documents of a database of 1.x (Storage format 6.2). Must be used inside one transaction.
struct LegacyDatabase {
    /// One document, with the parts that are migrated.
    struct Document {
        let id: String
        /// The winning revision and its ancestors, newest first.
        let history: [TreeRevisionID]
        let isDeleted: Bool
        let hasAttachments: Bool
    }

    /// The reason why the database or a document cannot be migrated.
    struct Failure: Error, CustomStringConvertible {
        let documentID: String?
        let reason: String

        var description: String { (documentID.map { "document \"\($0)\": " } ?? "") + reason }
    }

    private let documents: Statement
    private let winner: Statement
    private let ancestor: Statement

    /// - Throws: ``Failure`` if tables or columns are missing, or if a document ID is not unique.
    init(_ connection: Connection) throws {
        try connection.registerCollation(name: LegacyRevisionOrder.name, compare: LegacyRevisionOrder.compare)
        for table in ["docs", "revs"] {
            // A view is rejected, because its statement could do anything.
            guard try connection.contains("table", named: table) else {
                throw Failure(documentID: nil, reason: "it has no table \"\(table)\"")
            }
        }
        do {
            if let id = try connection.scalarText("SELECT docid FROM docs GROUP BY docid HAVING count(*) > 1 LIMIT 1") {
                throw Failure(documentID: id, reason: "there is more than one document with this ID")
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

    /// Reads the next document to migrate, and calls `body` with it and with the JSON of its properties, which is valid only during the
    /// call.
    ///
    /// - Parameter maximumDepth: The maximum number of revisions in the document's history.
    /// - Returns: `false` if there are no more documents.
    func next(maximumDepth: Int, _ body: (Document, UnsafeRawBufferPointer) throws -> Void) throws -> Bool {
        while try documents.step() {
            let (number, id) = (documents.int64(at: 0), documents.text(at: 1))
            // 1.x does not store documents with such IDs in this table.
            if id.utf8.first == UInt8(ascii: "_") { continue }
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

    private func history(ofDocument number: Int64, _ id: String, _ maximumDepth: Int) throws -> [TreeRevisionID] {
        guard let current = TreeRevisionID(winner.text(at: 1)) else {
            throw Failure(documentID: id, reason: "its revision ID is malformed")
        }
        var history = [current]
        var (child, parent) = (winner.int64(at: 0), winner.isNull(at: 2) ? nil : winner.int64(at: 2))
        while let sequence = parent, history.count < maximumDepth {
            // Sequences increase with every revision. A history with a sequence that does not decrease could be an endless loop.
            guard sequence < child else { throw Failure(documentID: id, reason: "its history goes in a circle") }
            try ancestor.bind(sequence, at: 1)
            defer { ancestor.reset() }
            // Ancestors that 1.x has pruned are missing.
            guard try ancestor.step() else { break }
            guard ancestor.int64(at: 2) == number else { throw Failure(documentID: id, reason: "its history leads to another document") }
            guard let revision = TreeRevisionID(ancestor.text(at: 0)) else {
                throw Failure(documentID: id, reason: "a revision ID in its history is malformed")
            }
            let generation = history[history.count - 1].generation
            guard revision.generation < generation else {
                throw Failure(documentID: id, reason: "the generations of its history do not go down")
            }
            // A gap ends the history: a revision tree has no gaps (Storage format 6.3).
            guard revision.generation == generation - 1 else { break }
            history.append(revision)
            (child, parent) = (sequence, ancestor.isNull(at: 1) ? nil : ancestor.int64(at: 1))
        }
        return history
    }
}

/// The collation `REVID` of 1.x: revision IDs by generation, then by digest (Storage format 6.2).
enum LegacyRevisionOrder {
    static let name = "REVID"

    /// Returns a negative number, 0 or a positive number. Texts that are not revision IDs are compared by their bytes, and are ordered
    /// before revision IDs.
    static func compare(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Int {
        switch (generation(of: first), generation(of: second)) {
        case (let left?, let right?):
            if left.number != right.number { return left.number < right.number ? -1 : 1 }
            return compareBytes(
                UnsafeRawBufferPointer(rebasing: first[left.digestStart...]),
                UnsafeRawBufferPointer(rebasing: second[right.digestStart...])
            )
        case (nil, nil): return compareBytes(first, second)
        case (nil, _): return -1
        case (_, nil): return 1
        }
    }

    private static func generation(of id: UnsafeRawBufferPointer) -> (number: UInt64, digestStart: Int)? {
        var number: UInt64 = 0
        for (index, byte) in id.prefix(21).enumerated() {
            if byte == UInt8(ascii: "-") { return index > 0 ? (number, index + 1) : nil }
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            let (product, overflow) = number.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(UInt64(byte - UInt8(ascii: "0")))
            if overflow || carry { return nil }
            number = sum
        }
        return nil
    }
}
