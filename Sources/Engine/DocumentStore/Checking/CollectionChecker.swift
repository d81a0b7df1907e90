import Base
import Fleece
import SQLiteEngine

/// Checks the records of one collection.
struct CollectionChecker {
    private let id: CollectionID
    private let keys: SharedKeys
    private let hasVersionVectors: Bool
    private var highestSequence: UInt64 = 0
    private var sequences: RepeatedSequences

    /// - Parameters:
    ///   - hasVersionVectors: Whether the database may have records that 4.x has written.
    ///   - rows: About how many records the collection has.
    init(_ id: CollectionID, keys: SharedKeys, hasVersionVectors: Bool, rows: Int = 0) {
        self.id = id
        self.hasVersionVectors = hasVersionVectors
        // Sequences are higher than the number of records, because each change takes one.
        sequences = RepeatedSequences(limit: (1 << 22) + 64 * UInt64(clamping: min(rows, 1 << 24)))
        self.keys = keys
    }

    /// Checks all records, as SQLite reads them.
    ///
    /// - Parameter progress: Called for every record, with the number of records so far.
    /// - Throws: The error of SQLite if a page is damaged.
    mutating func check(
        _ collection: CollectionStore,
        _ connection: Connection,
        _ result: inout CheckResult,
        _ blobs: inout BlobReferencesChecker,
        progress: (Int) throws -> Void
    ) throws {
        let tables = collection.tables
        for (table, isTombstoneTable) in [(tables.live, false), (tables.tombstones, true)] {
            guard let table else { continue }
            let statement = try connection.prepare("SELECT key, \(tables.rowColumns) FROM \(table) ORDER BY rowid")
            defer { statement.finalize() }
            while try statement.step() {
                let id = statement.text(at: 0)
                do throws(StoreError) {
                    let row = try StoredRow(statement, id: id, firstColumn: 1, isInTombstoneTable: isTombstoneTable)
                    check(row, hasTombstoneTable: tables.tombstoneName != nil, &result, &blobs)
                } catch {
                    result.error(.document, "\(self.id.fullName)/\(id)", error.description)
                }
                try progress(result.documents + result.tombstones)
            }
        }
        try checkUniqueness(tables, connection, &result)
        let lastSequence = try StoreCounts(of: tables.store, on: connection).lastSequence
        if lastSequence < highestSequence {
            result.error(.table, id.fullName, "its last sequence is \(lastSequence), but a document has \(highestSequence)")
        }
    }

    /// Checks one record.
    mutating func check(_ row: StoredRow, hasTombstoneTable: Bool, _ result: inout CheckResult, _ blobs: inout BlobReferencesChecker) {
        let subject = "\(id.fullName)/\(row.id)"
        if !DocumentIdentifier.isValid(row.id) { result.warning(.document, subject, "the document ID is invalid") }
        highestSequence = max(highestSequence, row.sequence)
        if row.sequence == 0 { result.error(.document, subject, "it has no sequence") } else { sequences.insert(row.sequence) }
        checkLayout(row, hasTombstoneTable: hasTombstoneTable, subject, &result)
        do throws(StoreError) {
            try checkRevisions(row, subject, &result, &blobs)
        } catch {
            result.error(.document, subject, error.description)
        }
    }

    // MARK: Several records

    /// Finds IDs and sequences that occur twice.
    private func checkUniqueness(_ tables: CollectionTables, _ connection: Connection, _ result: inout CheckResult) throws {
        if let tombstones = tables.tombstones {
            let twice = try connection.texts(
                "SELECT key FROM \(tombstones) WHERE key IN (SELECT key FROM \(tables.live)) LIMIT \(CheckResult.maximumFindings)"
            )
            for id in twice { result.error(.document, "\(self.id.fullName)/\(id)", "it is stored twice, live and as a tombstone") }
        }
        for sequence in try repeatedSequences(tables, connection) {
            let keys = tables.all.map { "SELECT key FROM \($0) WHERE sequence = \(sequence)" }.joined(separator: " UNION ALL ")
            let ids = try connection.texts("\(keys) LIMIT \(CheckResult.maximumFindings)")
            for id in ids.dropFirst() {
                result.error(.document, "\(self.id.fullName)/\(id)", "it has the same sequence as document \"\(ids[0])\"")
            }
        }
    }

    /// Returns the sequences that occur more than once, sorted.
    private func repeatedSequences(_ tables: CollectionTables, _ connection: Connection) throws -> [UInt64] {
        guard sequences.isIncomplete else { return sequences.repeated.sorted() }
        // SQLite reads them in their order from indexes, or sorts them.
        let all = tables.all.map { "SELECT sequence FROM \($0)" }.joined(separator: " UNION ALL ")
        let statement = try connection.prepare("SELECT sequence FROM (\(all)) WHERE sequence > 0 GROUP BY sequence HAVING count(*) > 1")
        defer { statement.finalize() }
        var repeated: [UInt64] = []
        while try statement.step() { repeated.append(UInt64(clamping: statement.int64(at: 0))) }
        return repeated
    }

    // MARK: One record

    private func checkRevisions(
        _ row: StoredRow,
        _ subject: String,
        _ result: inout CheckResult,
        _ blobs: inout BlobReferencesChecker
    ) throws(StoreError) {
        let stored = try row.revisions()
        if row.flags.contains(.deleted) { result.tombstones += 1 } else { result.documents += 1 }
        switch stored {
        case .tree(let tree): check(tree, row, subject, &result, &blobs)
        case .known(let known): check(known, row, subject, &result, &blobs)
        }
    }

    private func check(
        _ tree: RevisionTree,
        _ row: StoredRow,
        _ subject: String,
        _ result: inout CheckResult,
        _ blobs: inout BlobReferencesChecker
    ) {
        result.revisions += tree.revisions.count
        // Byte 6 of a tree holds the flags of the first revision. `tree()` has checked that it exists.
        if let extra = row.extra, RevisionFlags(rawValue: extra[6]).contains(.hasBody) {
            result.error(.document, subject, "its current revision has a body in the tree as well")
        }
        guard let current = tree.current else { return }
        if .tree(current.id) != row.version { result.error(.document, subject, "its revision is not the first of its tree") }
        if current.isDeleted != row.flags.contains(.deleted) {
            result.error(.document, subject, "its flags and its tree disagree on whether it is deleted")
        }
        if tree.hasConflict != row.flags.contains(.conflicted) {
            result.warning(.document, subject, "its flags and its tree disagree on whether it is in conflict")
        }
        for index in tree.revisions.indices {
            let revision = tree.revisions[index]
            guard let body = revision.body else { continue }
            checkBody(body, row, "\(subject) \(revision.id)", &result, &blobs)
            if body.withUnsafeBytes({ isForeign(revision, in: tree, $0) }) { result.foreignRevisionIDs += 1 }
        }
    }

    /// Checks the revisions of a record that 4.x has written (Version vectors 3.6).
    private func check(
        _ known: KnownRevisions,
        _ row: StoredRow,
        _ subject: String,
        _ result: inout CheckResult,
        _ blobs: inout BlobReferencesChecker
    ) {
        if !hasVersionVectors {
            result.error(.document, subject, "it has the form of a record of 4.x, but its database has revision trees")
        }
        let revisions = [known.current] + known.remotes.sorted { $0.key < $1.key }.map(\.value)
        result.revisions += Set(revisions.map(\.lineage.id)).count
        if (known.conflicting != nil) != row.flags.contains(.conflicted) {
            result.warning(.document, subject, "its flags and its revisions at remotes disagree on whether it is in conflict")
        }
        for revision in revisions {
            guard let body = revision.body else { continue }
            checkBody(body, row, "\(subject) \(revision.lineage.id)", &result, &blobs)
        }
    }

    private func checkLayout(_ row: StoredRow, hasTombstoneTable: Bool, _ subject: String, _ result: inout CheckResult) {
        if row.isInTombstoneTable, !row.flags.contains(.deleted) {
            result.error(.document, subject, "it is in the table of tombstones, but is not deleted")
        }
        if !row.isInTombstoneTable, row.flags.contains(.deleted), !id.isDefault, hasTombstoneTable {
            result.error(.document, subject, "it is a tombstone, but is in the table of live documents")
        }
        if row.lineage.isTree, let extra = row.extra, !KnownRevisions.isEncoded(extra), row.body.isEmpty {
            result.error(.document, subject, "it has no body")
        }
    }

    private func checkBody(
        _ body: [UInt8],
        _ row: StoredRow,
        _ name: String,
        _ result: inout CheckResult,
        _ blobs: inout BlobReferencesChecker
    ) {
        body.withUnsafeBytes { bytes in
            do throws(FleeceError) {
                try Validator.validate(bytes)
                guard let root = Value(root: bytes), root.type == .dictionary else {
                    return result.error(.document, name, "its body is not a dictionary")
                }
                if let unknown = root.firstUnknownKey(keys) {
                    result.error(.document, name, "its body has the unknown shared key \(unknown)")
                }
                checkReferences(root, row, name, &result, &blobs)
            } catch {
                result.error(.document, name, error.description)
            }
        }
    }

    private func checkReferences(
        _ root: Value,
        _ row: StoredRow,
        _ name: String,
        _ result: inout CheckResult,
        _ blobs: inout BlobReferencesChecker
    ) {
        let referenced = BlobReferences.digests(in: root, sharedKeys: keys)
        guard !referenced.isEmpty else { return }
        if !row.flags.contains(.hasAttachments) {
            result.error(.document, name, "it refers to blobs, but the flag for attachments is not set; a compaction would remove them")
        }
        for digest in referenced where !blobs.reference(digest) {
            result.error(.blob, name, "its blob \(digest) is missing")
        }
    }

    /// Returns whether the ID of a revision is not the digest of its body. IDs generated by this library are such digests.
    private func isForeign(_ revision: Revision, in tree: RevisionTree, _ body: UnsafeRawBufferPointer) -> Bool {
        let parent = revision.parent.map { tree.revisions[$0].id }
        // The digest includes the parent's ID, so it cannot be checked if the parent is missing.
        guard parent.map({ $0.generation + 1 == revision.id.generation }) ?? (revision.id.generation == 1) else { return false }
        return TreeRevisionID.generate(parent: parent, isDeleted: revision.isDeleted, body: body) != revision.id
    }
}

extension Value {
    /// Returns the number of a shared key used anywhere in the value that `keys` does not contain, or `nil` if there is none.
    func firstUnknownKey(_ keys: SharedKeys) -> Int? {
        var budget = ValueBudget(for: self)
        return firstUnknownKey(keys, depth: 0, &budget)
    }

    private func firstUnknownKey(_ keys: SharedKeys, depth: Int, _ budget: inout ValueBudget) -> Int? {
        guard depth <= Limits.maximumDepth, budget.consume() else { return nil }
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

/// Finds sequences that occur twice. Takes a bit for each sequence up to the highest one.
struct RepeatedSequences {
    private var words: [UInt64] = []
    /// The sequences that were added before.
    private(set) var repeated: Set<UInt64> = []
    /// Whether a sequence was too high to be noted. Sequences in a damaged file can have any value.
    private(set) var isIncomplete = false

    private let limit: UInt64

    /// - Parameter limit: The highest sequence to be noted; at most 2^29, which takes 64 MB.
    init(limit: UInt64) { self.limit = min(limit, 1 << 29) }

    mutating func insert(_ sequence: UInt64) {
        guard sequence <= limit else { return isIncomplete = true }
        let (word, bit) = (Int(sequence / 64), UInt64(1) << (sequence % 64))
        if word >= words.count { words.append(contentsOf: repeatElement(0, count: max(word + 1 - words.count, words.count))) }
        if words[word] & bit != 0 { repeated.insert(sequence) }
        words[word] |= bit
    }
}
