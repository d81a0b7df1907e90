import Base

/// The announced sequences of a peer, in the order of announcement, until they and all earlier ones are completed (Replication 4.6).
///
/// Sequences are opaque: only the order of announcement determines the progress of a pull. Only revisions that were requested and are not
/// completed take memory, however many others are announced and completed after them.
///
/// - Complexity: All operations take amortized constant time if the peer announces each sequence once.
struct ExpectedSequences {
    /// The state of an announced revision that is not completed.
    private enum State {
        /// Requested and not received yet.
        case awaited
        /// Received and being processed.
        case arrived
        /// Could not be stored this time. The peer must announce it again.
        case failed
    }

    private struct Entry {
        let sequence: RemoteSequence
        let documentID: ExactString
        /// The number of the list in which the revision was announced; see ``RequestedLists``.
        let list: Int
        var state: State
        var isOvertaken = false
        /// The last of the sequences announced between this entry and the next one; `nil` if there are none. All of them are completed.
        var lastCompleted: RemoteSequence?
        /// The positions of the neighbors in the order of announcement.
        var previous: Int?
        var next: Int?
    }

    /// The incomplete entries by their position. Positions are counted from the first expected revision.
    private var entries: [Int: Entry] = [:]
    /// The positions of the first and of the last entry.
    private var first: Int?
    private var last: Int?
    /// The position of the next entry.
    private var end = 0
    /// The positions of awaited and arrived entries by sequence. A correct peer announces each sequence once.
    private var places: [RemoteSequence: [Int]] = [:]
    /// The positions of awaited and arrived entries by document.
    private var placesOfDocuments: [ExactString: [Int]] = [:]
    /// The position of the first failed entry. Later ones are not kept, because ``since`` cannot pass the first one.
    private var failedPlace: Int?
    /// Whether no entry before a failed one is left. ``since`` cannot advance anymore then.
    private var isStuck = false

    /// The last sequence that is completed together with all earlier ones; `nil` if there is none.
    private(set) var since: RemoteSequence?
    /// The number of revisions that were requested and not received yet.
    private(set) var awaitedCount = 0

    init(since: RemoteSequence?) { self.since = since }

    var count: Int { entries.count }

    /// Adds an announced revision that was requested, with the number of the list in which it was announced.
    mutating func expect(_ sequence: RemoteSequence, of documentID: String, in list: Int) {
        let documentID = ExactString(documentID)
        entries[end] = Entry(sequence: sequence, documentID: documentID, list: list, state: .awaited, previous: last)
        if let last { entries[last]?.next = end } else { first = end }
        last = end
        places[sequence, default: []].append(end)
        placesOfDocuments[documentID, default: []].append(end)
        end += 1
        awaitedCount += 1
    }

    /// Adds an announced revision that is not needed.
    mutating func skip(_ sequence: RemoteSequence) {
        guard !isStuck else { return }
        if let last { entries[last]?.lastCompleted = sequence } else { since = sequence }
    }

    /// Marks a revision as received. Returns its document and the list in which it was announced; `nil` if it was not requested.
    mutating func arrive(_ sequence: RemoteSequence) -> (documentID: String, list: Int)? {
        guard let place = self.place(of: sequence, .awaited), let entry = entries[place] else { return nil }
        entries[place]?.state = .arrived
        awaitedCount -= 1
        return (entry.documentID.string, entry.list)
    }

    /// Returns the list in which a received revision was announced; `nil` if there is no such revision.
    func list(of sequence: RemoteSequence) -> Int? { place(of: sequence, .arrived).flatMap { entries[$0]?.list } }

    /// Marks a received revision as requested again.
    mutating func awaitAgain(_ sequence: RemoteSequence) {
        guard let place = self.place(of: sequence, .arrived) else { return }
        entries[place]?.state = .awaited
        awaitedCount += 1
    }

    /// Marks a received revision as completed.
    mutating func complete(_ sequence: RemoteSequence) {
        guard let place = self.place(of: sequence, .arrived), let entry = remove(place) else { return }
        let completed = entry.lastCompleted ?? entry.sequence
        if let previous = entry.previous {
            entries[previous]?.lastCompleted = completed
        } else if !isStuck {
            since = completed
        }
        noteFailureAtFront()
    }

    /// Marks a received revision as failed. Later sequences do not count as progress until the revision is announced again.
    mutating func fail(_ sequence: RemoteSequence) {
        if let place = self.place(of: sequence, .arrived) { fail(at: place) }
    }

    /// Marks the awaited revisions of a list as failed. Returns the IDs of their documents, in the order of announcement.
    mutating func failAwaited(in list: Int) -> [String] {
        let overdue = entries.filter { $0.value.state == .awaited && $0.value.list == list }.sorted { $0.key < $1.key }
        for (place, _) in overdue {
            awaitedCount -= 1
            fail(at: place)
        }
        return overdue.map { $0.value.documentID.string }
    }

    // MARK: Overtaking

    /// Notes that the latest revision of a document at the peer exists locally. Earlier announced revisions of the document that are still
    /// being received or processed are no longer current there.
    mutating func overtake(_ documentID: String) {
        for place in placesOfDocuments[ExactString(documentID)] ?? [] { entries[place]?.isOvertaken = true }
    }

    /// Notes that a revision is about to be stored. Earlier announced revisions of its document may still be waiting for blobs.
    mutating func overtake(before sequence: RemoteSequence) {
        guard let place = self.place(of: sequence, .arrived), let documentID = entries[place]?.documentID else { return }
        for earlier in placesOfDocuments[documentID] ?? [] where earlier < place { entries[earlier]?.isOvertaken = true }
    }

    /// Returns whether a received revision has been superseded by a later one.
    func isOvertaken(_ sequence: RemoteSequence) -> Bool {
        place(of: sequence, .arrived).flatMap { entries[$0]?.isOvertaken } ?? false
    }

    // MARK: What becomes of entries

    private func place(of sequence: RemoteSequence, _ state: State) -> Int? {
        places[sequence]?.first { entries[$0]?.state == state }
    }

    private mutating func fail(at place: Int) {
        guard !isStuck, place < failedPlace ?? .max else {
            _ = remove(place)
            return
        }
        if let failedPlace { _ = unlink(failedPlace) }
        failedPlace = place
        entries[place]?.state = .failed
        if let entry = entries[place] { removeFromTables(place, entry) }
        noteFailureAtFront()
    }

    private mutating func noteFailureAtFront() {
        guard let failedPlace, failedPlace == first else { return }
        isStuck = true
        _ = unlink(failedPlace)
        self.failedPlace = nil
    }

    /// Removes an awaited or arrived entry.
    private mutating func remove(_ place: Int) -> Entry? {
        let entry = unlink(place)
        if let entry { removeFromTables(place, entry) }
        return entry
    }

    private mutating func unlink(_ place: Int) -> Entry? {
        guard let entry = entries.removeValue(forKey: place) else { return nil }
        if let previous = entry.previous { entries[previous]?.next = entry.next } else { first = entry.next }
        if let next = entry.next { entries[next]?.previous = entry.previous } else { last = entry.previous }
        return entry
    }

    /// Removes a position from the look-up tables.
    private mutating func removeFromTables(_ place: Int, _ entry: Entry) {
        Self.remove(place, from: &places[entry.sequence])
        Self.remove(place, from: &placesOfDocuments[entry.documentID])
    }

    private static func remove(_ place: Int, from places: inout [Int]?) {
        if places?.count == 1 { places = nil } else { places?.removeAll { $0 == place } }
    }
}
