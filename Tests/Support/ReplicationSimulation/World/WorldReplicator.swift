import Base
import DocumentStore
import Replication
import SyncCore

/// A replicator of a world, which connects, loses connections and retries.
final class WorldReplicator {
    let number: Int
    let options: WorldOptions.Replicator
    let node: WorldNode
    let target: WorldNode
    private unowned let world: World
    private var lifeCycle: ReplicatorLifeCycle
    private var timer: Simulation.Appointment?
    private(set) var runner: SessionRunner?
    private(set) var link: SimulatedLink?
    /// Whether the app has started it and not stopped it.
    private var isWanted = false
    private var resetsNext = false
    /// The numbers of its database and its target.
    var sides: [Int] { [node.number, target.number] }
    /// The number of revisions to transfer in the current or last session.
    var totalDocuments: UInt64 { runner?.status.totalDocuments ?? 0 }

    init(_ number: Int, _ options: WorldOptions.Replicator, _ world: World) {
        self.number = number
        self.options = options
        self.world = world
        node = world.nodes[options.node]
        target = world.nodes[options.target]
        lifeCycle = Self.lifeCycle(options.isContinuous)
    }

    private static func lifeCycle(_ isContinuous: Bool) -> ReplicatorLifeCycle {
        ReplicatorLifeCycle(options: .init(isContinuous: isContinuous, maximumAttempts: isContinuous ? .max : 4, maximumWait: 8000))
    }

    // MARK: Actions of the app

    var isRunning: Bool { lifeCycle.isRunning }
    /// Whether the app has stopped it, but it is still running.
    var isStopping: Bool { !isWanted && lifeCycle.isRunning }
    var isIdle: Bool { lifeCycle.level == .idle || lifeCycle.level == .stopped }

    func start(isContinuous: Bool? = nil) {
        guard !node.isDown, !lifeCycle.isRunning else { return }
        isWanted = true
        lifeCycle = Self.lifeCycle(isContinuous ?? options.isContinuous)
        handle(.start)
    }

    func stop() {
        isWanted = false
        handle(.stop)
    }

    func suspend() {
        guard lifeCycle.isRunning else { return }
        handle(.suspend)
    }

    func resume() {
        handle(.resume)
    }

    /// Resets the checkpoint at the next connection.
    func reset() {
        resetsNext = true
    }

    /// Handles the end of the process.
    func died() {
        if let timer { world.simulation.cancel(timer) }
        timer = nil
        runner = nil
        lifeCycle = Self.lifeCycle(options.isContinuous)
    }

    /// Handles the restart of the process: the app starts the replicator if it ran before.
    func revived() {
        if isWanted { start() }
    }

    // MARK: The life cycle

    private func handle(_ event: ReplicatorLifeCycle.Event) {
        for action in lifeCycle.handle(event) {
            switch action {
            case .connect: connect()
            case .close: runner?.stop()
            case .abort: link?.cut()
            case .setTimer(let milliseconds):
                timer = world.simulation.after(.milliseconds(milliseconds)) { [unowned self] in
                    timer = nil
                    handle(.timerFired)
                }
            case .cancelTimer:
                if let timer { world.simulation.cancel(timer) }
                timer = nil
            case .report:
                world.say("r\(number) is \(lifeCycle.level) \(lifeCycle.error?.description ?? "")")
            }
        }
    }

    private func connect() {
        do {
            if resetsNext { try node.database.replica.discardCheckpoints(activeOptions) }
        } catch {
            return failToConnect(SyncError(error))
        }
        guard let link = world.link(number) else { return failToConnect(SyncError(.posix, 111, "connection refused")) }
        self.link = link
        world.say("r\(number) connects n\(node.number) to n\(target.number)\(resetsNext ? ", reset" : "")")
        serve(on: link)
        let runner = SessionRunner(
            session(),
            on: link.client,
            of: node.database,
            in: world.simulation,
            resolve: { [unowned self] in try resolve($0) }
        )
        self.runner = runner
        runner.resolvingTime = world.simulation.random.milliseconds(0...200)
        runner.onReport = { [unowned self, unowned runner] in handle($0, of: runner) }
        node.add(runner)
        resetsNext = false
        link.connect()
    }

    private func failToConnect(_ error: SyncError) {
        runner = nil
        link = nil
        world.simulation.after(.milliseconds(5)) { [unowned self] in handle(.ended(error)) }
    }

    private func serve(on link: SimulatedLink) {
        var options = PassiveOptions(collections: world.options.collections)
        options.usesDeltas = world.options.servesDeltas
        let server = SessionRunner(
            Session.passive(target.database.replica, options),
            on: link.server,
            of: target.database,
            in: world.simulation
        )
        server.onReport = { [unowned self] report in
            if case .ended(let error) = report {
                world.say("r\(number): the server's session ends \(error?.description ?? "well")")
            }
        }
        target.add(server)
    }

    private var activeOptions: ActiveOptions {
        let mode: ReplicationMode = lifeCycle.options.isContinuous ? .continuous : .oneShot
        var active = ActiveOptions(
            remoteURL: "ws://n\(target.number)/db/_blipsync",
            push: options.pushes ? mode : .disabled,
            pull: options.pulls ? mode : .disabled,
            collections: options.collections.map { id in
                var collection = CollectionOptions(id)
                collection.documentIDs = options.documentIDs
                let filtered = options.filtered
                if !filtered.isEmpty {
                    collection.pushFilter = { !filtered.contains($0.documentID) }
                    collection.pullFilter = { !filtered.contains($0.documentID) }
                }
                return collection
            }
        )
        active.usesDeltas = options.usesDeltas
        return active
    }

    private func session() -> Session {
        var active = activeOptions
        active.checkpointInterval = world.simulation.random.milliseconds(1...5000)
        let clock = { [simulation = world.simulation, skew = options.clockSkew] in
            1_700_000_000 + simulation.now.components.seconds + skew
        }
        return .active(node.database.replica, active, currentTime: clock)
    }

    private func handle(_ report: SessionReport, of runner: SessionRunner) {
        guard runner === self.runner else { return }
        switch report {
        case .status(let status):
            handle(.connected(isBusy: status.isBusy, hasProgressed: status.counts.replicated > 0))
        case .documents(let documents):
            for document in documents {
                let name = DocumentName(collection: document.collection, id: document.documentID)
                let kind = document.isPush ? "pushed" : "pulled"
                world.say("r\(number) \(kind) \(name) \(document.error?.description ?? "")")
                if document.error != nil { world.eventLog.refused[sides, default: []].insert(name) }
            }
        case .conflict(let collection, let documentID):
            world.say("r\(number) finds a conflict of \(documentID)")
            world.eventLog.conflicted.insert(DocumentName(collection: collection, id: documentID))
        case .ended(let error):
            world.say("r\(number) ends \(error?.description ?? "well") after \(runner.status)")
            handle(.ended(error))
        }
    }

    /// Checks that each side of a conflict has an edit that the other one does not have.
    ///
    /// Merging on both sides, deleting and purging make conflicts in which this is not so, and so do revision trees, in a chain of databases: if the
    /// middle one resolves a conflict for its own revision A, the result is a child of the other revision, with the edits of A. A client of the
    /// middle one that has changed A finds a conflict of its change with that child, although it has all edits of both. Where databases are upgraded,
    /// a revision from the middle of a tree may be in conflict with a version that was made from it, because it was forgotten. So a document is not
    /// checked after it was in conflict with a revision of a tree. Without such conflicts each edit has a revision of its own, and each version made
    /// from it includes it.
    ///
    /// Where some databases have trees from the beginning, only conflicts with a version are checked that this database knows by its name in trees:
    /// the local revision was made from it before or after an upgrade (Version vectors 7.6).
    private func checkConflict(_ conflict: StoredConflict) throws {
        let options = world.options
        guard options.deletes == 0, options.purges == 0, options.replicators.allSatisfy({ $0.resolver == .standard }) else { return }
        let documentID = ExactString(conflict.documentID)
        if [conflict.local.id, conflict.remote.id].contains(where: { $0.version?.isTreeRevision ?? true }) {
            world.eventLog.conflictedTrees.insert(documentID)
        }
        guard !world.eventLog.conflictedTrees.contains(documentID) else { return }
        if try !options.treeNodes.isEmpty && !knowsByName(conflict) { return }
        let sides = try [conflict.local, conflict.remote].map { try DocumentContent($0.body, conflict.sharedKeys).marks }
        guard !sides[0].isSubset(of: sides[1]), !sides[1].isSubset(of: sides[0]) else {
            return world.fail("r\(number) is asked to resolve a false conflict of \(conflict.documentID): \(sides)")
        }
    }

    /// Returns whether the name of the target's revision in trees is in the history of the local revision.
    private func knowsByName(_ conflict: StoredConflict) throws -> Bool {
        try options.collections.contains { collection in
            let document = DocumentName(collection: collection, id: conflict.documentID)
            let theirs = try target.state(of: document)
            guard theirs.current == node.absolute(conflict.remote.id), let name = theirs.names.first else { return false }
            return try node.state(of: document).history.contains(name)
        }
    }

    /// The error of a conflict resolver that fails.
    private struct ResolverFailure: Error {}

    private func resolve(_ conflict: StoredConflict) throws -> ConflictResolution {
        try checkConflict(conflict)
        switch options.resolver {
        case .standard: return SessionRunner.defaultResolution(conflict)
        case .merging: return try .merging(conflict, in: node.database.file)
        case .failing:
            guard world.isHealed || world.simulation.random.chance(40) else { throw ResolverFailure() }
            return try .merging(conflict, in: node.database.file)
        }
    }
}
