import ExactStrings
import Fleece
import SQLiteEngine

/// Checks the records of one collection.
struct CollectionChecker {
    private let collection: CollectionStore
    private let keys: SharedKeys
    private let blobs: BlobStore
    private var sequences: [UInt64: String] = [:]
    private var liveIDs: Set<ExactString> = []
    private var highestSequence: UInt64 = 0

    init(_ collection: CollectionStore, keys: SharedKeys, blobs: BlobStore) {
        self.collection = collection
        self.keys = keys
        self.blobs = blobs
    }

    mutating func check(_ connection: Connection, _ report: inout Report) throws {
        let tables = collection.tables
        for (table, isTombstoneTable) in [(tables.live, false), (tables.tombstones, true)] {
            guard let table else { continue }
            let statement = try connection.prepare("SELECT key, \(tables.rowColumns) FROM \(table) ORDER BY key")
            defer { statement.finalize() }
            while try statement.step() {
                check(statement, id: statement.text(at: 0), isTombstoneTable: isTombstoneTable, &report)
            }
        }
        let lastSequence = try StoreCounts(of: tables.store, on: connection).lastSequence
        if lastSequence < highestSequence {
            report.error(collection.id.fullName, "its last sequence is \(lastSequence), but a document has \(highestSequence)")
        }
    }

    private mutating func check(_ statement: Statement, id: String, isTombstoneTable: Bool, _ report: inout Report) {
        let subject = "\(collection.id.fullName)/\(id)"
        if isTombstoneTable {
            if liveIDs.contains(id) { report.error(subject, "it is stored twice, live and as a tombstone") }
        } else if collection.tables.tombstoneName != nil {
            liveIDs.insert(ExactString(id))
        }
        if !DocumentIdentifier.isValid(id) { report.warning(subject, "the document ID is invalid") }
        do throws(StoreError) {
            let row = try StoredRow(statement, id: id, firstColumn: 1, isInTombstoneTable: isTombstoneTable)
            checkSequence(row, subject, &report)
            try checkRevisions(row, subject, &report)
        } catch {
            report.error(subject, error.description)
        }
    }

    private mutating func checkSequence(_ row: StoredRow, _ subject: String, _ report: inout Report) {
        highestSequence = max(highestSequence, row.sequence)
        if row.sequence == 0 { report.error(subject, "it has no sequence") }
        if let other = sequences.updateValue(row.id, forKey: row.sequence) {
            report.error(subject, "it has the same sequence as document \"\(other)\"")
        }
    }

    private func checkRevisions(_ row: StoredRow, _ subject: String, _ report: inout Report) throws(StoreError) {
        let tree = try row.tree()
        if row.flags.contains(.deleted) { report.summary.tombstones += 1 } else { report.summary.documents += 1 }
        report.summary.revisions += tree.revisions.count
        checkLayout(row, subject, &report)
        guard let current = tree.current else { return }
        if current.id != row.version { report.error(subject, "its revision is not the first of its tree") }
        if current.isDeleted != row.flags.contains(.deleted) {
            report.error(subject, "its flags and its tree disagree on whether it is deleted")
        }
        if tree.hasConflict != row.flags.contains(.conflicted) {
            report.warning(subject, "its flags and its tree disagree on whether it is in conflict")
        }
        for index in tree.revisions.indices { checkBody(tree, index, row, subject, &report) }
    }

    private func checkLayout(_ row: StoredRow, _ subject: String, _ report: inout Report) {
        if row.isInTombstoneTable, !row.flags.contains(.deleted) {
            report.error(subject, "it is in the table of tombstones, but is not deleted")
        }
        if !row.isInTombstoneTable, row.flags.contains(.deleted), !collection.id.isDefault,
            collection.tables.tombstoneName != nil
        {
            report.error(subject, "it is a tombstone, but is in the table of live documents")
        }
        guard let extra = row.extra else { return }
        if row.body.isEmpty { report.error(subject, "it has no body") }
        // Byte 6 of a tree holds the flags of the first revision. `tree()` has checked that it exists.
        if RevisionFlags(rawValue: extra[6]).contains(.hasBody) {
            report.error(subject, "its current revision has a body in the tree as well")
        }
    }

    private func checkBody(_ tree: RevisionTree, _ index: Int, _ row: StoredRow, _ subject: String, _ report: inout Report) {
        let revision = tree.revisions[index]
        guard let body = revision.body else { return }
        let name = "\(subject) \(revision.id)"
        body.withUnsafeBytes { bytes in
            do throws(FleeceError) {
                try Validator.validate(bytes)
                guard let root = Value(root: bytes), root.type == .dictionary else {
                    return report.error(name, "its body is not a dictionary")
                }
                if let unknown = root.firstUnknownKey(keys) {
                    report.error(name, "its body has the unknown shared key \(unknown)")
                }
                checkReferences(root, revision, row, name, &report)
            } catch {
                report.error(name, error.description)
            }
            if isForeign(revision, in: tree, bytes) { report.summary.foreignRevisionIDs += 1 }
        }
    }

    private func checkReferences(_ root: Value, _ revision: Revision, _ row: StoredRow, _ name: String, _ report: inout Report) {
        let referenced = BlobReferences.digests(in: root, sharedKeys: keys)
        guard !referenced.isEmpty else { return }
        if !row.flags.contains(.hasAttachments) {
            report.error(name, "it refers to blobs, but the flag for attachments is not set; a compaction would remove them")
        }
        for digest in referenced where (try? blobs.contains(digest)) != true {
            report.error(name, "its blob \(digest) is missing")
        }
    }

    /// Returns whether the ID of a revision is not the digest of its body. IDs generated by this library are such digests.
    private func isForeign(_ revision: Revision, in tree: RevisionTree, _ body: UnsafeRawBufferPointer) -> Bool {
        let parent = revision.parent.map { tree.revisions[$0].id }
        // The digest includes the parent's ID, so it cannot be checked if the parent is missing.
        guard parent.map({ $0.generation + 1 == revision.id.generation }) ?? (revision.id.generation == 1) else { return false }
        return RevisionID.generate(parent: parent, isDeleted: revision.isDeleted, body: body) != revision.id
    }
}

extension Value {
    /// Returns the number of a shared key used anywhere in the value that `keys` does not contain, or `nil` if there is none.
    func firstUnknownKey(_ keys: SharedKeys) -> Int? {
        var budget = ValueBudget(for: self)
        return firstUnknownKey(keys, depth: 0, &budget)
    }

    private func firstUnknownKey(_ keys: SharedKeys, depth: Int, _ budget: inout ValueBudget) -> Int? {
        guard depth <= Limits.maximumDepth, budget.take() else { return nil }
        if let array {
            for index in 0..<array.count {
                if let found = array[index]?.firstUnknownKey(keys, depth: depth + 1, &budget) { return found }
            }
        } else if let dictionary {
            for (key, value) in dictionary.pairs {
                if case .shared(let number) = key, keys[number] == nil { return number }
                if let found = value.firstUnknownKey(keys, depth: depth + 1, &budget) { return found }
            }
        }
        return nil
    }
}
