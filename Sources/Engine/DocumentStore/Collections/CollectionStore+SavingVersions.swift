/// New revisions in databases with version vectors (Version vectors 4.2).
extension CollectionStore {
    /// Inserts a first revision. Returns `nil` if a document with that ID already exists.
    func insertVersion(_ save: DocumentSave, body: Body, state: CollectionWriteState, in writer: Writer) throws -> DocumentSaveOutcome? {
        let lineage = try writer.nextLineage(after: .empty, of: save.documentID)
        let sequence = try lineage.binary.withUnsafeBytes { binary in
            try insertRow(
                save.documentID,
                flags: body.hasBlobs ? .hasAttachments : [],
                (binary, body.bytes, nil),
                state: state,
                in: writer
            )
        }
        return sequence.map { .saved(lineage.id, sequence: $0) }
    }

    /// Adds a revision on top of the current one. A document with a tree is converted (Version vectors 3.7).
    func appendVersion(
        _ save: DocumentSave,
        body: Body,
        to row: StoredRow,
        state: CollectionWriteState,
        in writer: Writer
    ) throws -> DocumentSaveOutcome {
        var known = try row.knownRevisions()
        let lineage = try writer.nextLineage(after: known.current.lineage.vector, of: row.id)
        var flags: KnownRevision.Flags = save.isDeleted ? .deleted : []
        if body.hasBlobs { flags.insert(.hasAttachments) }
        known.replaceCurrent(with: KnownRevision(lineage: lineage, flags: flags, body: [UInt8](body.bytes)), writer.treeNaming)
        return .saved(lineage.id, sequence: try write(known, over: row, state: state, in: writer))
    }
}
