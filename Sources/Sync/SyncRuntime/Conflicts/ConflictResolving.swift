#if Replication
import Dispatch
import DocumentStore
import Replication

/// Calls resolvers for the conflicts that a replicator reports, concurrently for different documents: synchronous resolvers on separate
/// threads, asynchronous ones in tasks. A document is passed to one resolver at a time.
///
/// All functions must be called on the replicator's queue, on which the callbacks are called too.
final class ConflictResolving: Sendable {
    typealias Settled = @Sendable (String, CollectionID, ConflictSettlement) -> Void

    private struct Waiting {
        let documentID: String
        let collection: CollectionID
        let solver: any ConflictSolving

        var key: DocumentKey { DocumentKey(documentID, in: collection) }
    }

    private struct Call {
        let task: Task<Void, Never>
        let storing: StoringPermit
    }

    /// The most concurrent resolver calls, on threads and in tasks each.
    private static let width = 16

    private let solvers: [CollectionID: any ConflictSolving]
    private let queue: DispatchQueue
    private let settled: Settled
    private let countChanged: @Sendable (Int) -> Void
    private let state: QueueConfined<State>

    private struct State {
        weak var activity: (any AnyObject & Sendable)?
        /// The conflicts queued for a thread, and those queued for a task.
        var waitingForThread = FIFO<Waiting>()
        var waitingForTask = FIFO<Waiting>()
        /// The documents that are being resolved, with the conflicts reported for them in the meantime.
        var busy: [DocumentKey: [Waiting]] = [:]
        /// Unused serial queues. Each has a thread of its own while it works, so that blocked resolvers do not delay the others.
        var freeQueues: [DispatchQueue] = []
        var threadCount = 0
        /// The calls in tasks that were not abandoned by ``stop()``.
        var tasks: [Int: Call] = [:]
        var lastTask = 0
        var isStopped = false
        var count = 0
    }

    private var count: Int {
        get { state.value.count }
        set {
            guard newValue != count else { return }
            state.value.count = newValue
            countChanged(newValue)
        }
    }

    /// - Parameters:
    ///   - activity: The replicator, as its databases know it; see ``ActivityQueue``.
    ///   - settled: Called when a conflict was resolved, or was left unresolved.
    ///   - countChanged: Called with the number of conflicts that are being resolved or queued.
    init(
        _ solvers: [CollectionID: any ConflictSolving],
        on queue: DispatchQueue,
        for activity: any AnyObject & Sendable,
        settled: @escaping Settled,
        countChanged: @escaping @Sendable (Int) -> Void
    ) {
        self.solvers = solvers
        self.queue = queue
        state = QueueConfined(State(activity: activity), to: queue)
        self.settled = settled
        self.countChanged = countChanged
    }

    func add(_ documentID: String, in collection: CollectionID) {
        guard !state.value.isStopped, let solver = solvers[collection] else { return settled(documentID, collection, .none) }
        count += 1
        enqueue(Waiting(documentID: documentID, collection: collection, solver: solver))
        startNext()
    }

    private func enqueue(_ conflict: Waiting) {
        if conflict.solver.isAsync { state.value.waitingForTask.append(conflict) } else { state.value.waitingForThread.append(conflict) }
    }

    /// Stops resolving until ``resume()``: queued conflicts, and those whose resolvers run in tasks, remain. The count stays above zero until
    /// the resolver calls on threads have returned and the results that tasks are storing are stored.
    ///
    /// The tasks are cancelled and abandoned: the replicator does not wait for them, because they may be waiting for the user. Their
    /// documents stay busy until they end, so that no document is passed to two resolvers at a time after a restart.
    func stop() {
        state.value.isStopped = true
        for (number, call) in state.value.tasks {
            call.task.cancel()
            if call.storing.revoke() { state.value.tasks[number] = nil }
        }
        state.value.waitingForThread = FIFO()
        state.value.waitingForTask = FIFO()
        for key in state.value.busy.keys { state.value.busy[key] = [] }
        count = state.value.threadCount + state.value.tasks.count
    }

    /// Accepts conflicts again after ``stop()``.
    func resume() { state.value.isStopped = false }

    private func startNext() {
        while state.value.threadCount < Self.width, let next = state.value.waitingForThread.popFirst() {
            if claim(next) { solveOnThread(next) }
        }
        while state.value.tasks.count < Self.width, let next = state.value.waitingForTask.popFirst() {
            if claim(next) { solveInTask(next) }
        }
    }

    /// Claims the document for the caller. Returns `false` if the document is already being resolved; the conflict is queued again
    /// afterwards.
    private func claim(_ conflict: Waiting) -> Bool {
        guard state.value.busy[conflict.key]?.append(conflict) == nil else { return false }
        state.value.busy[conflict.key] = []
        return true
    }

    private func solveOnThread(_ next: Waiting) {
        state.value.threadCount += 1
        let thread = state.value.freeQueues.popLast() ?? makeQueue()
        thread.async { [self] in
            let settlement = next.solver.solve(next.documentID)
            queue.async { [self] in
                state.value.threadCount -= 1
                state.value.freeQueues.append(thread)
                end(next, settlement)
            }
        }
    }

    private func makeQueue() -> DispatchQueue {
        let queue = DispatchQueue(label: "CouchbaseLite.resolver")
        // A resolver that closes the database must not wait for itself.
        if let activity = state.value.activity { ActivityQueue.mark(queue, for: activity) }
        return queue
    }

    private func solveInTask(_ next: Waiting) {
        state.value.lastTask += 1
        let number = state.value.lastTask
        let storing = StoringPermit()
        let task = Task { [self] in
            let settlement = await next.solver.solveInTask(next.documentID, storing)
            queue.async { [self] in
                // Abandoned tasks are no longer counted.
                if state.value.tasks.removeValue(forKey: number) == nil { release(next) } else { end(next, settlement) }
            }
        }
        state.value.tasks[number] = Call(task: task, storing: storing)
    }

    private func end(_ conflict: Waiting, _ settlement: ConflictSettlement) {
        settled(conflict.documentID, conflict.collection, settlement)
        count -= 1
        release(conflict)
    }

    private func release(_ conflict: Waiting) {
        for again in state.value.busy.removeValue(forKey: conflict.key) ?? [] { enqueue(again) }
        startNext()
    }
}
#endif
