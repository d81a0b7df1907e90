import DatabaseRuntime
public import Observation

/// An observable object of the main actor for views, whose ``rows`` are the current results of a query, as values of a type.
///
/// ```swift
/// let list = LiveQuery(notes.query(orderBy: [SortDescriptor(\.title)]).live())
/// ```
///
/// It observes the query from its creation until it is released or ``stop()`` is called. Values are decoded in the background; the main
/// actor only receives the finished array. ``LiveModels`` describes when a change is reported. It does not retain the database, and stops
/// when the database is closed.
@MainActor
@Observable
public final class LiveQuery<Model: Sendable> {
    /// The newest results; empty until the query has been run. They stay if a later run fails.
    public private(set) var rows: [Model] = []
    /// The IDs of the documents that are left out of ``rows`` because they cannot be decoded.
    public private(set) var undecodable: [String] = []
    /// What ``rows`` are at the moment.
    public private(set) var state = LiveState.loading
    /// The error of the last run; `nil` if it succeeded.
    public private(set) var error: (any Error)?

    @ObservationIgnored private var observation: ObservationTask?

    /// Starts to observe a query.
    public init(_ models: LiveModels<Model>) { observe(models) }

    /// Observes another query from now on, for example after a search text was changed. ``rows`` stay until the new query has been run.
    public func observe(_ models: LiveModels<Model>) {
        state = .loading
        error = nil
        let observed = models.observation()
        observation = ObservationTask { [weak self] in
            var observed = observed
            while !Task.isCancelled {
                do {
                    let difference = try await observed.next(isolation: MainActor.shared)
                    // The observation may have been stopped or replaced while the task waited for the main actor.
                    if Task.isCancelled { return }
                    guard let difference else { break }
                    self?.receive(difference)
                } catch {
                    if Task.isCancelled { return }
                    self?.fail(error)
                }
            }
            self?.finish()
        }
    }

    /// Stops observing. ``rows`` stay as they are.
    public func stop() {
        observation = nil
        finish()
    }

    private func receive(_ change: RowObservation<Model>.Change) {
        (rows, undecodable, state, error) = (change.items, change.omitted, .current, nil)
    }

    private func fail(_ error: any Error) { (state, self.error) = (.failed, error) }

    private func finish() {
        if state != .failed { state = .stopped }
    }
}

/// What an observable object holds at the moment.
public enum LiveState: Hashable, Sendable {
    /// The values are read for the first time.
    case loading
    /// The object has the current values, and will get new ones.
    case current
    /// The last read failed; the object has the values of the read before. It continues if a document could not be decoded,
    /// which fails only if ``DecodingErrorPolicy/throw`` was chosen, and the document is changed.
    case failed
    /// The observation was stopped, or the database was closed.
    case stopped
}

/// A task of the main actor that is cancelled when this object is released.
final class ObservationTask: Sendable {
    private let task: Task<Void, Never>

    init(_ body: @escaping @MainActor @Sendable () async -> Void) { task = Task { await body() } }

    deinit { task.cancel() }
}
