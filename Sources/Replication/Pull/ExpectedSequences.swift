import ExactStrings

/// The announced sequences of a peer, in the order of announcement, until they and all earlier ones are completed (Replication 4.6).
///
/// Sequences are opaque: only the order of announcement determines the progress of a pull.
///
/// - Complexity: All operations take amortized constant time if the peer announces each sequence once.
struct ExpectedSequences {
    /// The state of an announced revision.
    private enum State {
        /// Requested and not received yet.
        case awaited
        /// Received and being processed.
        case arrived
        /// Could not be stored this time. The peer must announce it again.
        case failed
        case complete
    }

    private struct Entry {
        let sequence: RemoteSequence
        let documentID: ExactString
        var state: State
        var isOvertaken = false
    }

    /// The entries by their position. Positions are counted from the first row.
    private var entries: [Int: Entry] = [:]
    /// The position of the first entry that is not complete.
    private var front = 0
    /// The position of the next row.
    private var end = 0
    /// The positions of incomplete entries by sequence. A correct peer announces each sequence once.
    private var places: [RemoteSequence: [Int]] = [:]
    /// The positions of incomplete entries by document.
    private var placesOfDocuments: [ExactString: [Int]] = [:]
    /// Whether the first incomplete entry has failed. ``since`` cannot advance anymore then, so complete entries need not be kept.
    private var isStuck = false

    /// The last sequence that is completed together with all earlier ones; `nil` if there is none.
    private(set) var since: RemoteSequence?
    /// The number of revisions that were requested and not received yet.
    private(set) var awaitedCount = 0

    init(since: RemoteSequence?) {
        self.since = since
    }

    /// The number of entries in memory.
    var count: Int { entries.count }

    /// Adds an announced revision that was requested.
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

    /// Marks a revision as received. Returns `false` if it was not requested.
    mutating func arrive(_ sequence: RemoteSequence) -> Bool {
        change(sequence, from: .awaited, to: .arrived)
    }

    /// Marks a received revision as requested again.
    mutating func awaitAgain(_ sequence: RemoteSequence) {
        _ = change(sequence, from: .arrived, to: .awaited)
    }

    /// Marks a received revision as completed.
    mutating func complete(_ sequence: RemoteSequence) {
        _ = change(sequence, from: .arrived, to: .complete)
    }

    /// Marks a received revision as failed. Later sequences do not count as progress until the revision is announced again.
    mutating func fail(_ sequence: RemoteSequence) {
        _ = change(sequence, from: .arrived, to: .failed)
    }

    // MARK: Overtaking

    /// Notes that the latest revision of a document at the peer exists locally. Earlier announced revisions of the document that are still
    /// being received or processed are no longer current there.
    mutating func overtake(_ documentID: String) {
        for place in placesOfDocuments[ExactString(documentID)] ?? [] { entries[place]?.isOvertaken = true }
    }

    /// Notes that a revision is about to be stored. Earlier announced revisions of its document may still be waiting for blobs.
    mutating func overtake(before sequence: RemoteSequence) {
        guard let place = arrivedPlace(sequence), let documentID = entries[place]?.documentID else { return }
        for earlier in placesOfDocuments[documentID] ?? [] where earlier < place {
            entries[earlier]?.isOvertaken = true
        }
    }

    /// Returns whether a received revision has been superseded by a later one.
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
