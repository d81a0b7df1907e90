#if Replication
import DatabaseRuntime
package import Dispatch
package import DocumentStore
import Replication
import SyncCore
import SyncRuntime
import Synchronization
package import TestSupport

@testable import CouchbaseLiteSwift

/// A session whose actions the test determines.
final class ScriptedSession: ReplicationSession, @unchecked Sendable {
    // Unchecked: variables are accessed under the lock only.
    private let lock = Mutex(())
    private var events: [SessionEvent] = []
    private var frames: [[UInt8]] = []
    private var answers: [SessionAction] = []
    private var lateActions: [SessionAction] = []
    private var batches: [Int] = []
    private var fullCount = 0
    /// The IDs of the documents whose conflicts were settled.
    let settled = Recorder<String>()

    /// The actions that the session returns after the next event.
    func answerNext(with actions: [SessionAction]) {
        lock.withLock { _ in answers += actions }
    }

    /// The actions that fetching frames causes.
    func causeByFetching(_ actions: [SessionAction]) {
        lock.withLock { _ in lateActions += actions }
    }

    func drainActions() -> [SessionAction] {
        lock.withLock { _ in
            defer { lateActions = [] }
            return lateActions
        }
    }

    func handle(_ event: SessionEvent, at time: Duration) -> [SessionAction] {
        let actions = lock.withLock { _ in
            events.append(event)
            defer { answers = [] }
            return answers
        }
        switch event {
        case .conflictSettled(_, let id):
            settled.append(id)
            return actions
        case .closed(let closure):
            // Whether the session was ended normally by this side, by the other side, or not at all.
            let error = closure.error ?? (closure.isByPeer ? SyncError(.webSocket, 1001) : nil)
            return actions + [.report(.ended(error))]
        case .stop: return actions + [.close(code: 1000, reason: "")]
        case .frames(let frames):
            lock.withLock { _ in batches.append(frames.count) }
            return actions
        default: return actions
        }
    }

    func nextFrame() -> [UInt8]? {
        lock.withLock { _ in frames.isEmpty ? nil : frames.removeFirst() }
    }

    func noteChannelIsFull() {
        lock.withLock { _ in fullCount += 1 }
    }

    /// The number of frames that the session received at a time.
    var frameCounts: [Int] { lock.withLock { _ in batches } }

    /// The number of notifications that the channel is full.
    var timesFull: Int { lock.withLock { _ in fullCount } }

    /// Queues frames that are fetched after the next event.
    func queue(_ frames: [[UInt8]]) {
        lock.withLock { _ in self.frames += frames }
    }

    /// The received events, in words.
    var notified: [String] {
        lock.withLock { _ in
            events.flatMap { event in
                switch event {
                case .opened: ["opened"]
                case .frames(let frames): frames.map { "frame \($0.count)" }
                case .closed: ["closed"]
                case .timer: ["timer"]
                case .databaseChanged(let ids): ["changed \(ids.map(\.fullName).sorted().joined(separator: " "))"]
                case .conflictSettled(_, let id): ["settled \(id)"]
                case .stop: ["stop"]
                }
            }
        }
    }
}

/// A channel whose other end is the test.
final class ScriptedChannel: FrameChannel {
    private struct State {
        var handler: (@Sendable (FrameChannelEvent) -> Void)?
        var sent: [[UInt8]] = []
        var room = Int.max
        var isReading = true
        var ends: [String] = []
        var isMute = false
    }

    private let state = Mutex(State())

    var isOpen: Bool { state.withLock { $0.handler != nil } }
    var sent: [[UInt8]] { state.withLock { $0.sent } }
    var isReading: Bool { state.withLock { $0.isReading } }
    /// The way in which the channel was closed.
    var ends: [String] { state.withLock { $0.ends } }

    /// Prevents the end of the channel after a normal close, like a peer that does not reply.
    func ignoreClosing() { state.withLock { $0.isMute = true } }

    /// The number of frames until the channel is full.
    func setRoom(_ room: Int) { state.withLock { $0.room = room } }

    func tell(_ event: FrameChannelEvent) {
        state.withLock { $0.handler }?(event)
        if case .closed = event { state.withLock { $0.handler = nil } }
    }

    func open(_ handler: @escaping @Sendable (FrameChannelEvent) -> Void) {
        state.withLock { $0.handler = handler }
    }

    func send(_ frame: [UInt8]) -> Bool {
        state.withLock { state in
            state.sent.append(frame)
            state.room -= 1
            return state.room > 0
        }
    }

    func setReading(_ isReading: Bool) {
        state.withLock { $0.isReading = isReading }
    }

    func close(code: Int, reason: String) {
        let isMute = state.withLock { state in
            state.ends.append("close \(code)")
            return state.isMute
        }
        if !isMute { tell(.closed(ChannelClosure(code: code, reason: reason, isByPeer: false))) }
    }

    func cancel() {
        state.withLock { $0.ends.append("cancel") }
        tell(.closed(ChannelClosure(code: nil, isByPeer: false, error: SyncError(.webSocket, 1006))))
    }
}

/// Creates connections to the test.
final class ScriptedConnector: ReplicatorConnector {
    let collections: [CollectionID]
    let solvers: [CollectionID: any ConflictSolving]
    let activities: [DatabaseActivities]
    let logName: String
    private let database: Database?

    struct Connection: Sendable {
        let session: ScriptedSession
        let channel: ScriptedChannel
        let isReset: Bool
    }

    private let made = Mutex<[Connection]>([])
    private let error = Mutex<SyncError?>(nil)

    init(
        _ collections: [CouchbaseLiteSwift.Collection],
        _ config: CollectionConfiguration = CollectionConfiguration(),
        logName: String = "Replicator"
    ) {
        self.logName = logName
        self.collections = collections.map(\.store.id)
        database = collections.first?.database
        activities = database.map { [$0.core.activities] } ?? []
        solvers = Dictionary(
            uniqueKeysWithValues: collections.map { collection in
                (collection.store.id, ReplicatorConfiguration.Entry(collection, config).conflictSolver(noting: nil))
            }
        )
    }

    var connections: [Connection] { made.withLock { $0 } }

    var file: DatabaseFile {
        get throws {
            guard let database else { throw SyncError(engine: .notOpen) }
            return try database.openFile()
        }
    }

    /// Makes connecting fail at once.
    func fail(with error: SyncError?) { self.error.withLock { $0 = error } }

    func connect(
        isReset: Bool,
        certificateSeen: @escaping @Sendable ([UInt8]) -> Void
    ) throws -> (any ReplicationSession, any FrameChannel) {
        if let error = error.withLock({ $0 }) { throw error }
        let connection = Connection(session: ScriptedSession(), channel: ScriptedChannel(), isReset: isReset)
        made.withLock { $0.append(connection) }
        return (connection.session, connection.channel)
    }
}

extension VirtualClock: SteadyClock {
    package func wake(at time: Int64, on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) -> ScheduledCall {
        ScheduledCall(cancel: schedule(at: time, on: queue, body))
    }
}
#endif
