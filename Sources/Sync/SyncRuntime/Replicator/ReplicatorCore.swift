#if Replication
package import Dispatch
package import DocumentStore
import Base
package import Replication
import SyncCore
import Synchronization

#if canImport(Network)
import Network
#endif

/// The implementation of a replicator: performs the actions of its life cycle, with one connection at a time.
///
/// The life cycle handles events on any thread and changes its state immediately; the resulting actions are performed on the queue, in
/// order.
package final class ReplicatorCore: Sendable {
    typealias Run = QueueConfined<ReplicatorRun>
    /// The state of the life cycle after an event.
    typealias Outlook = (level: ReplicatorLifeCycle.Level, error: SyncError?, attempts: ReplicatorLifeCycle.Attempts)

    private struct Shared {
        var cycle: ReplicatorLifeCycle
        var run: Run?
        var progress = ReplicatorProgress()
        var serverCertificate: [UInt8]?
        var correlationID: String?
        /// Whether the next start resets the checkpoints regardless of its argument.
        var resetsNextStart = false
        var wasStopped = false
    }

    /// The serial queue on which actions are performed and the connector and the observer are called.
    package let queue = DispatchQueue(label: "CouchbaseLite.replicator")
    let clock: any SteadyClock
    let observer: any ReplicatorObserver
    private let connector: any ReplicatorConnector
    private let isContinuous: Bool
    /// The name in the log, followed by the ID by which the server names the connection.
    var logName: String { connector.logName + (correlationID.map { " [\($0)]" } ?? "") }
    private let shared: Mutex<Shared>
    /// Shared by all runs, because resolvers may outlive their run. Used on the queue only.
    private let existingResolving: QueueConfined<ConflictResolving?>

    /// Creates the implementation of a replicator, which has to be started.
    package init(
        _ options: ReplicatorLifeCycle.Options,
        _ connector: any ReplicatorConnector,
        clock: any SteadyClock,
        observer: any ReplicatorObserver
    ) {
        self.connector = connector
        isContinuous = options.isContinuous
        self.observer = observer
        self.clock = clock
        existingResolving = QueueConfined(nil, to: queue)
        shared = Mutex(Shared(cycle: ReplicatorLifeCycle(options: options)))
        ActivityQueue.mark(queue, for: self)
    }

    // MARK: On any thread

    /// The current status.
    package var status: ReplicatorStatus {
        shared.withLock { ReplicatorStatus(level: $0.cycle.level, progress: $0.progress, error: $0.cycle.error) }
    }

    /// Whether the replicator was started and has not stopped.
    package var isRunning: Bool { shared.withLock { $0.run != nil } }

    /// Whether the current or last run was stopped by ``stop()`` before its end.
    package var wasStopped: Bool { shared.withLock { $0.wasStopped } }

    /// The certificate of the last connected server, DER.
    package var serverCertificate: [UInt8]? { shared.withLock { $0.serverCertificate } }

    /// The ID by which the server of the current or last connection names it in its log.
    package var correlationID: String? { shared.withLock { $0.correlationID } }

    /// The result of ``start(_:reset:)``.
    package enum Start {
        /// It was started; or it was running already; or nothing was started, because the database is being closed.
        case started, isRunning, isClosing
    }

    /// Starts the replicator.
    ///
    /// - Parameters:
    ///   - owner: The object that is passed to the observer. It is retained until the replicator has stopped.
    ///   - reset: Whether the checkpoints are reset.
    package func start(_ owner: any AnyObject & Sendable, reset: Bool) -> Start {
        shared.withLock { shared in
            guard shared.run == nil else { return .isRunning }
            guard let activities = beginActivities() else { return .isClosing }
            let run = Run(ReplicatorRun(owner, isReset: reset || shared.resetsNextStart, activities: activities), to: queue)
            shared.resetsNextStart = false
            shared.wasStopped = false
            shared.run = run
            shared.progress = ReplicatorProgress()
            shared.serverCertificate = nil
            shared.correlationID = nil
            handle(.start, &shared)
            return .started
        }
    }

    /// Makes the next start reset the checkpoints.
    package func resetNextStart() { shared.withLock { $0.resetsNextStart = true } }

    /// Starts stopping the replicator, and returns immediately.
    package func stop() {
        let run = shared.withLock { shared in
            defer { handle(.stop, &shared) }
            if shared.run != nil { shared.wasStopped = true }
            return shared.run
        }
        guard let run else { return }
        queue.async { [self] in
            // The replicator may have been started again.
            if shared.withLock({ $0.run === run }) { resolving.stop() }
        }
    }

    /// Passes an event to the life cycle.
    package func handle(_ event: ReplicatorLifeCycle.Event) {
        shared.withLock { handle(event, &$0) }
    }

    private func handle(_ event: ReplicatorLifeCycle.Event, _ shared: inout Shared) {
        let actions = shared.cycle.handle(event)
        guard let run = shared.run, !actions.isEmpty else { return }
        let outlook = (level: shared.cycle.level, error: shared.cycle.error, attempts: shared.cycle.attempts)
        if outlook.level == .stopped { shared.run = nil }
        queue.async { self.perform(actions, outlook, run) }
    }

    private func beginActivities() -> [@Sendable () -> Void]? {
        var endings: [@Sendable () -> Void] = []
        for database in connector.activities {
            let number = database.begin(
                stop: { [weak self] in self?.stop() },
                isRunning: { [weak self] in self?.isRunning ?? false },
                isOfThisThread: { [weak self] in
                    self.map { ActivityQueue.isCurrent(for: $0) } ?? false
                }
            )
            guard let number else {
                for end in endings { end() }
                return nil
            }
            endings.append { database.end(number) }
        }
        return endings
    }

    // MARK: On the queue

    private func perform(
        _ actions: [ReplicatorLifeCycle.Action],
        _ outlook: Outlook,
        _ run: Run
    ) {
        let (level, error, _) = outlook
        log(actions, outlook)
        for action in actions {
            switch action {
            case .connect: connect(run)
            case .close: run.value.connection?.stop()
            case .abort: run.value.connection?.abort()
            case .setTimer(let time):
                run.value.timer = clock.wake(at: clock.now + time, on: queue) { [weak self] in
                    run.value.timer = nil
                    self?.handle(.timerFired)
                }
            case .cancelTimer:
                run.value.timer?.cancel()
                run.value.timer = nil
            case .report: notify(level, error, run)
            }
        }
        if level == .stopped { run.value.finish() }
    }

    private func connect(_ run: Run) {
        do {
            let file = try connector.file
            let (session, channel) = try connector.connect(isReset: run.value.isReset) { [weak self] certificate in
                self?.shared.withLock { $0.serverCertificate = certificate }
            }
            run.value.isReset = false
            // Code of the app that transports the messages may close the database, too.
            (channel as? MessageChannel)?.works(for: self)
            let driver = SessionDriver(
                session,
                on: channel,
                queue: queue,
                clock: clock,
                opened: { [weak self] in self?.opened($0) },
                report: { [weak self] in self?.receive($0, run) }
            )
            run.value.connection = driver
            resolving.resume()
            try driver.start(watching: connector.collections, of: file)
        } catch {
            run.value.connection = nil
            handle(.ended(SyncError(error)))
        }
    }

    private func opened(_ handshake: ChannelHandshake) {
        shared.withLock { shared in
            if let certificate = handshake.peerCertificate { shared.serverCertificate = certificate }
            shared.correlationID = handshake.correlationID
        }
        log(.info, "connected, \(handshake.subprotocol ?? "without a subprotocol")")
        handle(.connected(isBusy: true, hasProgressed: false))
    }

    private func receive(_ report: SessionReport, _ run: Run) {
        switch report {
        case .status(let status):
            run.value.sessionStatus = status
            let progress = ReplicatorProgress(status, after: run.value.earlier)
            let isChanged = shared.withLock { shared in
                defer { shared.progress = progress }
                return shared.progress != progress
            }
            handle(.connected(isBusy: status.isBusy, hasProgressed: status.counts.replicated > 0))
            if isChanged, run.value.throttle.mayReport(clock, queue, later: { [weak self] in self?.notifyProgress(run) }) {
                notifyProgress(run)
            }
        case .documents(let documents): receive(documents, run)
        case .conflict(let collection, let documentID): resolving.add(documentID, in: collection)
        case .ended(let error):
            if let status = run.value.sessionStatus { run.value.earlier.add(status, withPostponed: false) }
            run.value.sessionStatus = nil
            run.value.connection = nil
            handle(.ended(error))
        }
    }

    private var resolving: ConflictResolving {
        if let existing = existingResolving.value { return existing }
        let created = ConflictResolving(
            connector.solvers,
            on: queue,
            for: self,
            settled: { [weak self] documentID, collection, outcome in
                guard let self, let run = self.shared.withLock({ $0.run }) else { return }
                run.value.connection?.conflictSettled(documentID, in: collection)
                guard observer.wantsDocuments,
                    let document = outcome.document(documentID, in: collection)
                else { return }
                if !isContinuous, document.error == nil { run.value.resolved.insert(DocumentKey(documentID, in: collection)) }
                run.value.documents.add(document, isPush: false)
                flushDocumentsSoon(run)
            },
            countChanged: { [weak self] in self?.handle(.resolving(count: $0)) }
        )
        existingResolving.value = created
        return created
    }
}

extension ConflictSettlement {
    /// Returns the document for the notification of listeners; `nil` if they are not notified.
    fileprivate func document(_ documentID: String, in collection: CollectionID) -> ReportedDocument? {
        switch self {
        case .none: nil
        case .resolved(let isDeleted): ReportedDocument(documentID, in: collection, isDeleted: isDeleted)
        case .failed(let error): ReportedDocument(documentID, in: collection, error: error)
        }
    }
}

extension ReplicatorCore {
    /// Handles changes of the network, which only Apple's systems report, until the returned object is released.
    package func watchNetwork() -> AnyObject? {
        #if canImport(Network)
        return PathMonitor(self)
        #else
        return nil
        #endif
    }
}

#if canImport(Network)
private final class PathMonitor {
    private let monitor = NWPathMonitor()

    init(_ core: ReplicatorCore) {
        monitor.pathUpdateHandler = { [weak core] path in
            core?.handle(.reachability(isReachable: path.status == .satisfied))
        }
        monitor.start(queue: core.queue)
    }

    deinit { monitor.cancel() }
}
#endif
#endif
