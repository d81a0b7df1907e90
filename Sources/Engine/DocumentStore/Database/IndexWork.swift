import Base
import Dispatch
import Synchronization

/// Long work on the indexes of a file that no transaction of the app should wait for, such as training (Vector search EN-26). It runs on a queue
/// of its own, one piece after another. Thread-safe.
package final class IndexWork: Sendable {
    private struct State {
        /// The pieces that wait, that run, or that have just failed.
        var names: Set<ExactString> = []
        var isStopped = false
    }

    /// How long a piece that has failed, for example because another process was writing, is not scheduled again.
    private static let retryDelay = DispatchTimeInterval.seconds(10)

    private let queue = DispatchQueue(label: "CouchbaseLite.indexes", qos: .utility)
    private let state = Mutex(State())

    /// Whether the file is being closed. Running work must end soon then.
    package var isStopped: Bool { state.withLock { $0.isStopped } }

    /// Returns whether a piece of that name waits, runs, or has just failed.
    package func isScheduled(_ name: String) -> Bool { state.withLock { $0.names.contains(name) } }

    /// Schedules a piece of work. Does nothing if one of that name is scheduled already.
    func schedule(_ name: String, _ work: @escaping @Sendable () throws -> Void) {
        let key = ExactString(name)
        guard state.withLock({ !$0.isStopped && $0.names.insert(key).inserted }) else { return }
        queue.async { [weak self] in self?.run(key, work) }
    }

    private func run(_ name: ExactString, _ work: () throws -> Void) {
        do {
            if !isStopped { try work() }
            remove(name)
        } catch  where isStopped {
            remove(name)
        } catch {
            EngineLog.log(.warning, .database, "work on the index \(name) failed, and will be tried again: \(error)")
            queue.asyncAfter(deadline: .now() + Self.retryDelay) { [weak self] in self?.remove(name) }
        }
    }

    private func remove(_ name: ExactString) { state.withLock { _ = $0.names.remove(name) } }

    /// Work that waits is not begun, and running work ends soon.
    func stop() { state.withLock { $0.isStopped = true } }

    /// Permits work again, because the file was not closed.
    func resume() { state.withLock { $0.isStopped = false } }
}

extension DatabaseFile {
    /// Schedules long work on an index, unless work of that name is scheduled already, or the file was opened for somebody who does not wait for it.
    package func scheduleIndexWork(_ name: String, _ work: @escaping @Sendable (DatabaseFile) throws -> Void) {
        guard options.worksInBackground, writerIfWritable != nil else { return }
        indexWork.schedule(name) { [weak self] in
            if let self { try work(self) }
        }
    }
}

extension Writer {
    /// Schedules long work on an index when the transaction is committed.
    package func scheduleIndexWork(_ name: String, _ work: @escaping @Sendable (DatabaseFile) throws -> Void) {
        onCommit { [weak file = context.file] in file?.scheduleIndexWork(name, work) }
    }
}
