/// The sequences that a peer has announced, in that order, until all before them are dealt with (Replication 4.6).
///
/// Sequences are opaque: only the order of their rows says how far a pull has come. Every operation takes constant time, averaged.
struct ExpectedSequences {
    /// What has become of an announced revision.
    private enum State {
        /// It was asked for, and has not come yet.
        case awaited
        /// It has come, and is being worked on.
        case arrived
        /// It could not be stored this time, and must be announced again.
        case failed
        case complete
    }

    private struct Entry {
        let sequence: RemoteSequence
        let units: UInt64
        var state: State
    }

    /// The entries by their places, which are counted from the first row on.
    private var entries: [Int: Entry] = [:]
    /// The place of the first entry that is not complete.
    private var front = 0
    /// The place of the next row.
    private var end = 0
    /// The places of the entries that wait for something. A peer in order announces each sequence once.
    private var places: [RemoteSequence: [Int]] = [:]
    /// Whether the first entry that is not complete never will be: then nobody needs to know how far the later ones are.
    private var isStuck = false

    /// The last sequence that is dealt with, together with all before it; nil when there is none.
    private(set) var since: RemoteSequence?
    /// How many revisions were asked for and have not come.
    private(set) var awaitedCount = 0

    init(since: RemoteSequence?) {
        self.since = since
    }

    /// How many entries are held in memory.
    var count: Int { entries.count }

    /// Adds an announced revision that was asked for.
    ///
    /// - Parameter units: What it counts in the progress.
    mutating func expect(_ sequence: RemoteSequence, units: UInt64 = 1) {
        entries[end] = Entry(sequence: sequence, units: units, state: .awaited)
        places[sequence, default: []].append(end)
        end += 1
        awaitedCount += 1
    }

    /// Adds an announced revision that is not needed.
    mutating func skip(_ sequence: RemoteSequence) {
        guard !isStuck else { return }
        entries[end] = Entry(sequence: sequence, units: 0, state: .complete)
        end += 1
        advance()
    }

    /// Notes that a revision has come, and returns what it counts in the progress. Nil when it is not awaited.
    mutating func arrive(_ sequence: RemoteSequence) -> UInt64? {
        change(sequence, from: .awaited, to: .arrived)
    }

    /// Notes that a revision which has come has to come once more.
    mutating func awaitAgain(_ sequence: RemoteSequence) {
        _ = change(sequence, from: .arrived, to: .awaited)
    }

    /// Notes that a revision which has come is dealt with.
    mutating func complete(_ sequence: RemoteSequence) {
        _ = change(sequence, from: .arrived, to: .complete)
    }

    /// Notes that a revision which has come could not be dealt with: no later sequence counts till it is announced again.
    mutating func fail(_ sequence: RemoteSequence) {
        _ = change(sequence, from: .arrived, to: .failed)
    }

    private mutating func change(_ sequence: RemoteSequence, from old: State, to new: State) -> UInt64? {
        guard let candidates = places[sequence],
            let candidate = candidates.firstIndex(where: { entries[$0]?.state == old })
        else { return nil }
        let place = candidates[candidate]
        let units = entries[place]?.units
        entries[place]?.state = new
        if old == .awaited { awaitedCount -= 1 }
        if new == .awaited { awaitedCount += 1 }
        if new == .complete || new == .failed {
            if candidates.count == 1 { places[sequence] = nil } else { places[sequence]?.remove(at: candidate) }
            if isStuck { entries[place] = nil } else { advance() }
        }
        return units
    }

    private mutating func advance() {
        while let entry = entries[front], entry.state == .complete {
            since = entry.sequence
            entries[front] = nil
            front += 1
        }
        guard entries[front]?.state == .failed else { return }
        isStuck = true
        entries = entries.filter { $0.value.state == .awaited || $0.value.state == .arrived }
    }
}
