#if Replication
import DatabaseRuntime
import Replication
import SyncRuntime

extension Replicator {
    /// Starts the replicator, waits until both sides have everything, and returns what it has done.
    ///
    /// ```swift
    /// let report = try await replicator.run()
    /// print(report.pushed.count, "pushed,", report.pulled.count, "pulled")
    /// ```
    ///
    /// While the other side cannot be reached, the replicator retries as after ``start()``, up to ``ReplicatorConfiguration/maxAttempts``. If
    /// the task is cancelled, the replicator stops, and the function throws when it has stopped. Blocks no thread. Listeners are notified as
    /// usual.
    ///
    /// A document that is refused does not end the replication: it is one of ``ReplicatorReport/refused``.
    ///
    /// - Parameter reset: Whether all documents are compared again; see ``start(reset:)``. Default: `false`.
    /// - Throws: The error that has stopped the replicator, which is ``Status/error``; `CancellationError` if the task was cancelled, or the
    ///   replicator was stopped by ``stop()`` or the closing of its database; ``CBLError/unsupported`` if the replicator is continuous;
    ///   ``CBLError/busy`` if it is running already; ``CBLError/notOpen`` if its database is closed.
    @discardableResult
    public func run(reset: Bool = false) async throws -> ReplicatorReport {
        guard !configuration.continuous else {
            throw LibraryError(
                CBLError.unsupported,
                "run() waits for the end of a replication, and a continuous replicator has none: use start() and waitUntilIdle()"
            )
        }
        try Task.checkCancellation()
        let recorder = RunRecorder()
        guard listeners.begin(recorder) else { throw Self.isRunning }
        defer { listeners.endRecording() }
        switch core.start(RecordedRun(self, recorder), reset: reset) {
        case .started: break
        case .isRunning: throw Self.isRunning
        case .isClosing: throw LibraryError(CBLError.notOpen, "run() needs an open database, and that of the replicator is closed")
        }
        let end = await withTaskCancellationHandler {
            await recorder.end
        } onCancel: {
            core.stop()
        }
        if core.wasStopped { throw CancellationError() }
        if let error = end.error { throw publicError(error) }
        return recorder.report
    }

    /// Waits until a continuous replicator is idle: it is connected, the changes that this process has committed before the call are on the
    /// other side, the changes that the other side has announced are here, conflicts are resolved, and the checkpoint is saved on both sides.
    ///
    /// ```swift
    /// replicator.start()
    /// try await replicator.waitUntilIdle()
    /// ```
    ///
    /// A document that one of the two sides refuses is not waited for; see ``Status/refusedCount``. While the replicator is offline or
    /// suspended, the function keeps waiting, because the replicator connects again by itself: to limit the time, cancel the task. The
    /// replicator keeps running then. Blocks no thread.
    ///
    /// - Throws: ``Status/error`` if the replicator stops with an error, or has stopped with one; `CancellationError` if the task is
    ///   cancelled, or the replicator was stopped by ``stop()`` or the closing of its database; ``CBLError/unsupported`` if the replicator is
    ///   not continuous, or was never started.
    public func waitUntilIdle() async throws {
        guard configuration.continuous else {
            throw LibraryError(
                CBLError.unsupported,
                "waitUntilIdle() needs a continuous replicator, because others are never idle: use run()"
            )
        }
        // Requested before the status is read, so that no change is missed between them.
        var changes = listeners.status.stream(.bufferingNewest(1)) { _ in () }.makeAsyncIterator()
        repeat {
            try Task.checkCancellation()
            // The notification of an earlier commit is in the queue, and makes the replicator busy.
            await core.queue.waitForEarlierWork()
            let status = core.status
            switch status.level {
            case .idle: return
            case .stopped:
                if let error = status.error { throw publicError(error) }
                if core.wasStopped { throw CancellationError() }
                throw LibraryError(CBLError.unsupported, "waitUntilIdle() needs a running replicator: call start() first")
            case .offline, .connecting, .busy: break
            }
        } while await changes.next() != nil
        throw CancellationError()
    }

    private static var isRunning: LibraryError {
        LibraryError(CBLError.busy, "run() needs a replicator that is stopped, and this one is running")
    }
}

extension DispatchQueue {
    /// Waits until the work that is in the serial queue has been done.
    fileprivate func waitForEarlierWork() async {
        await withCheckedContinuation { continuation in async { continuation.resume() } }
    }
}
#endif
