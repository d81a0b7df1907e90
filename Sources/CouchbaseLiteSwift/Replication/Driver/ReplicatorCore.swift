#if Replication
import SyncCore
import DocumentStore
import LogCore
import Replication
import Synchronization

/// The implementation of a ``Replicator``: performs the actions of its life cycle, with one connection at a time.
///
/// The life cycle handles events on any thread and changes its state immediately; the resulting actions are performed on the queue, in
/// order.
final class ReplicatorCore: @unchecked Sendable {
    // Unchecked: mutable state is in `shared`, which is locked, or in a run, which is accessed on the queue only. The configuration is a
    // private copy that is never changed.
    private struct Shared {
        var cycle: ReplicatorLifeCycle
        var run: ReplicatorRun?
        var progress = Replicator.Progress(completed: 0, total: 0)
        var serverCertificate: [UInt8]?
        /// Whether the next start resets the checkpoints regardless of its argument.
        var resetsNextStart = false
    }

    let queue = DispatchQueue(label: "CouchbaseLite.replicator")
    let clock: any SteadyClock
    let statusListeners: ListenerList<ReplicatorChange>
    let documentListeners: ListenerList<DocumentReplication>
    private let connector: any ReplicatorConnector
    var logName: String { connector.logName }
    private let shared: Mutex<Shared>
    /// Shared by all runs, because resolvers may outlive their run. Used on the queue only.
    private lazy var resolving = conflictResolving()

    init(_ options: ReplicatorLifeCycle.Options, _ connector: any ReplicatorConnector, clock: any SteadyClock) {
        self.connector = connector
        self.clock = clock
        let queues = ListenerQueues()
        statusListeners = ListenerList(queues)
        documentListeners = ListenerList(queues)
        shared = Mutex(Shared(cycle: ReplicatorLifeCycle(options: options)))
        ActivityQueue.mark(queue, for: self)
    }

    // MARK: On any thread

    var status: Replicator.Status {
        shared.withLock { Replicator.Status($0.cycle.level, $0.progress, $0.cycle.error) }
    }

    var isRunning: Bool { shared.withLock { $0.run != nil } }

    /// The certificate of the last connected server, DER.
    var serverCertificate: [UInt8]? { shared.withLock { $0.serverCertificate } }

    /// The result of ``start(_:reset:)``.
    enum Start {
        case started, isRunning, isClosing
    }

    /// Starts the replicator, which is retained until it has stopped.
    func start(_ replicator: Replicator, reset: Bool) -> Start {
        shared.withLock { shared in
            guard shared.run == nil else { return .isRunning }
            guard let activities = beginActivities() else { return .isClosing }
            let run = ReplicatorRun(replicator, isReset: reset || shared.resetsNextStart, activities: activities)
            shared.resetsNextStart = false
            shared.run = run
            shared.progress = Replicator.Progress(completed: 0, total: 0)
            shared.serverCertificate = nil
            handle(.start, &shared)
            return .started
        }
    }

    /// Makes the next start reset the checkpoints.
    func resetNextStart() {
        shared.withLock { $0.resetsNextStart = true }
    }

    func stop() {
        let run = shared.withLock { shared in
            defer { handle(.stop, &shared) }
            return shared.run
        }
        guard let run else { return }
        queue.async { [self] in
            // The replicator may have been started again.
            if shared.withLock({ $0.run === run }) { resolving.stop() }
        }
    }

    /// Passes an event to the life cycle.
    func handle(_ event: ReplicatorLifeCycle.Event) {
        shared.withLock { handle(event, &$0) }
    }

    private func handle(_ event: ReplicatorLifeCycle.Event, _ shared: inout Shared) {
        let actions = shared.cycle.handle(event)
        guard let run = shared.run, !actions.isEmpty else { return }
        let (level, error) = (shared.cycle.level, shared.cycle.error)
        if level == .stopped { shared.run = nil }
        queue.async { self.perform(actions, level, error, run) }
    }

    private func beginActivities() -> [() -> Void]? {
        var endings: [() -> Void] = []
        for database in connector.databases {
            let number = database.activities.begin(
                stop: { [weak self] in self?.stop() },
                isOfThisThread: { [weak self] in
                    self.map { ActivityQueue.isCurrent(for: $0) } ?? false
                }
            )
            guard let number else {
                for end in endings { end() }
                return nil
            }
            endings.append { database.activities.end(number) }
        }
        return endings
    }

    // MARK: On the queue

    private func perform(
        _ actions: [ReplicatorLifeCycle.Action],
        _ level: ReplicatorLifeCycle.Level,
        _ error: SyncError?,
        _ run: ReplicatorRun
    ) {
        log(actions, level, error)
        for action in actions {
            switch action {
            case .connect: connect(run)
            case .close: run.connection?.stop()
            case .abort: run.connection?.abort()
            case .setTimer(let time):
                run.timer = clock.wake(at: clock.now + time, on: queue) { [weak self] in
                    run.timer = nil
                    self?.handle(.timerFired)
                }
            case .cancelTimer:
                run.timer?.cancel()
                run.timer = nil
            case .report: tell(level, error, run)
            }
        }
        if level == .stopped { run.finish() }
    }

    private func connect(_ run: ReplicatorRun) {
        do {
            let file = try connector.file
            let (session, channel) = try connector.connect(isReset: run.isReset) { [weak self] certificate in
                self?.shared.withLock { $0.serverCertificate = certificate }
            }
            run.isReset = false
            // Code of the app that transports the messages may close the database, too.
            (channel as? MessageChannel)?.works(for: self)
            let driver = SessionDriver(
                session,
                on: channel,
                queue: queue,
                clock: clock,
                opened: { [weak self] in self?.opened($0, run) },
                report: { [weak self] in self?.receive($0, run) }
            )
            run.connection = driver
            resolving.resume()
            try driver.start(watching: connector.collections.map(\.store.id), of: file)
        } catch {
            run.connection = nil
            handle(.ended(SyncError(error)))
        }
    }

    private func opened(_ handshake: ChannelHandshake, _ run: ReplicatorRun) {
        if let certificate = handshake.peerCertificate {
            shared.withLock { $0.serverCertificate = certificate }
        }
        log(.info, "connected, \(handshake.subprotocol ?? "without a subprotocol")")
        handle(.connected(isBusy: true, hasProgressed: false))
    }

    private func receive(_ report: SessionReport, _ run: ReplicatorRun) {
        switch report {
        case .status(let status):
            let progress = Replicator.Progress(status)
            let isChanged = shared.withLock { shared in
                defer { shared.progress = progress }
                return shared.progress != progress
            }
            handle(.connected(isBusy: status.isBusy, hasProgressed: status.counts.replicated > 0))
            if isChanged, run.throttle.isTime(clock, queue, later: { [weak self] in self?.tellProgress(run) }) {
                tellProgress(run)
            }
        case .documents(let documents): receive(documents, run)
        case .conflict(let collection, let documentID): resolving.add(documentID, in: collection)
        case .ended(let error):
            run.connection = nil
            handle(.ended(error))
        }
    }

    // MARK: Telling

    private func tell(_ level: ReplicatorLifeCycle.Level, _ error: SyncError?, _ run: ReplicatorRun) {
        // Listeners are notified of all documents before they are notified that the replicator is idle or has stopped.
        run.documents.flush(documentListeners)
        let progress = shared.withLock { $0.progress }
        tell(Replicator.Status(level, progress, error), run)
    }

    private func tellProgress(_ run: ReplicatorRun) {
        // The final status includes any progress that was not reported before the end.
        if isRunning { tell(status, run) }
    }

    private func tell(_ status: Replicator.Status, _ run: ReplicatorRun) {
        guard let replicator = run.replicator else { return }
        run.throttle.didTell(clock)
        statusListeners.tell(ReplicatorChange(replicator: replicator, status: status))
    }

    private func receive(_ documents: [EndedDocument], _ run: ReplicatorRun) {
        guard !documentListeners.isEmpty else { return }
        // Documents in conflict are reported when they are resolved.
        for document in documents where !document.isConflictToResolve {
            run.documents.add(ReplicatedDocument(document), isPush: document.isPush)
        }
        run.documents.flushSoon(documentListeners, clock, queue)
    }

    private func conflictResolving() -> ConflictResolving {
        ConflictResolving(
            connector.resolvers,
            of: self,
            settled: { [weak self] documentID, collection, outcome in
                guard let self, let run = self.shared.withLock({ $0.run }) else { return }
                run.connection?.conflictSettled(documentID, in: collection)
                guard !documentListeners.isEmpty,
                    let document = outcome.document(documentID, in: collection)
                else { return }
                run.documents.add(document, isPush: false)
                run.documents.flushSoon(documentListeners, clock, queue)
            },
            countChanged: { [weak self] in self?.handle(.resolving(count: $0)) }
        )
    }
}

extension EndedDocument {
    /// Whether this is a conflict that a resolver is going to resolve.
    var isConflictToResolve: Bool {
        !isPush && isTransient && error?.domain == .liteCore && error?.code == CBLError.conflict
    }
}

extension Replicator.Progress {
    /// Counts documents: those that are done, those that are known, and those that are expected.
    init(_ status: SessionStatus) {
        completed = status.completedDocuments
        total = status.totalDocuments + status.estimatedDocuments
    }
}

extension Replicator.Status {
    init(_ level: ReplicatorLifeCycle.Level, _ progress: Replicator.Progress, _ error: SyncError?) {
        activity =
            switch level {
            case .stopped: .stopped
            case .offline: .offline
            case .connecting: .connecting
            case .idle: .idle
            case .busy: .busy
            }
        self.progress = progress
        self.error = error?.publicError
    }
}
#endif
