import Synchronization

/// What an ``AsyncBuffer`` holds.
package protocol BufferContent: Sendable {
    /// What a task takes at once.
    associatedtype Element: Sendable

    /// Removes and returns the next element; `nil` if there is none.
    mutating func dequeue() -> Element?
}

/// Holds elements until tasks take them.
package final class AsyncBuffer<Content: BufferContent, Failure: Error>: Sendable {
    private typealias Outcome = Result<Content.Element?, Failure>

    private struct State {
        var content: Content
        /// How the elements ended; `nil` while there can be more.
        var end: Outcome?
        var waiting: [CheckedContinuation<Outcome, Never>] = []

        /// Removes and returns an element, or the end of the elements; `nil` if the caller must wait.
        mutating func dequeue() -> Outcome? {
            if let element = content.dequeue() { return .success(element) }
            // An error is thrown once; later calls return the end.
            defer { if end != nil { end = .success(nil) } }
            return end
        }
    }

    private let state: Mutex<State>

    init(_ content: Content) { state = Mutex(State(content: content)) }

    /// Changes the content. Ignored after the end.
    func change(_ change: (inout Content) -> Void) { update { change(&$0.content) } }

    /// Marks the end of the elements. Those in the buffer can still be taken.
    package func finish() { update { $0.end = .success(nil) } }

    /// Marks the end, as ``finish()``. The error is thrown once, after the elements in the buffer were taken.
    package func fail(_ error: Failure) { update { $0.end = .failure(error) } }

    private func update(_ change: (inout State) -> Void) {
        let resumed = state.withLock { state -> [(CheckedContinuation<Outcome, Never>, Outcome)] in
            guard state.end == nil else { return [] }
            change(&state)
            var resumed: [(CheckedContinuation<Outcome, Never>, Outcome)] = []
            while !state.waiting.isEmpty, let next = state.dequeue() { resumed.append((state.waiting.removeFirst(), next)) }
            return resumed
        }
        for (continuation, next) in resumed { continuation.resume(returning: next) }
    }

    /// Returns the next element, and waits for it if there is none; `nil` at the end.
    ///
    /// - Throws: The error passed to ``fail(_:)``, to one caller only.
    package func next(isolation: isolated (any Actor)?) async throws(Failure) -> Content.Element? {
        try await outcome(isolation: isolation).get()
    }

    /// Returns the next element like ``next(isolation:)``; `nil` if the task is cancelled, which removes the listener and ends the elements.
    func next(isolation: isolated (any Actor)?, removing listener: ListenerRemoval) async throws(Failure) -> Content.Element? {
        let next = try await withTaskCancellationHandler(
            operation: { await outcome(isolation: isolation) },
            onCancel: {
                listener()
                finish()
            },
            isolation: isolation
        ).get()
        return Task.isCancelled ? nil : next
    }

    private func outcome(isolation: isolated (any Actor)?) async -> Outcome {
        if let next = state.withLock({ $0.dequeue() }) { return next }
        return await withCheckedContinuation(isolation: isolation) { continuation in
            let next = state.withLock { state in
                let next = state.dequeue()
                if next == nil { state.waiting.append(continuation) }
                return next
            }
            if let next { continuation.resume(returning: next) }
        }
    }
}

/// Holds the newest value. A newer value replaces one that was not taken.
package struct LatestValue<Value: Sendable>: BufferContent {
    fileprivate var value: Value?

    package mutating func dequeue() -> Value? { value.take() }
}

extension AsyncBuffer {
    /// Creates a buffer without a value.
    package convenience init<Value>() where Content == LatestValue<Value> { self.init(LatestValue()) }

    /// Replaces the held value. Ignored after the end.
    package func set<Value>(_ value: Value) where Content == LatestValue<Value> { change { $0.value = value } }
}
