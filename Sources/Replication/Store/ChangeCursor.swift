import DocumentStore
import ExactStrings

/// Walks through the changes of a collection in the order of their sequences, a slice at a time, so that nobody who has to be heard waits
/// for the end of a long feed.
///
/// When some documents are chosen, and more changes than those wait, the chosen ones are looked up: five documents among a million cost
/// five look-ups.
struct ChangeCursor {
    /// What was read at once.
    struct Slice {
        /// The changes that are wanted, in the order of their sequences.
        var changes: [LocalChange]
        /// How many changes were looked at for them.
        var lookedAt: Int
        /// Whether there were no more at that moment.
        var isEnd: Bool
    }

    /// The most changes that are looked at, or documents that are looked up, at once.
    static let sliceSize = 1000

    private let collection: ReplicaCollection
    private let remote: Int?
    private let chosen: Choice?
    private var lookup: Lookup?
    /// All changes up to this sequence have been looked at.
    private(set) var position: UInt64

    /// - Parameters:
    ///   - position: The sequence behind which the walk begins.
    ///   - documentIDs: The documents that are wanted; nil for all.
    ///   - remote: The remote whose latest known revisions are wanted; nil for none.
    init(_ collection: ReplicaCollection, after position: UInt64, documentIDs: (some Sequence<String>)?, remote: Int?) {
        self.collection = collection
        self.position = position
        self.remote = remote
        chosen = documentIDs.map { Choice($0) }
    }

    /// Reads on.
    ///
    /// - Parameters:
    ///   - limit: The most changes to return.
    ///   - rows: The most changes to look at, if they are not looked up.
    ///   - isWanted: Says of a change of a chosen document whether it is wanted.
    mutating func next(
        _ limit: Int,
        lookingAt rows: Int = sliceSize,
        where isWanted: (LocalChange) -> Bool = { _ in true }
    ) throws -> Slice {
        if lookup == nil, let chosen {
            let last = try collection.lastSequence()
            // There are at most as many changes as sequences.
            if last > position, last - position > chosen.ids.count { lookup = Lookup(target: last) }
        }
        return try lookup == nil ? walk(limit, rows, isWanted) : lookUp(limit, isWanted)
    }

    private mutating func walk(_ limit: Int, _ rows: Int, _ isWanted: (LocalChange) -> Bool) throws -> Slice {
        let changes = try collection.changes(after: position, limit: rows, remote: remote)
        var slice = Slice(changes: [], lookedAt: 0, isEnd: false)
        for change in changes {
            position = change.sequence
            slice.lookedAt += 1
            guard chosen?.contains(change.documentID) ?? true, isWanted(change) else { continue }
            slice.changes.append(change)
            if slice.changes.count == limit { break }
        }
        slice.isEnd = changes.count < rows && slice.lookedAt == changes.count
        return slice
    }

    // MARK: Chosen documents

    private struct Choice {
        /// Each once.
        private(set) var ids: [String] = []
        private var keys: Set<ExactString> = []

        init(_ documentIDs: some Sequence<String>) {
            for id in documentIDs where keys.insert(ExactString(id)).inserted { ids.append(id) }
        }

        func contains(_ documentID: String) -> Bool { keys.contains(ExactString(documentID)) }
    }

    /// The look-up of the chosen documents, which may take several slices.
    private struct Lookup {
        /// The last sequence when it began. What changes later comes with the walk that follows.
        let target: UInt64
        /// How many of the documents have been looked up.
        var count = 0
        /// What was found and has not been returned; when all have been looked up in the order of their sequences, the last first.
        var found: [LocalChange] = []
    }

    private mutating func lookUp(_ limit: Int, _ isWanted: (LocalChange) -> Bool) throws -> Slice {
        var slice = Slice(changes: [], lookedAt: 0, isEnd: false)
        guard var lookup, let ids = chosen?.ids else { return slice }
        if lookup.count < ids.count {
            try collection.withOneView {
                for id in ids[lookup.count...].prefix(Self.sliceSize) {
                    lookup.count += 1
                    slice.lookedAt += 1
                    guard let change = try collection.change(of: id, remote: remote), change.sequence > position,
                        change.sequence <= lookup.target, isWanted(change)
                    else { continue }
                    lookup.found.append(change)
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
            slice.isEnd = try collection.changes(after: position, limit: 1, remote: nil).isEmpty
        } else {
            self.lookup = lookup
            if let last = slice.changes.last { position = last.sequence }
        }
        return slice
    }
}
