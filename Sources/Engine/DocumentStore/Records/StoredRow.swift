import Fleece
import SQLiteEngine

/// A complete row of a data table, read in order to change the document.
struct StoredRow {
    let id: String
    let rowID: Int64
    let sequence: UInt64
    let flags: RecordFlags
    let subsequence: Int64
    let version: RevisionID
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
        guard let version = RevisionID(binary: statement.blob(at: firstColumn + 3)) else {
            throw .corruptDocument(documentID: id, reason: "its revision ID is invalid")
        }
        self.version = version
        body = [UInt8](statement.blob(at: firstColumn + 4))
        extra = statement.isNull(at: firstColumn + 5) ? nil : [UInt8](statement.blob(at: firstColumn + 5))
        expiration = statement.isNull(at: firstColumn + 6) ? nil : statement.int64(at: firstColumn + 6)
        self.isInTombstoneTable = isInTombstoneTable
    }

    /// The row as the parent of another live revision, to be stored in the same row; `nil` if the row is a tombstone or in conflict, or if its
    /// layout or flags have to change with the tree.
    var nextParent: NextRevision.Parent? {
        guard let extra, !isInTombstoneTable, flags.isDisjoint(with: [.deleted, .conflicted, .synced]) else { return nil }
        return NextRevision.Parent(version: version, sequence: sequence, body: body, tree: extra)
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
