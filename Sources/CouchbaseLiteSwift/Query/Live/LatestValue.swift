import Synchronization

/// Holds the newest value until a task takes it. A newer value replaces one that was not taken.
final class LatestValue<Value: Sendable>: Sendable {
    private enum End {
        case finished
        case failed(any Error)
    }

    private struct State {
        var value: Value?
        var end: End?
        var waiting: [CheckedContinuation<Value?, any Error>] = []

        /// Takes the value, or the end of the values; `nil` if the caller must wait.
        mutating func take() -> Swift.Result<Value?, any Error>? {
            if let value = value.take() { return .success(value) }
            switch end {
            case nil: return nil
            case .finished: return .success(nil)
            case .failed(let error):
                // The error is thrown once; later calls return the end.
                end = .finished
                return .failure(error)
            }
        }
    }

    private let state = Mutex(State())

    /// Replaces the held value. Ignored after the end.
    func set(_ value: Value) {
        change { $0.value = value }
    }

    /// Marks the end of the values. A held value can still be taken.
    func finish() {
        change { $0.end = .finished }
    }

    /// Marks the end, as ``finish()``. The error is thrown once, after a held value was taken.
    func fail(_ error: any Error) {
        change { $0.end = .failed(error) }
    }

    private func change(_ change: (inout State) -> Void) {
        typealias Resumption = (CheckedContinuation<Value?, any Error>, Swift.Result<Value?, any Error>)
        let resumed = state.withLock { state -> [Resumption] in
            guard state.end == nil else { return [] }
            change(&state)
            var resumed: [Resumption] = []
            while !state.waiting.isEmpty, let next = state.take() {
                resumed.append((state.waiting.removeFirst(), next))
            }
            return resumed
        }
        for (continuation, next) in resumed { continuation.resume(with: next) }
    }

    /// Returns the newest value, waiting for it if necessary; `nil` at the end.
    ///
    /// - Throws: The error passed to ``fail(_:)``, to one caller only.
    func next(isolation: isolated (any Actor)?) async throws -> Value? {
        if let next = state.withLock({ $0.take() }) { return try next.get() }
        return try await withCheckedThrowingContinuation(isolation: isolation) { continuation in
            let next = state.withLock { state in
                let next = state.take()
                if next == nil { state.waiting.append(continuation) }
                return next
            }
            if let next { continuation.resume(with: next) }
        }
    }
}
