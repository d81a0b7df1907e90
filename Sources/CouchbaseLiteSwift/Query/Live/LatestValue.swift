import Synchronization

/// Keeps the newest of some values until a task takes it: one that nobody took in time is of no interest any more.
final class LatestValue<Value: Sendable>: Sendable {
    private enum End {
        case finished
        case failed(any Error)
    }

    private struct State {
        var value: Value?
        var end: End?
        var waiting: [CheckedContinuation<Value?, any Error>] = []

        /// What there is to take; nil when that must be waited for.
        mutating func take() -> Swift.Result<Value?, any Error>? {
            if let value = value.take() { return .success(value) }
            switch end {
            case nil: return nil
            case .finished: return .success(nil)
            case .failed(let error):
                // An error is thrown once; then it is over.
                end = .finished
                return .failure(error)
            }
        }
    }

    private let state = Mutex(State())

    /// Puts a value in the place of the one that is kept.
    func set(_ value: Value) {
        change { $0.value = value }
    }

    /// Nothing more is going to come; the value that is kept can still be taken.
    func finish() {
        change { $0.end = .finished }
    }

    /// As ``finish()``, and after that value the error is thrown.
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

    /// The newest value, which is waited for; nil at the end.
    ///
    /// - Throws: The error with which it ended, to one who takes.
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
