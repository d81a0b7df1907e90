public import Observation

/// An observable object of the main actor for views, whose ``value`` is the current content of a document, as a value of a type.
///
/// ```swift
/// let note = LiveDocument(id: "note-1", in: collection.models(Note.self))
/// ```
///
/// It observes the document from its creation until it is released or ``stop()`` is called. Several changes in a row may be read as one. The
/// document is read and decoded in the background. It retains the ``Database`` object, and stops when the database is closed or the
/// collection is deleted.
@MainActor
@Observable
public final class LiveDocument<Model: Decodable & Sendable> {
    /// The ID of the document.
    public let id: String
    /// The document as it is stored; `nil` until it has been read, and if it does not exist. It stays if a later read fails.
    public private(set) var value: Model?
    /// What ``value`` is at the moment.
    public private(set) var state = LiveState.loading
    /// The error of the last read; `nil` if it succeeded.
    public private(set) var error: (any Error)?

    @ObservationIgnored private var observation: ObservationTask?

    /// Starts to observe a document.
    ///
    /// - Parameters:
    ///   - id: The ID of the document, which need not exist yet.
    ///   - models: The collection, as values of the type.
    public init(id: String, in models: ModelCollection<Model>) {
        self.id = id
        // Before the first read, so that no change is missed between them.
        let changes = models.collection.documentChanges(id: id)
        observation = ObservationTask { [weak self] in
            var changes = changes.makeAsyncIterator()
            repeat {
                do {
                    let value = try await models.collection.database.read { try models.get(id) }
                    if Task.isCancelled { return }
                    self?.receive(value)
                } catch {
                    if Task.isCancelled { return }
                    self?.fail(error)
                }
            } while await changes.next(isolation: MainActor.shared) != nil
            if !Task.isCancelled { self?.finish() }
        }
    }

    /// Stops observing. ``value`` stays as it is.
    public func stop() {
        observation = nil
        finish()
    }

    private func receive(_ value: Model?) { (self.value, state, error) = (value, .current, nil) }

    private func fail(_ error: any Error) { (state, self.error) = (.failed, error) }

    private func finish() {
        if state != .failed { state = .stopped }
    }
}
