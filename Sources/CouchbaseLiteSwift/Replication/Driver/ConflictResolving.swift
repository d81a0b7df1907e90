#if Replication
    import DocumentStore
    import Replication

    /// Has resolvers resolve the conflicts that a replicator reports: synchronous ones one after the other on a queue of their own,
    /// asynchronous ones in tasks beside each other.
    ///
    /// All functions are to be called on the replicator's queue, where the callbacks come too.
    final class ConflictResolving: @unchecked Sendable {
        // Unchecked: what changes is touched on the replicator's queue only.
        typealias Settled = (String, CollectionID, ConflictSettlement) -> Void

        private struct Waiting {
            let documentID: String
            let solver: ConflictSolver
        }

        /// How many tasks there are at a time.
        private static let widthOfTasks = 16

        private let solvers: [CollectionID: ConflictSolver]
        private let queue: DispatchQueue
        private let resolverQueue = DispatchQueue(label: "CouchbaseLite.resolver")
        private let settled: Settled
        private let countChanged: (Int) -> Void

        /// In line for the queue, and for a task.
        private var waitingForQueue = FIFO<Waiting>()
        private var waitingForTask = FIFO<Waiting>()
        private var tasks: [Int: Task<Void, Never>] = [:]
        private var lastTask = 0
        private var isSolving = false
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
            self.settled = settled
            self.countChanged = countChanged
            // A resolver that closes the database must not wait for itself.
            resolverQueue.setSpecific(key: ReplicatorCore.owner, value: ObjectIdentifier(core))
        }

        /// Puts a conflict in line.
        func add(_ documentID: String, in collection: CollectionID) {
            guard !isStopped, let solver = solvers[collection] else { return settled(documentID, collection, .none) }
            let conflict = Waiting(documentID: documentID, solver: solver)
            if solver.isAsync { waitingForTask.append(conflict) } else { waitingForQueue.append(conflict) }
            count += 1
            goOn()
        }

        /// Resolves no more: what waits stays in conflict, and so does what tasks are asked about. A resolver that has been called on
        /// the queue is waited for.
        func stop() {
            isStopped = true
            for task in tasks.values { task.cancel() }
            tasks.removeAll()
            waitingForQueue = FIFO()
            waitingForTask = FIFO()
            count = isSolving ? 1 : 0
        }

        private func goOn() {
            if !isSolving, let next = waitingForQueue.popFirst() {
                isSolving = true
                resolverQueue.async { [self] in
                    let settlement = next.solver.solve(next.documentID)
                    queue.async { [self] in
                        isSolving = false
                        end(next, settlement)
                    }
                }
            }
            while tasks.count < Self.widthOfTasks, let next = waitingForTask.popFirst() { begin(next) }
        }

        private func begin(_ next: Waiting) {
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
