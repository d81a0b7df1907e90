import Base
import Dispatch
import Synchronization

/// Long work on the indexes of a file that no transaction of the app should wait for, such as training (Vector search EN-26). It runs on a queue
/// of its own, one piece after another. Thread-safe.
package final class IndexWork: Sendable {
    private struct Piece: Sendable {
        let name: ExactString
        /// Limits how many pieces run at the same time in the process; `nil` if this one is not limited.
        let limit: IndexWorkLimit?
        /// How long the piece is not scheduled again if it fails, in seconds.
        let retryDelay: Int
        let work: @Sendable () throws -> Void
    }

    private struct State {
        /// The pieces that wait, that run, or that have just failed.
        var names: Set<ExactString> = []
        /// The piece that runs; `nil` if there is none.
        var running: ExactString?
        /// What was scheduled under the name of the running piece, which may not have seen what was committed since it began.
        var next: Piece?
        var isStopped = false
    }

    /// How long a piece that has failed, for example because another process was writing, is not scheduled again, in seconds. Tests set it.
    @TaskLocal package static var retryDelay = 10

    /// Only tests wait for it.
    let queue = DispatchQueue(label: "CouchbaseLite.indexes", qos: .utility)
    private let state = Mutex(State())

    /// Whether the file is being closed. Running work must end soon then.
    package var isStopped: Bool { state.withLock { $0.isStopped } }

    /// Returns whether a piece of that name waits, runs, or has just failed.
    package func isScheduled(_ name: String) -> Bool { state.withLock { $0.names.contains(name) } }

    /// Schedules a piece of work. Does nothing if one of that name waits already. If one of that name runs, this one is run after it.
    ///
    /// - Parameter limit: Limits how many pieces run at the same time in the process; `nil`, the default, for no limit.
    func schedule(_ name: String, limit: IndexWorkLimit? = nil, _ work: @escaping @Sendable () throws -> Void) {
        let piece = Piece(name: ExactString(name), limit: limit, retryDelay: Self.retryDelay, work: work)
        let isNew = state.withLock { state in
            if state.isStopped { return false }
            if state.running == piece.name { state.next = piece }
            return state.names.insert(piece.name).inserted
        }
        if isNew { enqueue(piece) }
    }

    private func enqueue(_ piece: Piece) {
        guard let limit = piece.limit else { return queue.async { [weak self] in self?.run(piece) } }
        limit.begin(ifWanted: { [weak self] in !(self?.isStopped ?? true) }) { [weak self, queue] in
            queue.async { [weak self] in
                self?.run(piece)
                limit.end()
            }
        }
    }

    private func run(_ piece: Piece) {
        state.withLock { $0.running = piece.name }
        do {
            if !isStopped { try piece.work() }
            finish(piece.name)
        } catch  where isStopped || error is CancellationError {
            finish(piece.name)
        } catch {
            state.withLock { ($0.running, $0.next) = (nil, nil) }
            EngineLog.log(
                .warning,
                .database,
                "work on the index \(piece.name) failed, and will be tried again by a later change: \(error)"
            )
            queue.asyncAfter(deadline: .now() + .seconds(piece.retryDelay)) { [weak self] in self?.remove(piece.name) }
        }
    }

    /// Notes that a piece has ended, and begins what was scheduled under its name meanwhile.
    private func finish(_ name: ExactString) {
        let next = state.withLock { state in
            let next = state.isStopped ? nil : state.next
            (state.running, state.next) = (nil, nil)
            if next == nil { state.names.remove(name) }
            return next
        }
        if let next { enqueue(next) }
    }

    private func remove(_ name: ExactString) { state.withLock { _ = $0.names.remove(name) } }

    /// Work that waits is not begun, and running work ends soon.
    func stop() { state.withLock { $0.isStopped = true } }

    /// Permits work again, because the file was not closed.
    func resume() { state.withLock { $0.isStopped = false } }
}

extension DatabaseFile {
    /// Schedules long work on an index, unless work of that name is scheduled already, or the file was opened for somebody who does not wait for it.
    ///
    /// - Parameter limit: Limits how many pieces run at the same time in the process; `nil`, the default, for no limit.
    package func scheduleIndexWork(
        _ name: String,
        limit: IndexWorkLimit? = nil,
        _ work: @escaping @Sendable (DatabaseFile) throws -> Void
    ) {
        guard options.worksInBackground, writerIfWritable != nil else { return }
        indexWork.schedule(name, limit: limit) { [weak self] in
            if let self { try work(self) }
        }
    }
}

extension Writer {
    /// Schedules long work on an index when the transaction is committed.
    ///
    /// - Parameter limit: Limits how many pieces run at the same time in the process; `nil`, the default, for no limit.
    package func scheduleIndexWork(
        _ name: String,
        limit: IndexWorkLimit? = nil,
        _ work: @escaping @Sendable (DatabaseFile) throws -> Void
    ) {
        onCommit { [weak file = context.file] in file?.scheduleIndexWork(name, limit: limit, work) }
    }
}
