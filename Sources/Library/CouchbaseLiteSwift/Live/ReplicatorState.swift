#if Replication
public import Observation

/// The status of a replicator, for views: an observable object of the main actor that stays live.
///
/// ```swift
/// let state = ReplicatorState(replicator)
/// ```
///
/// It observes the replicator from its creation until it is released. It does not start or stop the replicator, and retains it.
@MainActor
@Observable
public final class ReplicatorState {
    /// The replicator.
    public let replicator: Replicator
    /// The activity of the replicator.
    public private(set) var activity: Replicator.ActivityLevel
    /// The number of documents that are done, and their total.
    public private(set) var progress: Replicator.Progress
    /// The error that made the replicator stop or go offline; `nil` if there is none.
    public private(set) var error: (any Error)?

    @ObservationIgnored private var observation: ObservationTask?

    /// Starts to observe a replicator.
    public init(_ replicator: Replicator) {
        self.replicator = replicator
        // Before the status is read, so that no change is missed between them.
        let changes = replicator.statusChanges()
        let status = replicator.status
        (activity, progress, error) = (status.activity, status.progress, status.error)
        observation = ObservationTask { [weak self] in
            for await status in changes { self?.receive(status) }
        }
    }

    /// The part of the known documents that is done, from 0 to 1; 0 if no documents are known.
    public var fractionCompleted: Double { progress.total == 0 ? 0 : Double(progress.completed) / Double(progress.total) }

    private func receive(_ status: Replicator.Status) {
        if activity != status.activity { activity = status.activity }
        if progress != status.progress { progress = status.progress }
        if error != nil || status.error != nil { error = status.error }
    }
}
#endif
