import ExactStrings

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
        let documentID: ExactString
        var state: State
        var isOvertaken = false
    }

    /// The entries by their places, which are counted from the first row on.
    private var entries: [Int: Entry] = [:]
    /// The place of the first entry that is not complete.
    private var front = 0
    /// The place of the next row.
    private var end = 0
    /// The places of the entries that wait for something. A peer in order announces each sequence once.
    private var places: [RemoteSequence: [Int]] = [:]
    /// The same by documents.
    private var placesOfDocuments: [ExactString: [Int]] = [:]
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
    mutating func expect(_ sequence: RemoteSequence, of documentID: String) {
        let documentID = ExactString(documentID)
        entries[end] = Entry(sequence: sequence, documentID: documentID, state: .awaited)
        places[sequence, default: []].append(end)
        placesOfDocuments[documentID, default: []].append(end)
        end += 1
        awaitedCount += 1
    }

    /// Adds an announced revision that is not needed.
    mutating func skip(_ sequence: RemoteSequence) {
        guard !isStuck else { return }
        entries[end] = Entry(sequence: sequence, documentID: "", state: .complete)
        end += 1
        advance()
    }

    /// Notes that a revision has come. False when it is not awaited.
    mutating func arrive(_ sequence: RemoteSequence) -> Bool {
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

    // MARK: Overtaking

    /// Notes that the peer's latest revision of a document is here: what it has announced of the document before, and what is still on
    /// its way or being worked on, is not the current revision there any more.
    mutating func overtake(_ documentID: String) {
        for place in placesOfDocuments[ExactString(documentID)] ?? [] { entries[place]?.isOvertaken = true }
    }

    /// Notes that a revision is about to be stored. Those of its document that were announced before may still wait for their blobs.
    mutating func overtake(before sequence: RemoteSequence) {
        guard let place = arrivedPlace(sequence), let documentID = entries[place]?.documentID else { return }
        for earlier in placesOfDocuments[documentID] ?? [] where earlier < place {
            entries[earlier]?.isOvertaken = true
        }
    }

    /// Whether a revision which has come has been overtaken by a later one.
    func isOvertaken(_ sequence: RemoteSequence) -> Bool {
        arrivedPlace(sequence).flatMap { entries[$0]?.isOvertaken } ?? false
    }

    private func arrivedPlace(_ sequence: RemoteSequence) -> Int? {
        places[sequence]?.first { entries[$0]?.state == .arrived }
    }

    // MARK: What becomes of entries

    private mutating func change(_ sequence: RemoteSequence, from old: State, to new: State) -> Bool {
        guard let candidates = places[sequence],
            let candidate = candidates.firstIndex(where: { entries[$0]?.state == old })
        else { return false }
        let place = candidates[candidate]
        guard let entry = entries[place] else { return false }
        entries[place]?.state = new
        if old == .awaited { awaitedCount -= 1 }
        if new == .awaited { awaitedCount += 1 }
        if new == .complete || new == .failed {
            if candidates.count == 1 { places[sequence] = nil } else { places[sequence]?.remove(at: candidate) }
            forget(place, of: entry.documentID)
            if isStuck { entries[place] = nil } else { advance() }
        }
        return true
    }

    private mutating func forget(_ place: Int, of documentID: ExactString) {
        if placesOfDocuments[documentID]?.count == 1 {
            placesOfDocuments[documentID] = nil
        } else {
            placesOfDocuments[documentID]?.removeAll { $0 == place }
        }
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
