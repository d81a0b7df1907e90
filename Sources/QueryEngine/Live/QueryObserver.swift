import Dispatch
package import DocumentStore
import Synchronization

/// Runs a query again whenever what it reads has changed, and tells its listeners the rows when they are others than before
/// (Query 5.9).
///
/// All runs and calls of listeners happen on the queue of the file's ``CollectionWatch``, so one after the other, and never on a
/// thread that changes or asks something. Nothing runs, and no rows are kept, while there is no listener.
package final class QueryObserver: Sendable {
    /// The rows, or why there are none.
    package typealias Outcome = Result<RecordedRows, any Error>

    fileprivate struct Listener: Sendable {
        let notify: @Sendable (Outcome) -> Void
        var hasHeard = false
    }

    fileprivate struct State {
        var listeners: [Int: Listener] = [:]
        var nextNumber = 0
        var parameters: Result<QueryParameters, any Error>
        var prepared: PreparedQuery?
        var registration: CollectionWatch.Registration?
        /// What was told last, and the state of the database that it is of.
        var outcome: Outcome?
        var observed: ObservedState?
        var pacing = RunPacing()
        /// The run that is to come, and when.
        var wakeUp: ScheduledCall?
        var wakesAt = Int64.max
        /// Whether the next run tells its outcome whatever that is.
        var isForced = true
        var isSuspended = false
        /// Ends the run that is under way.
        var cancellation = QueryCancellation()

        /// Goes back to the beginning. A run that is under way is for nobody any more.
        mutating func forgetOutcome() {
            cancellation.cancel()
            cancellation = QueryCancellation()
            wakeUp?.cancel()
            (wakeUp, wakesAt) = (nil, .max)
            (outcome, observed) = (nil, nil)
            isForced = true
        }
    }

    private let file: DatabaseFile
    private let compile: @Sendable () throws -> PreparedQuery
    private let state: Mutex<State>

    /// An observer without listeners.
    ///
    /// - Parameters:
    ///   - compile: Compiles the query for the file. Called on the queue, when the first listener is there.
    ///   - parameters: The values of its parameters, or why there are none.
    package init(
        _ file: DatabaseFile,
        parameters: Result<QueryParameters, any Error>,
        compile: @escaping @Sendable () throws -> PreparedQuery
    ) {
        self.file = file
        self.compile = compile
        state = Mutex(State(parameters: parameters))
    }

    deinit {
        state.withLock { state in
            state.wakeUp?.cancel()
            if let registration = state.registration { file.watch.remove(registration) }
        }
    }

    // MARK: Listeners

    /// Adds a listener. The first call comes soon: with the rows of the last run, or else of one that is made for it.
    ///
    /// - Parameter notify: Is called on the queue; it must be brief.
    package func addListener(_ notify: @escaping @Sendable (Outcome) -> Void) -> Int {
        let (number, hasOutcome) = state.withLock { state in
            state.nextNumber += 1
            state.listeners[state.nextNumber] = Listener(notify: notify)
            if state.outcome == nil { schedule(&state, at: file.options.steadyClock.now) }
            return (state.nextNumber, state.outcome != nil)
        }
        if hasOutcome { file.watch.queue.async { [weak self] in self?.tellNewcomers() } }
        return number
    }

    /// Removes a listener; with the last one everything stops.
    package func removeListener(_ number: Int) {
        // What they refer to must go outside of the lock.
        let (removed, registration, outcome) = state.withLock { state in
            let removed = state.listeners.removeValue(forKey: number)
            guard removed != nil, state.listeners.isEmpty else { return (removed, CollectionWatch.Registration?.none, Outcome?.none) }
            defer {
                state.forgetOutcome()
                state.registration = nil
            }
            return (removed, state.registration, state.outcome)
        }
        if let registration { file.watch.remove(registration) }
        withExtendedLifetime((removed, outcome)) {}
    }

    /// Runs the query with other parameters, at once, and tells the rows to all listeners even if they are the same.
    package func setParameters(_ parameters: Result<QueryParameters, any Error>) {
        state.withLock { state in
            state.parameters = parameters
            state.forgetOutcome()
            if !state.listeners.isEmpty { schedule(&state, at: file.options.steadyClock.now) }
        }
    }

    /// Runs nothing, and tells nothing that a run has found that is under way, until ``resume()``.
    package func suspend() {
        state.withLock { state in
            state.isSuspended = true
            state.cancellation.cancel()
            state.cancellation = QueryCancellation()
        }
    }

    package func resume() {
        state.withLock { state in
            state.isSuspended = false
            // Something may have been missed.
            state.observed = nil
            if !state.listeners.isEmpty { schedule(&state, at: file.options.steadyClock.now) }
        }
    }

    private func tellNewcomers() {
        let (newcomers, outcome) = state.withLock { state in (state.takeNewcomers(), state.outcome) }
        guard let outcome else { return }
        for listener in newcomers { listener(outcome) }
    }

    // MARK: Runs

    private func schedule(_ state: inout State, at time: Int64) {
        guard time < state.wakesAt else { return }
        state.wakeUp?.cancel()
        state.wakesAt = time
        state.wakeUp = file.options.steadyClock.wake(at: time, on: file.watch.queue) { [weak self] in self?.run() }
    }

    /// Something that the query reads has been changed. To be brief: a commit is waiting.
    private func noteChange() {
        state.withLock { state in
            guard !state.listeners.isEmpty else { return }
            schedule(&state, at: state.pacing.answer(toChangeAt: file.options.steadyClock.now))
        }
    }

    private func run() {
        let job = state.withLock { state -> State? in
            (state.wakeUp, state.wakesAt) = (nil, .max)
            guard !state.isSuspended, !state.listeners.isEmpty else { return nil }
            defer { state.isForced = false }
            return state
        }
        guard let job else { return }
        let found = Result { try rows(for: job) }
        if case .failure(is CancellationError) = found {
            // Another run has been asked for, or nobody wants to know any more.
            return state.withLock { $0.isForced = $0.isForced || job.isForced }
        }
        let (listeners, outcome) = state.withLock { state in
            state.pacing.noteRun(at: file.options.steadyClock.now)
            // Otherwise a run that is to come has been asked for since, or nobody wants to know any more.
            let isWanted = !state.isForced && !state.isSuspended && !state.listeners.isEmpty
            let isNews = isWanted && state.take(found, isForced: job.isForced)
            if isNews { for number in state.listeners.keys { state.listeners[number]?.hasHeard = false } }
            return (isWanted ? state.takeNewcomers() : [], state.outcome)
        }
        guard let outcome else { return }
        for listener in listeners { listener(outcome) }
    }

    private func rows(for job: State) throws -> (state: ObservedState, rows: RecordedRows?) {
        let prepared = try job.prepared ?? compile()
        let parameters = try job.parameters.get()
        try waitForChanges(prepared)
        return try prepared.run(
            on: file,
            parameters: parameters,
            unlessStillIn: job.isForced ? nil : job.observed,
            cancellation: job.cancellation
        )
    }

    /// Has the next change noticed, which must be done before it is read what there is.
    private func waitForChanges(_ prepared: PreparedQuery) throws {
        if let registration = state.withLock({ $0.registration }) { return file.watch.wait(registration) }
        let registration = try file.watch.register(for: prepared.storeNames, of: file) { [weak self] in
            self?.noteChange()
        }
        file.watch.wait(registration)
        let isWanted = state.withLock { state in
            state.prepared = prepared
            if !state.listeners.isEmpty { state.registration = registration }
            return !state.listeners.isEmpty
        }
        if !isWanted { file.watch.remove(registration) }
    }
}

extension QueryObserver.State {
    /// Those who have not heard what was told last. They have from now on.
    fileprivate mutating func takeNewcomers() -> [@Sendable (QueryObserver.Outcome) -> Void] {
        guard outcome != nil else { return [] }
        return listeners.keys.sorted().compactMap { number in
            guard let listener = listeners[number], !listener.hasHeard else { return nil }
            listeners[number]?.hasHeard = true
            return listener.notify
        }
    }

    /// Takes over what a run has found, and says whether that is to be told.
    fileprivate mutating func take(_ found: Result<(state: ObservedState, rows: RecordedRows?), any Error>, isForced: Bool) -> Bool {
        switch found {
        case .failure(let error):
            let isSame = if case .failure(let before) = outcome { "\(before)" == "\(error)" } else { false }
            (outcome, observed) = (.failure(error), nil)
            return isForced || !isSame
        case .success((let now, let rows)):
            guard let rows else { return false }
            defer { observed = now }
            if !isForced, case .success(let before) = outcome, observed?.hasSamePurges(as: now) ?? true,
                before.hasSameRows(as: rows)
            {
                return false
            }
            outcome = .success(rows)
            return true
        }
    }
}
