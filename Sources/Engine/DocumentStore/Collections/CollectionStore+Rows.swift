import SQLiteEngine

extension CollectionStore {
    /// Prunes, sorts and writes the changed tree of a document over its row, and moves the row between the live and the tombstone table if
    /// necessary (Storage format 2.4 and 3.8). Assigns a new sequence to the document, and returns it.
    func write(_ changed: RevisionTree, over row: StoredRow, state: CollectionWriteState, in writer: Writer) throws -> UInt64 {
        let (tree, current) = try tidied(changed, of: row.id, in: writer)
        return try write(NewRow(tree, current: current, sequence: try state.counters.documents.next), over: row, state: state, in: writer)
    }

    /// Writes the changed revisions of a document over its row, like a tree. The row has a version vector afterwards, or only an ID in a tree
    /// (Version vectors 3.2).
    func write(_ changed: KnownRevisions, over row: StoredRow, state: CollectionWriteState, in writer: Writer) throws -> UInt64 {
        let known = try numberingBranches(of: changed, row.id, in: writer)
        return try write(NewRow(known, of: row.id, sequence: try state.counters.documents.next), over: row, state: state, in: writer)
    }

    private func write(_ record: NewRow, over row: StoredRow, state: CollectionWriteState, in writer: Writer) throws -> UInt64 {
        let statements = writer.context.statements(of: self)
        let goesToTombstones = record.flags.contains(.deleted)
        // A document that is created over a tombstone is a new one, which does not expire (Storage format 3.11).
        let keepsExpiration = goesToTombstones || !row.flags.contains(.deleted)
        if goesToTombstones == row.isInTombstoneTable {
            let update = statements.update[isTombstone: goesToTombstones]
            try writer.changing(self) { try record.bind(to: try update.on(writer.connection)) { try $0.bind(row.rowID, at: 1) } }
            if !keepsExpiration, row.expiration != nil { _ = try setExpiration(nil, of: row.id, in: writer) }
        } else {
            try writer.connection.savepoint("move") {
                let removal = statements.delete[isTombstone: row.isInTombstoneTable]
                try writer.changing(self) {
                    let delete = try removal.on(writer.connection)
                    defer { delete.reset() }
                    try delete.bind(row.rowID, at: 1)
                    try delete.run()
                }
                let insertion = statements.move[isTombstone: goesToTombstones]
                try record.bind(to: try insertion.on(writer.connection)) { statement in
                    try statement.bindText(row.id, at: 1)
                    if keepsExpiration, let expiration = row.expiration {
                        try statement.bind(expiration, at: 7)
                    } else {
                        try statement.bindNull(at: 7)
                    }
                }
            }
            countRemoval(from: row.isInTombstoneTable, state)
            if goesToTombstones { state.counters.hasNoTombstones = false }
        }
        state.counters.countChange += (goesToTombstones ? 0 : 1) - (isCounted(row) ? 1 : 0)
        state.counters.documents.advance()
        return record.sequence
    }

    /// Writes a live revision over the row of its parent, which is live too. Assigns a new sequence to the document, and returns it.
    func write(
        _ next: NextRevision,
        _ revision: TreeRevisionID,
        body: UnsafeRawBufferPointer,
        over row: StoredRow,
        state: CollectionWriteState,
        in writer: Writer
    ) throws -> UInt64 {
        let sequence = try state.counters.documents.next
        let statement = try writer.context.statements(of: self).update.live.on(writer.connection)
        try writer.changing(self) {
            defer { statement.reset() }
            try statement.bind(row.rowID, at: 1)
            try revision.withBinary { version in
                try next.tree.withUnsafeBytes { tree in
                    let flags: RecordFlags = next.hasAttachments ? .hasAttachments : []
                    try statement.bind(sequence, flagBits: Int64(flags.rawValue), borrowing: (version, body, tree))
                    _ = try statement.step()
                }
            }
        }
        state.counters.documents.advance()
        return sequence
    }

    /// Writes a tree in which only metadata of revisions has changed, not the current revision: the document keeps its sequence, and
    /// observers are not notified (Storage format 3.8). Writes nothing if the stored form is unchanged.
    func writeMetadata(_ changed: RevisionTree, over row: StoredRow, in writer: Writer) throws {
        let (tree, current) = try tidied(changed, of: row.id, in: writer)
        guard .tree(current.id) == row.version else {
            throw StoreError.corruptDocument(documentID: row.id, reason: "its revision is not the first of its tree")
        }
        try writeMetadata(NewRow(tree, current: current, sequence: row.sequence), over: row, in: writer)
    }

    /// Writes revisions of which only those known at remotes have changed, like a tree.
    func writeMetadata(_ changed: KnownRevisions, over row: StoredRow, in writer: Writer) throws {
        let known = try numberingBranches(of: changed, row.id, in: writer)
        try writeMetadata(NewRow(known, of: row.id, sequence: row.sequence), over: row, in: writer)
    }

    private func writeMetadata(_ changed: NewRow, over row: StoredRow, in writer: Writer) throws {
        var record = changed
        // Unknown flags are preserved.
        record.flags.formUnion(row.flags.subtracting(.known))
        guard record.extra != row.extra || record.flags != row.flags else { return }
        record.subsequence = row.subsequence &+ 1
        let statements = writer.context.statements(of: self)
        // In the layout of 2.x, the body has the tree.
        guard row.extra != nil || row.body.first != 0 else {
            let update = statements.update[isTombstone: row.isInTombstoneTable]
            return try writer.changing(self) { try record.bind(to: try update.on(writer.connection)) { try $0.bind(row.rowID, at: 1) } }
        }
        let statement = try statements.updateMetadata[isTombstone: row.isInTombstoneTable].on(writer.connection)
        try writer.changing(self) {
            defer { statement.reset() }
            try statement.bind(row.rowID, at: 1)
            try statement.bind(record.flagBits, at: 2)
            if let extra = record.extra { try statement.bindBlob(extra, at: 3) } else { try statement.bindNull(at: 3) }
            try statement.run()
        }
    }

    /// Returns a changed tree as it is stored: pruned, sorted, and without bodies that need not be kept.
    ///
    /// - Throws: `corruptDocument` if the tree is empty or has too many revisions.
    private func tidied(
        _ changed: RevisionTree,
        of documentID: String,
        in writer: Writer
    ) throws(StoreError) -> (RevisionTree, current: Revision) {
        var tree = changed
        tree.prune(toDepth: writer.maximumTreeDepth)
        tree.sort()
        tree.dropBodiesOfAncestors()
        guard let current = tree.current else { throw .corruptDocument(documentID: documentID, reason: "its revision tree is empty") }
        guard tree.revisions.count <= RevisionTree.maximumCount else {
            throw .corruptDocument(documentID: documentID, reason: RevisionTreeError.Reason.tooMany.rawValue)
        }
        return (tree, current)
    }

    /// Writes the sorted tree of a document that does not exist yet, and assigns a sequence to the document.
    func insert(_ tree: RevisionTree, as documentID: String, in writer: Writer) throws {
        guard let current = tree.current else {
            throw StoreError.corruptDocument(documentID: documentID, reason: "its revision tree is empty")
        }
        let state = try writer.state(of: self)
        let statements = writer.context.statements(of: self)
        let insertion = statements.move[isTombstone: current.isDeleted]
        let record = NewRow(tree, current: current, sequence: try state.counters.documents.next)
        try record.bind(to: try insertion.on(writer.connection)) { statement in
            try statement.bindText(documentID, at: 1)
            try statement.bindNull(at: 7)
        }
        if current.isDeleted { state.counters.hasNoTombstones = false } else { state.counters.countChange += 1 }
        state.counters.documents.advance()
        writer.recordChange(of: documentID, in: self)
    }

    /// Whether the row is one of a live document, as in ``count()``.
    private func isCounted(_ row: StoredRow) -> Bool {
        !row.isInTombstoneTable && !(tables.liveTableMayHaveTombstones && row.flags.contains(.deleted))
    }

    /// Removes the row of a document.
    ///
    /// - Parameter isCounted: Whether the row is one of a live document, as in ``count()``.
    func removeRow(
        _ rowID: Int64,
        of documentID: String,
        fromTombstones isInTombstoneTable: Bool,
        isCounted: Bool,
        state: CollectionWriteState,
        in writer: Writer
    ) throws {
        let statements = writer.context.statements(of: self)
        let delete = try statements.delete[isTombstone: isInTombstoneTable].on(writer.connection)
        try writer.changing(self) {
            defer { delete.reset() }
            try delete.bind(rowID, at: 1)
            try delete.run()
        }
        countRemoval(from: isInTombstoneTable, state)
        if isCounted { state.counters.countChange -= 1 }
        writer.recordChange(of: documentID, in: self)
    }

    private func countRemoval(from tombstones: Bool, _ state: CollectionWriteState) {
        if tombstones { state.counters.tombstones.countPurge() } else { state.counters.documents.countPurge() }
    }
}

/// The new values of the columns of a document's row.
private struct NewRow {
    let sequence: UInt64
    var flags: RecordFlags
    /// The number of times the row has been written since its sequence was assigned (Storage format 3.8).
    var subsequence: Int64 = 0
    private let version: RowVersion
    /// `nil` for NULL, like ``extra``.
    private let body: [UInt8]?
    let extra: [UInt8]?

    /// The column `version`. The ID of a revision in a tree needs no allocation.
    private enum RowVersion {
        case tree(TreeRevisionID)
        case bytes([UInt8])

        func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
            switch self {
            case .tree(let id): try id.withBinary(body)
            case .bytes(let bytes): try bytes.withUnsafeBytes(body)
            }
        }
    }

    var flagBits: Int64 { Int64(flags.rawValue) | subsequence << 16 }

    init(_ tree: RevisionTree, current: Revision, sequence: UInt64) {
        self.sequence = sequence
        version = .tree(current.id)
        body = current.body ?? [0x70, 0x00]
        var flags: RecordFlags = current.isDeleted ? .deleted : []
        if tree.hasConflict { flags.insert(.conflicted) }
        if tree.revisions.contains(where: { $0.flags.contains(.hasAttachments) }) { flags.insert(.hasAttachments) }
        self.flags = flags
        var tree = tree
        // The body of the current revision is stored in its own column.
        tree.revisions[0].body = nil
        extra = tree.encoded()
    }

    /// - Throws: `corruptDocument` if the revisions cannot be encoded.
    init(_ known: KnownRevisions, of documentID: String, sequence: UInt64) throws(StoreError) {
        self.sequence = sequence
        flags = known.recordFlags
        let columns = try known.columns(of: documentID)
        (version, body, extra) = (.bytes(columns.version), columns.body, columns.extra)
    }

    /// Binds and runs a statement whose second to sixth parameters are these columns. `bindOthers` binds the other parameters.
    func bind(to statement: Statement, _ bindOthers: (Statement) throws -> Void) throws {
        try bindOthers(statement)
        try version.withBytes { version in
            try body.withBytesOrNull { body in
                try extra.withBytesOrNull { extra in
                    defer { statement.reset() }
                    try statement.bind(sequence, flagBits: flagBits, borrowing: (version, body, extra))
                    _ = try statement.step()
                }
            }
        }
    }
}

extension [UInt8]? {
    /// Calls `body` with the bytes, or with `nil`.
    func withBytesOrNull<Result>(_ body: (UnsafeRawBufferPointer?) throws -> Result) rethrows -> Result {
        switch self {
        case let bytes?: try bytes.withUnsafeBytes { try body($0) }
        case nil: try body(nil)
        }
    }
}

/// The binary columns of a row; `nil` stands for NULL.
typealias BinaryColumns = (version: UnsafeRawBufferPointer, body: UnsafeRawBufferPointer?, extra: UnsafeRawBufferPointer?)

extension Statement {
    /// Binds the columns that each revision changes, as the second to sixth parameters. The bytes must stay valid until the statement is
    /// reset.
    @inline(__always)
    func bind(_ sequence: UInt64, flagBits: Int64, borrowing columns: BinaryColumns) throws(SQLiteError) {
        try bind(Int64(bitPattern: sequence), at: 2)
        try bind(flagBits, at: 3)
        try bindBlob(borrowing: columns.version, at: 4)
        if let body = columns.body { try bindBlob(borrowing: body, at: 5) } else { try bindNull(at: 5) }
        if let extra = columns.extra { try bindBlob(borrowing: extra, at: 6) } else { try bindNull(at: 6) }
    }
}
