import Base
import DocumentStore

/// Reads the changes of a collection in sequence order, one slice at a time, so that a long feed does not block other work of the session.
///
/// If only certain documents are wanted and there are more changes than those documents, the documents are looked up directly: five
/// documents in a million cost five look-ups.
struct ChangeCursor {
    struct Slice {
        var changes: [LocalChange]
        /// The wanted documents that are damaged, with the reasons.
        var damaged: [(documentID: String, error: any Error)] = []
        var examinedCount: Int
        /// Whether the end of the feed was reached at the time of the read.
        var isEnd: Bool
    }

    /// The maximum number of changes examined, or of documents looked up, per slice.
    static let sliceSize = 1000

    private let collection: ReplicaCollection
    private let remote: Int?
    private let chosen: Choice?
    private var lookup: Lookup?
    /// All changes up to this sequence have been examined.
    private(set) var position: UInt64

    /// - Parameters:
    ///   - position: The feed is read after this sequence.
    ///   - documentIDs: The wanted documents; `nil` for all.
    ///   - remote: The number of the remote whose latest known revisions are returned with the changes; `nil` for none.
    init(_ collection: ReplicaCollection, after position: UInt64, documentIDs: (some Sequence<String>)?, remote: Int?) {
        self.collection = collection
        self.position = position
        self.remote = remote
        chosen = documentIDs.map { Choice($0) }
    }

    /// Reads the next slice of the feed.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of changes to return.
    ///   - rows: The maximum number of changes to examine. Ignored if the documents are looked up directly.
    ///   - isWanted: Returns whether a change of a wanted document is returned.
    mutating func next(
        _ limit: Int,
        lookingAt rows: Int = sliceSize,
        where isWanted: (LocalChange) -> Bool = { _ in true }
    ) throws -> Slice {
        if lookup == nil, let chosen {
            let last = try collection.lastSequence()
            // Every change has its own sequence, so there are at most `last - position` changes.
            if last > position, last - position > chosen.ids.count { lookup = Lookup(target: last) }
        }
        return try lookup == nil ? walk(limit, rows, isWanted) : lookUp(limit, isWanted)
    }

    private mutating func walk(_ limit: Int, _ rows: Int, _ isWanted: (LocalChange) -> Bool) throws -> Slice {
        var damaged: [DamagedChange] = []
        let changes = try collection.changes(after: position, limit: rows, remote: remote) { damaged.append($0) }
        var slice = Slice(changes: [], examinedCount: 0, isEnd: false)
        for change in changes {
            position = change.sequence
            slice.examinedCount += 1
            guard chosen?.contains(change.documentID) ?? true, isWanted(change) else { continue }
            slice.changes.append(change)
            if slice.changes.count == limit { break }
        }
        if slice.examinedCount == changes.count {
            slice.isEnd = changes.count + damaged.count < rows
            position = max(position, damaged.last?.sequence ?? 0)
        }
        // Those after the position are read again.
        for change in damaged where change.sequence <= position {
            slice.examinedCount += 1
            if chosen?.contains(change.documentID) ?? true { slice.damaged.append((change.documentID, change.error)) }
        }
        return slice
    }

    // MARK: Chosen documents

    private struct Choice {
        private(set) var ids: [String] = []
        private var keys: Set<ExactString> = []

        init(_ documentIDs: some Sequence<String>) {
            for id in documentIDs {
                if keys.insert(ExactString(id)).inserted { ids.append(id) }
            }
        }

        func contains(_ documentID: String) -> Bool { keys.contains(ExactString(documentID)) }
    }

    /// The state of looking up the wanted documents, which may take several slices.
    private struct Lookup {
        /// The last sequence when the look-up began. Later changes are read from the feed afterwards.
        let target: UInt64
        var count = 0
        /// The changes found but not yet returned. After the last look-up they are sorted by descending sequence.
        var found: [LocalChange] = []
    }

    private mutating func lookUp(_ limit: Int, _ isWanted: (LocalChange) -> Bool) throws -> Slice {
        var slice = Slice(changes: [], examinedCount: 0, isEnd: false)
        guard var lookup, let ids = chosen?.ids else { return slice }
        if lookup.count < ids.count {
            try collection.withOneSnapshot {
                for id in ids[lookup.count...].prefix(Self.sliceSize) {
                    lookup.count += 1
                    slice.examinedCount += 1
                    do {
                        guard let change = try collection.change(of: id, remote: remote), change.sequence > position,
                            change.sequence <= lookup.target, isWanted(change)
                        else { continue }
                        lookup.found.append(change)
                    } catch let error as StoreError {
                        guard case .corruptDocument = error else { throw error }
                        slice.damaged.append((id, error))
                    }
                }
            }
            guard lookup.count == ids.count else {
                self.lookup = lookup
                return slice
            }
            lookup.found.sort { $0.sequence > $1.sequence }
        }
        while slice.changes.count < limit, let change = lookup.found.popLast() { slice.changes.append(change) }
        if lookup.found.isEmpty {
            self.lookup = nil
            position = lookup.target
            var isDamaged = false
            let later = try collection.changes(after: position, limit: 1, remote: nil) { _ in isDamaged = true }
            slice.isEnd = later.isEmpty && !isDamaged
        } else {
            self.lookup = lookup
            if let last = slice.changes.last { position = last.sequence }
        }
        return slice
    }
}
