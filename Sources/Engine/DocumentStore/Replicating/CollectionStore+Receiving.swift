import Fleece
import SQLiteEngine

extension CollectionStore {
    /// Stores a revision that was created elsewhere, with its history (Replication 4.6, "Insert semantics").
    ///
    /// The first revision of a document costs little more than a normal save.
    ///
    /// - Parameters:
    ///   - remote: The number of the remote where it is the current revision; `nil` if there is none.
    ///   - writer: The transaction.
    /// - Throws: ``StoreError`` if the document ID or the body is invalid, or if the stored document is damaged. Nothing of the revision is
    ///   stored then, and the transaction can continue. ``BlobError`` if the contents of the revision cannot be written; the transaction must
    ///   be rolled back then.
    package func insert(_ received: ReceivedRevision, remote: Int?, in writer: Writer) throws -> ReceivedRevisionOutcome {
        let outcome = try insertWithoutContents(received, remote: remote, in: writer)
        switch outcome {
        case .inserted(_, let isConflict):
            try received.contents.install(in: file.blobs)
            if !isConflict, !received.isDeleted { writer.recordArrival(of: received.documentID, in: self) }
        // A client may send a revision again to repair a lost attachment.
        case .known: try received.contents.install(in: file.blobs)
        case .ignoredAsLate, .refusedAsConflict, .invalidHistory, .generationTooHigh, .invalidTime: break
        }
        return outcome
    }

    private func insertWithoutContents(_ received: ReceivedRevision, remote: Int?, in writer: Writer) throws -> ReceivedRevisionOutcome {
        try checkExists()
        try writer.checkIsInTransaction()
        guard DocumentIdentifier.isValid(received.documentID) else { throw StoreError.invalidDocumentID(received.documentID) }
        if received.isFromClient, try !leavesRoom(received, in: writer) { return .generationTooHigh }
        if writer.usesVersions { return try insertIntoVersions(received, remote: remote, in: writer) }
        guard let branch = received.branch else { return .invalidHistory }
        return try insert(received, branch, remote: remote, in: writer)
    }

    /// Returns whether other revisions can follow a revision with the IDs that a client has made.
    ///
    /// - Throws: `corruptDocument` if the revisions of the document cannot be decoded. They are read only if the generation is very high.
    private func leavesRoom(_ received: ReceivedRevision, in writer: Writer) throws -> Bool {
        let newest = received.revision.tree ?? received.history.lazy.compactMap(\.tree).first
        guard let newest, !newest.leavesRoom() else { return true }
        guard let row = try self.row(of: received.documentID, state: try writer.state(of: self), on: writer.context) else { return false }
        let known: [TreeRevisionID]
        switch try row.revisions() {
        case .tree(let tree): known = tree.revisions.map(\.id)
        case .known(let stored): known = stored.legacyBranch(namedBy: try file.versionSource())
        }
        let branch = ([received.revision] + received.history).compactMap(\.tree)
        guard let distance = branch.firstIndex(where: known.contains) else { return false }
        return newest.leavesRoom(after: branch[distance], distance: UInt64(distance))
    }

    /// Inserts a revision of a tree into a tree.
    func insert(_ received: ReceivedRevision, _ branch: [TreeRevisionID], remote: Int?, in writer: Writer) throws -> ReceivedRevisionOutcome
    {
        let bytes = try writer.adopt(received.body)
        // `bytes` may be the memory of the received body.
        return try withExtendedLifetime(received) {
            try writer.guarded.bodies.checkReservedKeys(of: bytes, documentID: received.documentID)
            writer.publishKeysToFunctions()
            let remote = remote.map { RevisionTree.RemoteID($0) }
            let state = try writer.state(of: self)
            // The insertion itself detects an existing live document, but a tombstone could be inserted although a live document exists.
            if !received.isOvertaken, try !received.isDeleted || !isLive(received.documentID, on: writer.context),
                let sequence = try insertFirst(received, branch, body: bytes, remote: remote, state: state, in: writer)
            {
                return .inserted(sequence: sequence, isConflict: false)
            }
            guard let row = try self.row(of: received.documentID, state: state, on: writer.context) else {
                // The later revision has been purged, by the app or because access to the document was lost.
                if received.isOvertaken { return .ignoredAsLate }
                throw StoreError.conflict(documentID: received.documentID)
            }
            return try merge(received, branch, body: bytes, remote: remote, over: row, state: state, in: writer)
        }
    }

    func isLive(_ documentID: String, on context: ConnectionContext) throws -> Bool {
        try context.statements(of: self).head.live.find(documentID, on: context.connection) { _ in } != nil
    }

    /// Inserts the first known revision of a document. Returns `nil` if the document exists. For a tombstone, does not check the live
    /// documents.
    private func insertFirst(
        _ received: ReceivedRevision,
        _ branch: [TreeRevisionID],
        body: UnsafeRawBufferPointer,
        remote: RevisionTree.RemoteID?,
        state: CollectionWriteState,
        in writer: Writer
    ) throws -> UInt64? {
        let tree = RevisionChain.encoded(
            branch[0],
            ancestors: branch.dropFirst().prefix(writer.maximumTreeDepth - 1),
            flags: received.flags(isFromRemote: remote != nil),
            remote: remote
        )
        var flags: RecordFlags = received.isDeleted ? .deleted : []
        if received.body.hasBlobs { flags.insert(.hasAttachments) }
        let sequence = try branch[0].withBinary { version in
            try tree.withUnsafeBytes { tree in
                try insertRow(received.documentID, flags: flags, (version, body, tree), state: state, in: writer)
            }
        }
        if sequence != nil { writer.recordChange(of: received.documentID, in: self) }
        return sequence
    }

    /// Adds the revision to an existing document.
    private func merge(
        _ received: ReceivedRevision,
        _ branch: [TreeRevisionID],
        body: UnsafeRawBufferPointer,
        remote: RevisionTree.RemoteID?,
        over row: StoredRow,
        state: CollectionWriteState,
        in writer: Writer
    ) throws -> ReceivedRevisionOutcome {
        var tree = try row.tree()
        let receipt = tree.receive(
            branch,
            flags: received.flags(isFromRemote: false),
            body: [UInt8](body),
            remote: remote,
            allowsConflict: received.allowsConflict,
            isOvertaken: received.isOvertaken,
            maximumDepth: writer.maximumTreeDepth
        )
        switch receipt {
        case .refused: return .refusedAsConflict
        case .late: return .ignoredAsLate
        case .known(let isRemoteAncestorMoved):
            if isRemoteAncestorMoved { try writeMetadata(tree, over: row, in: writer) }
            return .known
        case .inserted(let index):
            let isConflict = index != 0 && tree.revisions[index].isConflict && tree.hasConflict
            let sequence = try write(tree, over: row, state: state, in: writer)
            writer.recordChange(of: received.documentID, in: self)
            return .inserted(sequence: sequence, isConflict: isConflict)
        }
    }
}

extension ReceivedRevision {
    /// The flags of the revision in the tree. The body of the current revision of a remote is kept as the base of deltas and merges.
    fileprivate func flags(isFromRemote: Bool) -> RevisionFlags {
        var flags: RevisionFlags = isDeleted ? .deleted : []
        if body.hasBlobs { flags.insert(.hasAttachments) }
        if isFromRemote { flags.insert(.keepBody) }
        return flags
    }
}
