import DocumentStore
import ExactStrings
import Synchronization

/// Buffers changes until a task takes them.
///
/// Each document is buffered once, however often it changes before it is taken. So the buffer cannot grow beyond the
/// number of documents, and no changed document is missed.
final class ChangeBuffer: Sendable {
    /// Changed documents of one collection.
    struct Group: Sendable {
        let collection: CollectionStore
        let documentIDs: [String]
    }

    private struct State {
        /// The collections with changes, in the order of their first change.
        var collections: [CollectionStore] = []
        var pending: [ObjectIdentifier: UniqueIDs] = [:]
        var waiting: [CheckedContinuation<Group?, Never>] = []
        var isFinished = false

        mutating func takeGroup() -> Group? {
            guard let collection = collections.first else { return nil }
            let key = ObjectIdentifier(collection)
            let ids = pending[key]?.take(ListenerHub.groupSize) ?? []
            if pending[key]?.isEmpty != false {
                pending[key] = nil
                collections.removeFirst()
            }
            return Group(collection: collection, documentIDs: ids)
        }
    }

    private let state = Mutex(State())

    func add(_ documentIDs: [String], of collection: CollectionStore) {
        let key = ObjectIdentifier(collection)
        let next = state.withLock { state -> (CheckedContinuation<Group?, Never>, Group)? in
            guard !state.isFinished else { return nil }
            if state.pending[key] == nil { state.collections.append(collection) }
            state.pending[key, default: UniqueIDs()].add(documentIDs)
            guard !state.waiting.isEmpty, let group = state.takeGroup() else { return nil }
            return (state.waiting.removeFirst(), group)
        }
        if let (continuation, group) = next { continuation.resume(returning: group) }
    }

    /// Ends the buffer: no more changes are added, but those in the buffer can still be taken.
    func finish() {
        let waiting = state.withLock { state in
            state.isFinished = true
            defer { state.waiting.removeAll() }
            return state.waiting
        }
        for continuation in waiting { continuation.resume(returning: nil) }
    }

    /// Returns the next changes, and waits for them if there are none; `nil` if the buffer is finished and empty.
    func next(isolation: isolated (any Actor)?) async -> Group? {
        if let group = state.withLock({ $0.takeGroup() }) { return group }
        return await withCheckedContinuation(isolation: isolation) { continuation in
            let answer = state.withLock { state -> Group?? in
                if let group = state.takeGroup() { return .some(group) }
                if state.isFinished { return .some(nil) }
                state.waiting.append(continuation)
                return nil
            }
            if let answer { continuation.resume(returning: answer) }
        }
    }
}

/// Document IDs in the order in which they were added, each once.
private struct UniqueIDs: Sendable {
    private var ids: [String] = []
    /// The index of the first ID that has not been taken. Removing each group from the array would move all later IDs.
    private var first = 0
    private var known: Set<ExactString> = []

    var isEmpty: Bool { first == ids.count }

    mutating func add(_ newIDs: [String]) {
        for id in newIDs where known.insert(ExactString(id)).inserted { ids.append(id) }
    }

    mutating func take(_ count: Int) -> [String] {
        let taken = Array(ids[first...].prefix(count))
        for id in taken { known.remove(ExactString(id)) }
        first += taken.count
        // Moves each ID once on average, because at least half of the IDs have been taken.
        if first > ids.count / 2 {
            ids.removeFirst(first)
            first = 0
        }
        return taken
    }
}
