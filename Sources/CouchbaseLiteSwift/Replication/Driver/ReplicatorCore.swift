#if Replication
import SyncCore
import DocumentStore
import LogCore
import Replication
import Synchronization

/// What a ``Replicator`` does: carries out its life cycle, one connection after the other.
///
/// The life cycle is told events on any thread and has its new state at once; what follows from that is done on the queue, in
/// order.
final class ReplicatorCore: @unchecked Sendable {
    // Unchecked: what changes is in `shared`, which is locked, or in a run, which is touched on the queue only. The
    // configuration is a copy of our own that nobody changes.
    private struct Shared {
        var cycle: ReplicatorLifeCycle
        var run: ReplicatorRun?
        var progress = Replicator.Progress(completed: 0, total: 0)
        var serverCertificate: [UInt8]?
        /// Whether the next start forgets the checkpoints whatever it says.
        var resetsNextStart = false
    }

    let queue = DispatchQueue(label: "CouchbaseLite.replicator")
    let clock: any SteadyClock
    let statusListeners: ListenerList<ReplicatorChange>
    let documentListeners: ListenerList<DocumentReplication>
    private let connector: any ReplicatorConnector
    var logName: String { connector.logName }
    private let shared: Mutex<Shared>

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

    /// The certificate of the server that was connected last, DER.
    var serverCertificate: [UInt8]? { shared.withLock { $0.serverCertificate } }

    /// What came of ``start(_:reset:)``.
    enum Start {
        case started, isRunning, isClosing
    }

    /// Starts the replicator, which is kept until it has stopped.
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

    /// Has the next start forget the checkpoints.
    func resetNextStart() {
        shared.withLock { $0.resetsNextStart = true }
    }

    func stop() {
        let run = shared.withLock { shared in
            defer { handle(.stop, &shared) }
            return shared.run
        }
        if let run { queue.async { run.resolving?.stop() } }
    }

    /// Has the life cycle take an event.
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
            let (session, channel) = try connector.connect(isReset: run.isReset) { [weak self] certificate in
                self?.shared.withLock { $0.serverCertificate = certificate }
            }
            run.isReset = false
            // Code of the app that carries the messages may close the database, too.
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
            if run.resolving == nil { run.resolving = conflictResolving(run) }
            try driver.start(watching: connector.collections.map(\.store.id), of: try connector.file)
        } catch {
            run.connection = nil
            handle(.ended(SyncError(error)))
        }
    }

    private func opened(_ handshake: ChannelHandshake, _ run: ReplicatorRun) {
        if let certificate = handshake.peerCertificate {
            shared.withLock { $0.serverCertificate = certificate }
        }
        log(.info, "connected, \(handshake.subprotocol ?? "without a protocol's name")")
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
        case .conflict(let collection, let documentID): run.resolving?.add(documentID, in: collection)
        case .ended(let error):
            run.connection = nil
            handle(.ended(error))
        }
    }

    // MARK: Telling

    private func tell(_ level: ReplicatorLifeCycle.Level, _ error: SyncError?, _ run: ReplicatorRun) {
        // Whoever hears that all is done has heard of all documents.
        run.documents.flush(documentListeners)
        let progress = shared.withLock { $0.progress }
        tell(Replicator.Status(level, progress, error), run)
    }

    private func tellProgress(_ run: ReplicatorRun) {
        // What was not told before the end is told with it.
        if isRunning { tell(status, run) }
    }

    private func tell(_ status: Replicator.Status, _ run: ReplicatorRun) {
        guard let replicator = run.replicator else { return }
        run.throttle.didTell(clock)
        statusListeners.tell(ReplicatorChange(replicator: replicator, status: status))
    }

    private func receive(_ documents: [EndedDocument], _ run: ReplicatorRun) {
        guard !documentListeners.isEmpty else { return }
        // Conflicts are told when they are resolved.
        for document in documents where !document.isConflictToResolve {
            run.documents.add(ReplicatedDocument(document), isPush: document.isPush)
        }
        run.documents.flushSoon(documentListeners, clock, queue)
    }

    private func conflictResolving(_ run: ReplicatorRun) -> ConflictResolving {
        ConflictResolving(
            connector.resolvers,
            of: self,
            settled: { [weak self] documentID, collection, outcome in
                guard let self else { return }
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
    /// Whether it is a conflict that a resolver is going to be asked about.
    var isConflictToResolve: Bool {
        !isPush && isTransient && error?.domain == .liteCore && error?.code == CBLError.conflict
    }
}

extension Replicator.Progress {
    /// Documents: those that are done, those that are known of, and those that are expected.
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
