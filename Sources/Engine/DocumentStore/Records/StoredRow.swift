import Fleece
import SQLiteEngine

/// A complete row of a data table, read in order to change the document.
struct StoredRow {
    let id: String
    let rowID: Int64
    let sequence: UInt64
    let flags: RecordFlags
    let subsequence: Int64
    let lineage: Lineage
    let body: [UInt8]
    let extra: [UInt8]?
    let expiration: Int64?
    /// Whether the row is in the table of tombstones.
    let isInTombstoneTable: Bool

    /// Reads the columns of ``CollectionTables/rowColumns``.
    init(_ statement: Statement, id: String, firstColumn: Int = 0, isInTombstoneTable: Bool) throws(StoreError) {
        self.id = id
        rowID = statement.int64(at: firstColumn)
        sequence = UInt64(clamping: statement.int64(at: firstColumn + 1))
        let flagBits = statement.int64(at: firstColumn + 2)
        flags = RecordFlags(rawValue: UInt16(truncatingIfNeeded: flagBits))
        subsequence = flagBits >> 16
        do throws(LineageError) {
            lineage = try Lineage(binary: statement.blob(at: firstColumn + 3))
        } catch {
            throw .corruptDocument(documentID: id, reason: error.description)
        }
        body = [UInt8](statement.blob(at: firstColumn + 4))
        extra = statement.isNull(at: firstColumn + 5) ? nil : [UInt8](statement.blob(at: firstColumn + 5))
        expiration = statement.isNull(at: firstColumn + 6) ? nil : statement.int64(at: firstColumn + 6)
        self.isInTombstoneTable = isInTombstoneTable
    }

    /// The ID of the current revision.
    var version: RevisionID { lineage.id }

    /// The ID of the current revision in its tree.
    ///
    /// - Throws: `corruptDocument` if it is a version, which a database with revision trees cannot have.
    var treeVersion: TreeRevisionID {
        get throws(StoreError) {
            guard case .tree(let id) = lineage else {
                throw .corruptDocument(documentID: id, reason: "it has a version vector, but its database has revision trees")
            }
            return id
        }
    }

    /// The row as the parent of another live revision, to be stored in the same row; `nil` if the row is a tombstone or in conflict, or if its
    /// layout or flags have to change with the tree.
    var nextParent: NextRevision.Parent? {
        guard let extra, case .tree(let version) = lineage, !isInTombstoneTable, flags.isDisjoint(with: [.deleted, .conflicted, .synced])
        else { return nil }
        return NextRevision.Parent(version: version, sequence: sequence, body: body, tree: extra)
    }

    /// Returns the revisions, in any form of the record.
    ///
    /// - Throws: `corruptDocument` if they cannot be decoded.
    func revisions() throws(StoreError) -> StoredRevisions {
        hasTree ? .tree(try tree()) : .known(try KnownRevisions(self))
    }

    /// Whether the record has a tree: not if its revision has a version vector, or if it was written by 4.x, with the revisions known at remotes
    /// (Version vectors 3.2).
    var hasTree: Bool {
        guard case .tree = lineage else { return false }
        guard let extra else { return body.first == 0 }
        return !KnownRevisions.isEncoded(extra)
    }

    /// Returns the revision tree, in either layout including the body of the current revision, and with a deferred "synced" flag applied
    /// (Storage format 3.2 and 3.3).
    ///
    /// - Throws: `corruptDocument` if the tree cannot be decoded.
    func tree() throws(StoreError) -> RevisionTree {
        do throws(RevisionTreeError) {
            var tree: RevisionTree
            if let extra {
                tree = try extra.withUnsafeBytes { bytes throws(RevisionTreeError) in
                    try RevisionTree(decoding: bytes, recordSequence: sequence)
                }
                // A row without a body violates the format; it reads as a document without properties.
                tree.revisions[0].body = body.isEmpty ? Array(FleeceData.emptyDictionary.bytes) : body
            } else {
                tree = try body.withUnsafeBytes { bytes throws(RevisionTreeError) in
                    try RevisionTree(decoding: bytes, recordSequence: sequence)
                }
            }
            if flags.contains(.synced) {
                tree.remotes[1] = 0
                tree.keepBodyOnly(of: 0)
            }
            return tree
        } catch {
            throw .corruptDocument(documentID: id, reason: error.description)
        }
    }
}

extension [UInt8] {
    /// Calls `body` with the bytes, like the standard method, but preserves the type of the thrown error.
    func withUnsafeBytes<Result, Failure: Error>(_ body: (UnsafeRawBufferPointer) throws(Failure) -> Result) throws(Failure) -> Result {
        let outcome: Swift.Result<Result, Failure> = withUnsafeBufferPointer { bytes in
            do throws(Failure) {
                return .success(try body(UnsafeRawBufferPointer(bytes)))
            } catch {
                return .failure(error)
            }
        }
        return try outcome.get()
    }
}
