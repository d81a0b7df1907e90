package import DocumentStore
package import Replication
package import SyncCore

/// Runs a session on one end of a link: performs its actions, and records its reports.
package final class SessionRunner {
    package let database: SimulatedDatabase
    private let simulation: Simulation
    package let session: Session
    private let end: SimulatedLink.End
    private let resolve: Resolver
    private var timers: [SessionTimer: Simulation.Appointment] = [:]
    private var observation: Int?
    /// The time that resolving a conflict takes.
    package var resolvingTime: Duration = .milliseconds(1)

    package private(set) var status = SessionStatus()
    package private(set) var documents: [EndedDocument] = []
    package private(set) var conflictCount = 0
    package private(set) var hasEnded = false
    /// The error with which the session ended.
    package private(set) var error: SyncError?

    /// Called with each report of the session.
    package var onReport: (SessionReport) -> Void = { _ in }

    /// Returns how a conflict is resolved. If it throws, the conflict remains for the next session.
    package typealias Resolver = (StoredConflict) throws -> ConflictResolution

    package init(
        _ session: Session,
        on end: SimulatedLink.End,
        of database: SimulatedDatabase,
        in simulation: Simulation,
        resolve: @escaping Resolver = SessionRunner.defaultResolution
    ) {
        self.session = session
        self.end = end
        self.database = database
        self.simulation = simulation
        self.resolve = resolve
        observation = database.observe { [weak self] in self?.handle(.databaseChanged($0)) }
        end.open { [weak self] event in
            switch event {
            case .opened(let handshake): self?.handle(.opened(handshake))
            case .frame(let frame): self?.handle(.frames([frame]))
            case .writable: self?.sendFrames()
            case .closed(let closure): self?.handle(.closed(closure))
            }
        }
    }

    package func stop() {
        handle(.stop)
    }

    /// Documents that were replicated without an error.
    package var succeeded: [String] { documents.filter { $0.error == nil }.map(\.documentID) }

    private func handle(_ event: SessionEvent) {
        guard !hasEnded else { return }
        let actions = session.handle(event, at: simulation.now)
        // The actions of a killed process are dropped.
        guard !database.isDead else { return die() }
        for action in actions { perform(action) }
        sendFrames()
    }

    private func sendFrames() {
        while !hasEnded, end.hasRoom, let frame = session.nextFrame() {
            end.send(frame)
            if !end.hasRoom { session.noteChannelIsFull() }
        }
        if !hasEnded { session.drainActions().forEach(perform) }
    }

    private func perform(_ action: SessionAction) {
        switch action {
        case .close(let code, let reason):
            end.close(code: code, reason: reason)
        case .setTimer(let timer, let delay):
            timers[timer] = simulation.after(delay) { [weak self] in
                self?.timers[timer] = nil
                self?.handle(.timer(timer))
            }
        case .cancelTimer(let timer):
            if let appointment = timers.removeValue(forKey: timer) { simulation.cancel(appointment) }
        case .report(let report):
            handle(report)
        }
    }

    private func handle(_ report: SessionReport) {
        switch report {
        case .status(let status): self.status = status
        case .documents(let ended): documents += ended
        case .conflict(let collection, let documentID):
            conflictCount += 1
            resolve(collection, documentID)
        case .ended(let error):
            self.error = error
            finish()
        }
        onReport(report)
    }

    // MARK: Conflicts

    /// Resolves the conflict of a document, if it is still in conflict, and notifies the session.
    private func resolve(_ collection: CollectionID, _ documentID: String) {
        do {
            guard let conflict = try database.replica.collection(collection)?.conflict(in: documentID) else {
                return handle(.conflictSettled(collection: collection, documentID: documentID))
            }
            let resolution = try resolve(conflict)
            // The document may change during this time.
            simulation.after(resolvingTime) { [weak self] in self?.end(conflict, of: collection, with: resolution) }
        } catch {
            simulation.after(resolvingTime) { [weak self] in
                self?.handle(.conflictSettled(collection: collection, documentID: documentID))
            }
        }
    }

    private func end(_ conflict: StoredConflict, of collection: CollectionID, with resolution: ConflictResolution) {
        guard !hasEnded, !database.isDead else { return }
        do {
            let resolved = try database.replica.collection(collection)?.resolve(conflict, with: resolution)
            guard let resolved, !resolved.isStillConflicted else { return resolve(collection, conflict.documentID) }
        } catch {
            // Unresolved conflicts are reported again by the next session.
            if database.isDead { return die() }
        }
        handle(.conflictSettled(collection: collection, documentID: conflict.documentID))
    }

    /// Ends the session because its process was killed; the system closes its sockets.
    package func die() {
        guard !hasEnded else { return }
        error = SyncError(engine: .notOpen, "\(database.name) was killed")
        finish()
        end.abandon()
    }

    private func finish() {
        hasEnded = true
        if let observation { database.stopObserving(observation) }
        for appointment in timers.values { simulation.cancel(appointment) }
        timers.removeAll()
    }

    /// The resolution if the app has no conflict resolver (Replication 4.7).
    package static func defaultResolution(_ conflict: StoredConflict) -> ConflictResolution {
        if conflict.remote.isDeleted { return .remote }
        if conflict.local.isDeleted { return .deleted }
        return conflict.prefersLocal ? .local : .remote
    }
}
