import Dispatch
package import DocumentStore
import Synchronization

/// Runs a query again when the collections it reads have changed, and notifies its listeners if the rows are different (Query 5.9).
///
/// All runs and notifications happen one after another on the serial queue of the file's ``CollectionWatch``, never on a thread that reads
/// or writes the database for the app. While there is no listener, nothing runs and no rows are retained.
package final class QueryObserver: Sendable {
    /// The rows, or the error of the run.
    package typealias Outcome = Result<RecordedRows, any Error>

    fileprivate struct Listener: Sendable {
        let notify: @Sendable (Outcome) -> Void
        /// Whether the listener has received the current outcome.
        var isNotified = false
    }

    fileprivate struct State {
        var listeners: [Int: Listener] = [:]
        var nextNumber = 0
        var parameters: Result<QueryParameters, any Error>
        var prepared: PreparedQuery?
        var registration: CollectionWatch.Registration?
        /// The outcome of the last notification, and the database state it belongs to.
        var outcome: Outcome?
        var observed: ObservedState?
        var pacing = RunPacing()
        /// The scheduled run, or look whether a burst of changes has ended, and its time in milliseconds of the steady clock.
        var scheduledRun: ScheduledCall?
        var scheduledTime = Int64.max
        /// Whether the next run notifies the listeners even if the outcome is the same.
        var isForced = true
        var isSuspended = false
        /// Cancels the current run.
        var cancellation = QueryCancellation()

        /// Discards the outcome and the scheduled run, and cancels the current run.
        mutating func discardOutcome() {
            cancellation.cancel()
            cancellation = QueryCancellation()
            scheduledRun?.cancel()
            (scheduledRun, scheduledTime) = (nil, .max)
            pacing.stopMerging()
            (outcome, observed) = (nil, nil)
            isForced = true
        }
    }

    private let file: DatabaseFile
    private let compile: @Sendable () throws -> PreparedQuery
    private let state: Mutex<State>

    /// Creates an observer without listeners.
    ///
    /// - Parameters:
    ///   - parameters: The values of the query's parameters, or the error that listeners receive.
    ///   - compile: Compiles the query for the file. Called on the queue at the first run, and at later runs as long as it fails; up to
    ///     twice for a run.
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
            state.scheduledRun?.cancel()
            if let registration = state.registration { file.watch.remove(registration) }
        }
    }

    // MARK: Listeners

    /// Adds a listener, which is soon notified of the rows of the last run or, if there are none or the run failed, of a new run.
    ///
    /// - Parameter notify: Called on the queue; it must return quickly.
    /// - Returns: The number for ``removeListener(_:)``.
    package func addListener(_ notify: @escaping @Sendable (Outcome) -> Void) -> Int {
        let (number, hasRows) = state.withLock { state in
            state.nextNumber += 1
            state.listeners[state.nextNumber] = Listener(notify: notify)
            if case .success = state.outcome { return (state.nextNumber, true) }
            scheduleRun(&state)
            return (state.nextNumber, false)
        }
        if hasRows { file.watch.queue.async { [weak self] in self?.notifyNewListeners() } }
        return number
    }

    /// Removes a listener. After the last one, runs stop and the rows are released.
    package func removeListener(_ number: Int) {
        // The listener and the rows are released outside the lock, because that can run code of the app.
        let (removed, registration, outcome) = state.withLock { state in
            let removed = state.listeners.removeValue(forKey: number)
            guard removed != nil, state.listeners.isEmpty else { return (removed, CollectionWatch.Registration?.none, Outcome?.none) }
            defer {
                state.discardOutcome()
                state.registration = nil
            }
            return (removed, state.registration, state.outcome)
        }
        if let registration { file.watch.remove(registration) }
        withExtendedLifetime((removed, outcome)) {}
    }

    /// Sets new parameters, schedules an immediate run, and notifies all listeners even if the rows are equal.
    package func setParameters(_ parameters: Result<QueryParameters, any Error>) {
        state.withLock { state in
            state.parameters = parameters
            state.discardOutcome()
            if !state.listeners.isEmpty { scheduleRun(&state) }
        }
    }

    /// Sets the minimum time between the end of a run and the next run after a change, in milliseconds. The default is 0. It applies to a
    /// run that is scheduled already, too.
    package func setMinimumInterval(_ milliseconds: Int64) {
        state.withLock { state in
            state.pacing.minimumInterval = milliseconds
            guard state.pacing.isMerging else { return }
            state.scheduledRun?.cancel()
            state.scheduledTime = .max
            state.pacing.stopMerging()
            if let time = state.pacing.noteChange(at: file.options.steadyClock.now) { schedule(&state, at: time) }
        }
    }

    /// Prevents runs and notifications, also those of the current run, until ``resume()``.
    package func suspend() {
        state.withLock { state in
            state.isSuspended = true
            state.cancellation.cancel()
            state.cancellation = QueryCancellation()
        }
    }

    /// Ends the suspension, and schedules an immediate run if there are listeners.
    package func resume() {
        state.withLock { state in
            state.isSuspended = false
            // Changes may have been missed during the suspension.
            state.observed = nil
            if !state.listeners.isEmpty { scheduleRun(&state) }
        }
    }

    private func notifyNewListeners() {
        let (listeners, outcome) = state.withLock { state in (state.markNewListeners(), state.outcome) }
        guard let outcome else { return }
        for listener in listeners { listener(outcome) }
    }

    // MARK: Runs

    private func schedule(_ state: inout State, at time: Int64) {
        guard time < state.scheduledTime else { return }
        state.scheduledRun?.cancel()
        state.scheduledTime = time
        state.scheduledRun = file.options.steadyClock.wake(at: time, on: file.watch.queue) { [weak self] in self?.run() }
    }

    /// Schedules a run for another reason than a change.
    private func scheduleRun(_ state: inout State) {
        state.pacing.stopMerging()
        schedule(&state, at: file.options.steadyClock.now)
    }

    /// Schedules a run after a change. Must return quickly, because it is called during a commit.
    private func noteChange() {
        let merged = state.withLock { state -> CollectionWatch.Registration? in
            guard !state.listeners.isEmpty, let time = state.pacing.noteChange(at: file.options.steadyClock.now) else { return nil }
            return schedule(&state, lookAt: time)
        }
        if let merged { file.watch.wait(merged) }
    }

    /// Schedules a run or a look.
    ///
    /// - Returns: The registration that must wait for further changes, because they belong to the same burst.
    private func schedule(_ state: inout State, lookAt time: Int64) -> CollectionWatch.Registration? {
        schedule(&state, at: time)
        return state.pacing.isMerging ? state.registration : nil
    }

    private func run() {
        let start = file.options.steadyClock.now
        let (job, merged) = state.withLock { state -> (State?, CollectionWatch.Registration?) in
            (state.scheduledRun, state.scheduledTime) = (nil, .max)
            guard !state.isSuspended, !state.listeners.isEmpty else {
                state.pacing.stopMerging()
                return (nil, nil)
            }
            if !state.isForced, let time = state.pacing.nextLook(at: start) { return (nil, schedule(&state, lookAt: time)) }
            state.pacing.beginRun()
            defer { state.isForced = false }
            return (state, nil)
        }
        if let merged { file.watch.wait(merged) }
        if let job { run(job, from: start) }
    }

    private func run(_ job: State, from start: Int64) {
        let found = Result { try rows(for: job) }
        let merged = state.withLock { state -> CollectionWatch.Registration? in
            let time = state.pacing.endRun(from: start, at: file.options.steadyClock.now)
            guard let time, !state.listeners.isEmpty else { return nil }
            return schedule(&state, lookAt: time)
        }
        if let merged { file.watch.wait(merged) }
        if case .failure(is CancellationError) = found {
            // Another run has been requested, or no listener is left.
            return state.withLock { $0.isForced = $0.isForced || job.isForced }
        }
        let (listeners, outcome) = state.withLock { state in
            // If not wanted, another run has been requested, the observer has been suspended, or no listener is left.
            let isWanted = !state.isForced && !state.isSuspended && !state.listeners.isEmpty
            let mustNotify = isWanted && state.store(found, isForced: job.isForced)
            if mustNotify { for number in state.listeners.keys { state.listeners[number]?.isNotified = false } }
            return (isWanted ? state.markNewListeners() : [], state.outcome)
        }
        guard let outcome else { return }
        for listener in listeners { listener(outcome) }
    }

    private func rows(for job: State) throws -> (state: ObservedState, rows: RecordedRows?) {
        let prepared = try job.prepared ?? compileOrWait()
        let parameters = try job.parameters.get()
        try waitForChanges(prepared)
        return try prepared.run(
            on: file,
            parameters: parameters,
            unlessStillIn: job.isForced ? nil : job.observed,
            cancellation: job.cancellation
        )
    }

    /// Compiles the query. If this fails, registers for the next change of the schema: what the query lacks may be created.
    private func compileOrWait() throws -> PreparedQuery {
        if let prepared = try? compile() { return prepared }
        try waitForChanges(nil)
        // The schema may have changed before the registration.
        return try compile()
    }

    /// Registers for the next change: of the collections that the query reads or, if it could not be compiled, of the tables and indexes.
    /// This must happen before the query runs, so that no change is missed.
    private func waitForChanges(_ prepared: PreparedQuery?) throws {
        let known: CollectionWatch.Registration? = state.withLock { $0.prepared == nil && prepared != nil ? nil : $0.registration }
        if let known { return file.watch.wait(known) }
        // Every observer is notified of changes of the schema; no store has an empty name, so nothing else is noticed.
        let registration = try file.watch.register(for: prepared?.observedNames ?? [""], of: file) { [weak self] in
            self?.noteChange()
        }
        file.watch.wait(registration)
        let unwanted = state.withLock { state -> CollectionWatch.Registration? in
            state.prepared = prepared
            if state.listeners.isEmpty { return registration }
            defer { state.registration = registration }
            return state.registration
        }
        if let unwanted { file.watch.remove(unwanted) }
    }
}

extension QueryObserver.State {
    /// Marks the listeners that have not received the current outcome as notified, and returns them.
    fileprivate mutating func markNewListeners() -> [@Sendable (QueryObserver.Outcome) -> Void] {
        guard outcome != nil else { return [] }
        return listeners.keys.sorted().compactMap { number in
            guard let listener = listeners[number], !listener.isNotified else { return nil }
            listeners[number]?.isNotified = true
            return listener.notify
        }
    }

    /// Stores the outcome of a run, and returns whether the listeners must be notified.
    fileprivate mutating func store(_ found: Result<(state: ObservedState, rows: RecordedRows?), any Error>, isForced: Bool) -> Bool {
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
