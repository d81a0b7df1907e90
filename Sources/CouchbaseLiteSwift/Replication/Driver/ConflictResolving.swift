#if Replication
import DocumentStore
import ExactStrings
import Replication

/// Has resolvers resolve the conflicts that a replicator reports, those of different documents beside each other: synchronous ones on
/// threads of their own, asynchronous ones in tasks. A document is in the hands of one resolver at a time.
///
/// All functions are to be called on the replicator's queue, where the callbacks come too.
final class ConflictResolving: @unchecked Sendable {
    // Unchecked: what changes is touched on the replicator's queue only.
    typealias Settled = (String, CollectionID, ConflictSettlement) -> Void

    private struct Waiting {
        let documentID: String
        let solver: ConflictSolver
        let key: Key

        init(_ documentID: String, _ solver: ConflictSolver) {
            self.documentID = documentID
            self.solver = solver
            key = Key(collection: solver.collection.store.id, document: ExactString(documentID))
        }
    }

    private struct Key: Hashable {
        let collection: CollectionID
        let document: ExactString
    }

    /// How many resolvers are asked at a time, on threads and in tasks each.
    private static let width = 16

    private let solvers: [CollectionID: ConflictSolver]
    private let queue: DispatchQueue
    private let settled: Settled
    private let countChanged: (Int) -> Void
    private weak var core: ReplicatorCore?

    /// In line for a thread, and for a task.
    private var waitingForThread = FIFO<Waiting>()
    private var waitingForTask = FIFO<Waiting>()
    /// The documents that a resolver has, with what has been reported of them meanwhile.
    private var busy: [Key: [Waiting]] = [:]
    /// Serial queues that nobody uses at the moment. Each has a thread of its own while it works, whatever the others wait for.
    private var freeQueues: [DispatchQueue] = []
    private var threadCount = 0
    private var tasks: [Int: Task<Void, Never>] = [:]
    private var lastTask = 0
    private var isStopped = false
    private var count = 0 {
        didSet { if count != oldValue { countChanged(count) } }
    }

    /// - Parameters:
    ///   - settled: Is called when a conflict has been resolved, or has been left.
    ///   - countChanged: Is called with the number of conflicts that are being resolved, or wait for it.
    init(
        _ solvers: [CollectionID: ConflictSolver],
        of core: ReplicatorCore,
        settled: @escaping Settled,
        countChanged: @escaping (Int) -> Void
    ) {
        self.solvers = solvers
        queue = core.queue
        self.core = core
        self.settled = settled
        self.countChanged = countChanged
    }

    /// Puts a conflict in line.
    func add(_ documentID: String, in collection: CollectionID) {
        guard !isStopped, let solver = solvers[collection] else { return settled(documentID, collection, .none) }
        count += 1
        putInLine(Waiting(documentID, solver))
        goOn()
    }

    private func putInLine(_ conflict: Waiting) {
        if conflict.solver.isAsync { waitingForTask.append(conflict) } else { waitingForThread.append(conflict) }
    }

    /// Resolves no more: what waits stays in conflict, and so does what tasks are asked about. Resolvers that have been called on
    /// threads are waited for.
    func stop() {
        isStopped = true
        for task in tasks.values { task.cancel() }
        tasks.removeAll()
        waitingForThread = FIFO()
        waitingForTask = FIFO()
        for key in busy.keys { busy[key] = [] }
        count = threadCount
    }

    private func goOn() {
        while threadCount < Self.width, let next = waitingForThread.popFirst() {
            if claim(next) { solveOnThread(next) }
        }
        while tasks.count < Self.width, let next = waitingForTask.popFirst() {
            if claim(next) { solveInTask(next) }
        }
    }

    /// Whether nobody has the document, which is the caller's then. Otherwise it is put in line again when that resolver is through.
    private func claim(_ conflict: Waiting) -> Bool {
        guard busy[conflict.key]?.append(conflict) == nil else { return false }
        busy[conflict.key] = []
        return true
    }

    private func solveOnThread(_ next: Waiting) {
        threadCount += 1
        let thread = freeQueues.popLast() ?? makeQueue()
        thread.async { [self] in
            let settlement = next.solver.solve(next.documentID)
            queue.async { [self] in
                threadCount -= 1
                freeQueues.append(thread)
                end(next, settlement)
            }
        }
    }

    private func makeQueue() -> DispatchQueue {
        let queue = DispatchQueue(label: "CouchbaseLite.resolver")
        // A resolver that closes the database must not wait for itself.
        if let core { ActivityQueue.mark(queue, for: core) }
        return queue
    }

    private func solveInTask(_ next: Waiting) {
        lastTask += 1
        let number = lastTask
        tasks[number] = Task { [self] in
            let settlement = await next.solver.solveInTask(next.documentID)
            queue.async { [self] in
                // Those that were cancelled are not counted any more.
                guard tasks.removeValue(forKey: number) != nil else { return }
                end(next, settlement)
            }
        }
    }

    private func end(_ conflict: Waiting, _ settlement: ConflictSettlement) {
        for again in busy.removeValue(forKey: conflict.key) ?? [] { putInLine(again) }
        settled(conflict.documentID, conflict.solver.collection.store.id, settlement)
        count -= 1
        goOn()
    }
}

extension ConflictSettlement {
    /// What listeners are told of the document; nil for nothing.
    func document(_ documentID: String, in collection: CollectionID) -> ReplicatedDocument? {
        switch self {
        case .none: nil
        case .resolved(let isDeleted):
            ReplicatedDocument(documentID, in: collection, isDeleted ? .deleted : [], nil)
        case .failed(let error): ReplicatedDocument(documentID, in: collection, [], error)
        }
    }
}
#endif
