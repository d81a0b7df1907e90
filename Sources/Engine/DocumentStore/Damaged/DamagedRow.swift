import Base
import Fleece
import SQLiteEngine

/// The columns of a document's row.
struct DamagedRow {
    let id: String
    let rowID: Int64
    let sequence: Int64
    let flags: Int64
    let version: [UInt8]
    var body: [UInt8]
    var extra: [UInt8]?
    let expiration: Int64?

    /// - Returns: `nil` if the record is not one of a document.
    init?(_ record: StoredRecord, columns: [ExactString: Int] = DamagedTables.usualColumns) {
        func value(_ name: String) -> StoredRecord.Value {
            guard let place = columns[ExactString(name)], place < record.values.count else { return .null }
            return record.values[place]
        }
        guard let id = value("key").text, let sequence = value("sequence").integer, let flags = value("flags").integer,
            let version = value("version").bytes
        else { return nil }
        let body = value("body")
        guard body == .null || body.bytes != nil else { return nil }
        self.id = id
        rowID = record.rowID
        self.sequence = sequence
        self.flags = flags
        self.version = version
        self.body = body.bytes ?? []
        extra = value("extra").bytes
        expiration = value("expiration").integer
    }

    var isDeleted: Bool { flags & Int64(RecordFlags.deleted.rawValue) != 0 }
}

extension DamagedRow {
    /// Checks the revision tree and the bodies. The body of a revision that is not the current one is removed if it is damaged.
    ///
    /// - Parameter lose: Called with the ID of each revision whose body was removed, and the reason.
    /// - Throws: `corruptDocument` if the current revision cannot be read.
    mutating func check(_ keys: SharedKeys, lose: (RevisionID, String) -> Void) throws(StoreError) {
        guard DocumentIdentifier.isValid(id) else { throw .corruptDocument(documentID: id, reason: "its ID is invalid") }
        let row = try StoredRow(self)
        switch try row.revisions() {
        case .tree(let tree): try check(tree, try row.treeVersion, keys, lose)
        case .known(let known): try check(known, keys, lose)
        }
    }

    /// Whether the row was written by 4.x.
    var isOfVersions: Bool { version.withUnsafeBytes { VersionVector.isVector($0) } || extra.map { KnownRevisions.isEncoded($0) } ?? false }

    private mutating func check(_ known: KnownRevisions, _ keys: SharedKeys, _ lose: (RevisionID, String) -> Void) throws(StoreError) {
        if let body = known.current.body, let reason = Self.damage(of: body, keys) {
            throw .corruptDocument(documentID: id, reason: reason)
        }
        var known = known
        var isChanged = false
        for (remote, revision) in known.remotes.sorted(by: { $0.key < $1.key }) {
            guard let body = revision.body, let reason = Self.damage(of: body, keys) else { continue }
            lose(revision.lineage.id, reason)
            known.remotes[remote]?.body = nil
            isChanged = true
        }
        guard isChanged else { return }
        extra = try known.extra(of: id)
    }

    private mutating func check(
        _ stored: RevisionTree,
        _ version: TreeRevisionID,
        _ keys: SharedKeys,
        _ lose: (RevisionID, String) -> Void
    ) throws(StoreError) {
        func damaged(_ reason: String) -> StoreError { .corruptDocument(documentID: id, reason: reason) }
        var tree = stored
        guard let current = tree.current, current.id == version else { throw damaged("its revision is not the first of its tree") }
        var isChanged = false
        for index in tree.revisions.indices {
            guard let body = tree.revisions[index].body, let reason = Self.damage(of: body, keys) else { continue }
            guard index > 0 else { throw damaged(reason) }
            lose(.tree(tree.revisions[index].id), reason)
            tree.revisions[index].body = nil
            isChanged = true
        }
        guard isChanged else { return }
        // In the layout of 3.x, the body of the current revision is apart from the tree.
        if let current = tree.revisions[0].body { body = current }
        tree.revisions[0].body = nil
        extra = tree.encoded()
    }

    private static func damage(of body: [UInt8], _ keys: SharedKeys) -> String? {
        body.withUnsafeBytes { bytes -> String? in
            do throws(FleeceError) {
                try Validator.validate(bytes)
            } catch {
                return error.description
            }
            guard let root = Value(root: bytes), root.type == .dictionary else { return "its body is not a dictionary" }
            return root.firstUnknownKey(keys).map { "its body has the unknown shared key \($0)" }
        }
    }
}

extension StoredRow {
    /// Creates the row as it would be read by SQLite.
    ///
    /// - Throws: `corruptDocument` if the ID of the current revision is invalid.
    init(_ row: DamagedRow) throws(StoreError) {
        do throws(LineageError) {
            lineage = try row.version.withUnsafeBytes { bytes throws(LineageError) in try Lineage(binary: bytes) }
        } catch {
            throw .corruptDocument(documentID: row.id, reason: error.description)
        }
        id = row.id
        rowID = row.rowID
        sequence = UInt64(clamping: row.sequence)
        flags = RecordFlags(rawValue: UInt16(truncatingIfNeeded: row.flags))
        subsequence = row.flags >> 16
        body = row.body
        extra = row.extra
        expiration = row.expiration
        isInTombstoneTable = row.isDeleted
    }
}
