import SQLiteEngine

/// Where the current revision of a document was created.
package enum RevisionOrigin: Hashable, Sendable {
    /// In this database; or a client has pushed it to a listener, which the file does not tell apart.
    case local
    /// A replicator of this database has pulled it.
    case pulled
    /// The file does not tell: a remote database has the revision, and the record was changed after the revision was stored.
    case unknown
}

/// A document as the history of a database lists it.
package struct HistoryEntry: Sendable {
    /// The collection of the document.
    package let collection: CollectionID
    /// The ID of the document.
    package let documentID: String
    /// The sequence of the current revision.
    package let sequence: UInt64
    /// Whether the current revision is a tombstone.
    package let isDeleted: Bool
    /// Where the current revision was created.
    package let origin: RevisionOrigin
}

extension CollectionStore {
    /// Returns the documents whose current revision has a higher sequence, in the order of their sequences, including tombstones and damaged
    /// documents.
    ///
    /// - Parameter limit: The maximum number of documents.
    /// - Complexity: O(*n*) in the number of returned documents if there is an index of sequences. Reads their trees, and no bodies except in the
    ///   layout of 2.x, where they are in one value.
    func history(after sequence: UInt64, limit: Int) throws -> [HistoryEntry] {
        try checkExists()
        return try file.read { context in
            let columns = "key, sequence, flags, \(tables.extraColumn), \(tables.treeInBodyColumn)"
            let selects = tables.all.map { "SELECT \(columns) FROM \($0) WHERE sequence > ?1" }
            let statement = try context.connection.cachedStatement(selects.joined(separator: " UNION ALL ") + " ORDER BY 2 LIMIT ?2")
            defer { statement.reset() }
            try statement.bind(Int64(clamping: sequence), at: 1)
            try statement.bind(Int64(clamping: limit), at: 2)
            var entries: [HistoryEntry] = []
            while try statement.step() {
                let current = UInt64(clamping: statement.int64(at: 1))
                // In a damaged row, the column may hold a text, which SQLite sorts above all numbers.
                guard current > sequence else { continue }
                let bits = statement.int64(at: 2)
                let flags = RecordFlags(rawValue: UInt16(truncatingIfNeeded: bits))
                entries.append(
                    HistoryEntry(
                        collection: id,
                        documentID: statement.text(at: 0),
                        sequence: current,
                        isDeleted: flags.contains(.deleted),
                        origin: Self.origin(in: statement, flags, subsequence: bits >> 16)
                    )
                )
            }
            return entries
        }
    }

    /// Returns where the current revision of a row was created.
    ///
    /// A pulled revision is stored together with the remote that has it. That a remote has a local revision is stored later, as the flag *synced*
    /// or by writing the record again, both of which raise the subsequence (Storage format 3.3, 3.8, 3.9).
    private static func origin(in statement: Statement, _ flags: RecordFlags, subsequence: Int64) -> RevisionOrigin {
        let isInBody = statement.isNull(at: 3)
        guard StoredTree.isCurrentOnRemote(in: statement.blob(at: isInBody ? 4 : 3)) else { return .local }
        // Programs that write the layout of 2.x do not count subsequences.
        return !isInBody && subsequence == (flags.contains(.synced) ? 1 : 0) ? .pulled : .unknown
    }
}
