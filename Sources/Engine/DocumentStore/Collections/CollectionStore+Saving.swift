package import Fleece
import SQLiteEngine

extension CollectionStore {
    /// Stores a change of a document as a new revision with a new sequence (Storage format 3.8).
    ///
    /// - Parameters:
    ///   - writer: The transaction; see ``DatabaseFile/transaction(_:)``.
    ///   - encodeBody: Writes the properties, a dictionary, and returns whether they refer to blobs; `nil` to determine this from them.
    /// - Throws: `invalidDocumentID`, `reservedKey`, or `corruptDocument` if the stored document is damaged.
    package func save(_ save: DocumentSave, in writer: Writer, encodeBody: (inout Encoder) throws -> Bool?) throws -> DocumentSaveOutcome {
        try prepare(save, in: writer)
        writer.encoder.reset()
        let hasBlobs = try encodeBody(&writer.encoder)
        return try self.save(save, body: try encodedBody(hasBlobs, in: writer), in: writer)
    }

    /// Stores a new revision of an existing document, made from its current properties.
    ///
    /// - Parameters:
    ///   - encodeBody: Writes the new properties, a dictionary, and returns whether they differ. It gets the current ones, and the shared keys
    ///     of both.
    /// - Returns: `nil` if they do not differ; `missing` if the document does not exist or is deleted; `encodeBody` is not called then.
    /// - Throws: `reservedKey`, or `corruptDocument` if the stored document is damaged.
    package func update(
        _ documentID: String,
        in writer: Writer,
        encodeBody: (Value, SharedKeys, inout Encoder) throws -> Bool
    ) throws -> DocumentSaveOutcome? {
        let save = DocumentSave(documentID, base: .latest)
        try prepare(save, in: writer)
        let state = try writer.state(of: self)
        guard let row = try self.row(of: documentID, state: state, on: writer.context), !row.flags.contains(.deleted) else {
            return .missing
        }
        writer.encoder.reset()
        let isChanged = try row.body.withUnsafeBytes { bytes in
            guard let current = Value(root: RecordLayout.currentBody(in: bytes)) else {
                throw StoreError.corruptDocument(documentID: documentID, reason: "its properties are no valid Fleece data")
            }
            return try encodeBody(current, writer.keys.snapshot, &writer.encoder)
        }
        guard isChanged else {
            writer.encoder.reset()
            return nil
        }
        let body = try encodedBody(nil, in: writer)
        try check(body, of: save, in: writer)
        return didStore(try append(save, body: body, to: row, state: state, in: writer), save, body, in: writer)
    }

    /// Finishes the writer's encoder.
    private func encodedBody(_ hasBlobs: Bool?, in writer: Writer) throws -> Body {
        let bytes = try writer.encoder.finish()
        let containsBlobs = hasBlobs ?? Value(root: bytes).map { BlobReferences.containsBlobs($0, sharedKeys: writer.keys.snapshot) }
        return Body(bytes: bytes, hasBlobs: containsBlobs ?? false)
    }

    /// Like ``save(_:in:encodeBody:)``, with a body that was encoded before the transaction began.
    package func save(_ save: DocumentSave, encoded: EncodedBody, in writer: Writer) throws -> DocumentSaveOutcome {
        try prepare(save, in: writer)
        let bytes = try writer.adopt(encoded)
        return try self.save(save, body: Body(bytes: bytes, hasBlobs: encoded.hasBlobs), in: writer)
    }

    private func prepare(_ save: DocumentSave, in writer: Writer) throws {
        try checkExists()
        try writer.checkIsInTransaction()
        guard DocumentIdentifier.isValid(save.documentID) else { throw StoreError.invalidDocumentID(save.documentID) }
    }

    private func save(_ save: DocumentSave, body: Body, in writer: Writer) throws -> DocumentSaveOutcome {
        try check(body, of: save, in: writer)
        return didStore(try store(save, body: body, in: writer), save, body, in: writer)
    }

    private func check(_ body: Body, of save: DocumentSave, in writer: Writer) throws {
        try writer.guarded.bodies.checkReservedKeys(of: body.bytes, documentID: save.documentID)
        writer.publishKeysToFunctions()
    }

    private func didStore(_ outcome: DocumentSaveOutcome, _ save: DocumentSave, _ body: Body, in writer: Writer) -> DocumentSaveOutcome {
        if case .saved = outcome {
            writer.recordChange(of: save.documentID, in: self)
            writer.guarded.bodies.notePrivateProperties(of: body.bytes, documentID: save.documentID, in: id)
        }
        return outcome
    }

    /// Stores a tombstone without properties.
    package func delete(_ documentID: String, base: DocumentSave.Base, in writer: Writer) throws -> DocumentSaveOutcome {
        try save(DocumentSave(documentID, base: base, isDeleted: true), in: writer) { encoder in
            encoder.beginDictionary()
            encoder.endDictionary()
            return false
        }
    }

    /// Encoded properties, in the memory of the encoder.
    struct Body {
        let bytes: UnsafeRawBufferPointer
        let hasBlobs: Bool
    }

    private func store(_ save: DocumentSave, body: Body, in writer: Writer) throws -> DocumentSaveOutcome {
        let state = try writer.state(of: self)
        if !save.isLikelyStored, save.mayBeFirst,
            let saved = try insert(save, body: body, state: state, in: writer)
        {
            return saved
        }
        guard let row = try self.row(of: save.documentID, state: state, on: writer.context) else {
            guard save.mayBeFirst else { return .missing }
            return try insert(save, body: body, state: state, in: writer) ?? .conflict
        }
        let isTombstone = row.flags.contains(.deleted)
        switch save.base {
        case .none where !isTombstone: return .conflict
        case .revision(let expected) where expected != row.version: return .conflict
        case .revision: break
        case .latestKnowing(let known) where known == row.version: break
        case .none, .latest, .latestKnowing:
            if save.isDeleted, isTombstone { return .alreadyDeleted(row.version, sequence: row.sequence) }
        }
        return try append(save, body: body, to: row, state: state, in: writer)
    }

    // MARK: New documents

    /// Inserts a first revision. Returns `nil` if a document with that ID already exists.
    private func insert(_ save: DocumentSave, body: Body, state: CollectionWriteState, in writer: Writer) throws -> DocumentSaveOutcome? {
        if writer.usesVersions { return try insertVersion(save, body: body, state: state, in: writer) }
        let revision = TreeRevisionID.generate(parent: nil, isDeleted: false, body: body.bytes)
        let sequence = try revision.withBinary { version in
            try FirstRevision.withTree(of: version, hasAttachments: body.hasBlobs) { tree in
                try insertRow(
                    save.documentID,
                    flags: body.hasBlobs ? .hasAttachments : [],
                    (version, body.bytes, tree),
                    state: state,
                    in: writer
                )
            }
        }
        return sequence.map { .saved(.tree(revision), sequence: $0) }
    }

    /// Inserts the row of a document, which is a tombstone if the flags include `deleted`, and returns its new sequence. Returns `nil` if a
    /// document with that ID already exists; for a tombstone, the caller must ensure that there is no live document.
    func insertRow(
        _ documentID: String,
        flags: RecordFlags,
        _ columns: BinaryColumns,
        state: CollectionWriteState,
        in writer: Writer
    ) throws -> UInt64? {
        let statements = writer.context.statements(of: self)
        let isTombstone = flags.contains(.deleted)
        if isTombstone {
            state.counters.hasNoTombstones = false
        } else if !state.counters.hasNoTombstones, try statements.isTombstone.find(documentID, on: writer.connection, { _ in }) != nil {
            return nil
        }
        let sequence = try state.counters.documents.next
        let statement = try statements.insert[isTombstone: isTombstone].on(writer.connection)
        let defersTexts = try !isTombstone && state.texts.begin(self, writer.context)
        var key = documentID
        let inserted = try key.withUTF8 { utf8 in
            writer.context.evaluation.defersTexts = defersTexts
            defer {
                writer.context.evaluation.defersTexts = false
                statement.reset()
            }
            try statement.bindText(borrowing: UnsafeRawBufferPointer(utf8), at: 1)
            try statement.bind(sequence, flagBits: Int64(flags.rawValue), borrowing: columns)
            _ = try statement.step()
            return writer.connection.changes > 0
        }
        guard inserted else { return nil }
        if defersTexts { state.texts.add(rowID: writer.connection.lastInsertedRowID, size: columns.body?.count ?? 0) }
        if !isTombstone { state.counters.countChange += 1 }
        state.counters.documents.advance()
        return sequence
    }

    // MARK: Existing documents

    /// Returns the row of a document from either table, or `nil` if the document does not exist.
    ///
    /// - Parameter state: The state of the collection in a transaction; `nil` outside of one.
    func row(of documentID: String, state: CollectionWriteState? = nil, on context: ConnectionContext) throws -> StoredRow? {
        let statements = context.statements(of: self).row
        let live = try statements.live.find(documentID, on: context.connection) {
            try StoredRow($0, id: documentID, isInTombstoneTable: false)
        }
        if live != nil || state?.counters.hasNoTombstones ?? (tables.tombstoneName == nil) { return live }
        return try statements.tombstones.find(documentID, on: context.connection) {
            try StoredRow($0, id: documentID, isInTombstoneTable: true)
        }
    }

    /// Adds a revision as a child of the current one.
    private func append(
        _ save: DocumentSave,
        body: Body,
        to row: StoredRow,
        state: CollectionWriteState,
        in writer: Writer
    ) throws -> DocumentSaveOutcome {
        if writer.usesVersions { return try appendVersion(save, body: body, to: row, state: state, in: writer) }
        let revision = TreeRevisionID.generate(parent: try row.treeVersion, isDeleted: save.isDeleted, body: body.bytes)
        if !save.isDeleted, let parent = row.nextParent,
            let next = NextRevision(revision, hasAttachments: body.hasBlobs, after: parent, maximumDepth: writer.maximumTreeDepth)
        {
            return .saved(.tree(revision), sequence: try write(next, revision, body: body.bytes, over: row, state: state, in: writer))
        }
        var tree = try row.tree()
        guard tree.index(of: revision) == nil else {
            throw StoreError.corruptDocument(documentID: row.id, reason: "its revision tree already has the new revision")
        }
        var flags: RevisionFlags = save.isDeleted ? .deleted : []
        if body.hasBlobs { flags.insert(.hasAttachments) }
        _ = tree.append(revision, parent: 0, flags: flags, body: [UInt8](body.bytes))
        let sequence = try write(tree, over: row, state: state, in: writer)
        return .saved(.tree(revision), sequence: sequence)
    }
}
