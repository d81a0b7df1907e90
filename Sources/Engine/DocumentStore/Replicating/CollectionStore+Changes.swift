import SQLiteEngine

/// The current revision of a document, for finding the changes to push (Replication 4.5).
package struct LocalChange: Sendable {
    /// The ID of the document.
    package let documentID: String
    /// The sequence of the current revision, by which changes are ordered.
    package let sequence: UInt64
    /// The ID of the current revision.
    package let revision: RevisionID
    /// The vector of the current revision, if the changes are read for a remote; empty otherwise, and for a revision of a tree.
    package var versions = VersionVector.empty
    /// Whether the current revision is a tombstone.
    package let isDeleted: Bool
    /// Whether the document has an unresolved conflict.
    package let isConflicted: Bool
    /// Whether the body refers to blobs.
    package let hasAttachments: Bool
    /// The size of the stored body, including the tree in the layout of 2.x, in bytes. Used to report progress.
    package let bodySize: Int
    /// The latest revision known to be on the requested remote.
    package let remoteAncestor: RevisionID?
    /// Whether the document has expired and will be purged soon.
    package let isExpired: Bool
}

/// A change whose row is damaged, so that its revision is not known.
package struct DamagedChange: Sendable {
    /// The ID of the document.
    package let documentID: String
    /// The sequence of the row, so that the next changes can be read.
    package let sequence: UInt64
    /// What is damaged. The error names the document.
    package let error: StoreError
}

extension CollectionStore {
    /// Returns the documents whose current revision has a higher sequence, in the order of their sequences, including tombstones. Does not
    /// read bodies, and reads trees only as far as necessary.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of documents to return.
    ///   - remote: The number of the remote whose latest known revisions are returned; `nil` for none.
    ///   - view: How the revisions of the database are shown to the peer.
    ///   - skip: Called with each change that is damaged, which counts for the limit and is not returned; without it, its error is thrown.
    package func changes(
        after sequence: UInt64,
        limit: Int,
        remote: Int?,
        as view: RevisionView = .stored,
        skipping skip: (DamagedChange) throws -> Void = { throw $0.error }
    ) throws -> [LocalChange] {
        try checkExists()
        return try file.read { context in
            let statement = try context.connection.cachedStatement(changesSQL(isForRemote: remote != nil || view.isTrees))
            defer { statement.reset() }
            try statement.bind(Int64(clamping: sequence), at: 1)
            try statement.bind(Int64(clamping: limit), at: 2)
            var changes: [LocalChange] = []
            let now = file.options.clock.now
            while try statement.step() {
                let current = Self.sequence(in: statement)
                // In a damaged row the column may hold a text, which SQLite sorts above all numbers, but which does not convert to such a
                // number.
                guard current > sequence else { continue }
                do throws(StoreError) {
                    changes.append(try change(in: statement, remote: remote, view, now: now))
                } catch {
                    try skip(DamagedChange(documentID: statement.text(at: 0), sequence: current, error: error))
                }
            }
            return changes
        }
    }

    /// Calls `body` with the documents that ``changes(after:limit:remote:)`` returns, until it returns `false`, in one read snapshot. For many
    /// changes faster than reading them in pages if there is no index of sequences.
    package func forEachChange(after sequence: UInt64, _ body: (LocalChange) throws -> Bool) throws {
        try checkExists()
        try file.read { context in
            let statement = try context.connection.prepare(changesSQL(isForRemote: false))
            defer { statement.finalize() }
            try statement.bind(Int64(clamping: sequence), at: 1)
            try statement.bind(Int64(-1), at: 2)
            let now = file.options.clock.now
            while try statement.step() {
                let change = try self.change(in: statement, remote: nil, .stored, now: now)
                // See ``changes(after:limit:remote:)``.
                guard try change.sequence <= sequence || body(change) else { return }
            }
        }
    }

    /// Calls `body` with each tombstone, in the order of the sequences, until it returns `false`. Does not read bodies.
    package func forEachTombstone(_ body: (LocalChange) throws -> Bool) throws {
        try checkExists()
        try file.read { context in
            let columns = changeColumns(isForRemote: false)
            var sql = "SELECT \(columns) FROM \(tables.live) WHERE NOT (\(tables.liveCondition))"
            if let tombstones = tables.tombstones { sql += " UNION ALL SELECT \(columns) FROM \(tombstones)" }
            let statement = try context.connection.prepare(sql + " ORDER BY 2")
            defer { statement.finalize() }
            let now = file.options.clock.now
            while try statement.step() {
                guard try body(change(in: statement, remote: nil, .stored, now: now)) else { return }
            }
        }
    }

    /// Returns the current revision of one document, or `nil` if the document does not exist.
    package func change(of documentID: String, remote: Int?, as view: RevisionView = .stored) throws -> LocalChange? {
        try checkExists()
        return try file.read { context in
            for table in tables.all {
                let statement = try context.connection.cachedStatement(
                    "SELECT \(changeColumns(isForRemote: remote != nil || view.isTrees)) FROM \(table) WHERE key = ?1"
                )
                defer { statement.reset() }
                try statement.bindText(documentID, at: 1)
                if try statement.step() {
                    return try change(in: statement, remote: remote, view, now: file.options.clock.now)
                }
            }
            return nil
        }
    }

    /// Returns whether there are neither documents nor tombstones.
    package func isEmpty() throws -> Bool {
        try checkExists()
        return try file.read { context in
            try tables.all.allSatisfy { try context.connection.scalar("SELECT 1 FROM \($0) LIMIT 1") == nil }
        }
    }

    func changesSQL(isForRemote: Bool) -> String {
        let selects = tables.all.map { "SELECT \(changeColumns(isForRemote: isForRemote)) FROM \($0) WHERE sequence > ?1" }
        return selects.joined(separator: " UNION ALL ") + " ORDER BY 2 LIMIT ?2"
    }

    private func changeColumns(isForRemote: Bool) -> String {
        let columns = "key, sequence, flags, version, length(body), \(tables.expirationColumn)"
        return isForRemote ? columns + ", \(tables.extraColumn), \(tables.treeInBodyColumn)" : columns
    }

    /// Returns the ID by which clients with trees know a revision with a version.
    private static func name(in statement: Statement, of documentID: String, _ own: SourceID) throws(StoreError) -> RevisionID {
        let stored = statement.blob(at: statement.isNull(at: 6) ? 7 : 6)
        do throws(LineageError) {
            guard let id = try TreeNames.ids(version: statement.blob(at: 3), extra: stored, own: own).first else {
                throw LineageError(description: "it has no revision")
            }
            return .tree(id)
        } catch {
            throw .corruptDocument(documentID: documentID, reason: error.description)
        }
    }

    private static func sequence(in statement: Statement) -> UInt64 { UInt64(clamping: statement.int64(at: 1)) }

    private func change(in statement: Statement, remote: Int?, _ view: RevisionView, now: Int64) throws(StoreError) -> LocalChange {
        let id = statement.text(at: 0)
        guard var revision = RevisionID(binary: statement.blob(at: 3)) else {
            throw .corruptDocument(documentID: id, reason: "its revision ID is invalid")
        }
        if case .trees(let own) = view, case .version = revision { revision = try Self.name(in: statement, of: id, own) }
        var versions = VersionVector.empty
        if remote != nil, case .version = revision {
            versions = try StoreError.checking(id) { () throws(VersionError) in try VersionVector(binary: statement.blob(at: 3)) }
        }
        let flags = RecordFlags(rawValue: UInt16(truncatingIfNeeded: statement.int64(at: 2)))
        let expiration = statement.int64(at: 5)
        return LocalChange(
            documentID: id,
            sequence: Self.sequence(in: statement),
            revision: revision,
            versions: versions,
            isDeleted: flags.contains(.deleted),
            isConflicted: flags.contains(.conflicted),
            hasAttachments: flags.contains(.hasAttachments),
            bodySize: Int(statement.int64(at: 4)),
            remoteAncestor: remote.flatMap { remote in
                if remote == 1, flags.contains(.synced) { return revision }
                let remote = RevisionTree.RemoteID(remote)
                let stored = statement.blob(at: statement.isNull(at: 6) ? 7 : 6)
                return StoredTree.remoteAncestor(remote, in: stored).map { .tree($0) } ?? KnownRevisions.remoteAncestor(remote, in: stored)
            },
            isExpired: expiration > 0 && expiration <= now
        )
    }
}
