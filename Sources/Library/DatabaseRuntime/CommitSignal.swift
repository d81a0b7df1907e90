/// A listener that remembers only that documents were changed, until a task asks for it. It listens until it is released.
package final class CommitSignal: Sendable {
    private let buffer = AsyncBuffer<LatestValue<Bool>, Never>()
    private let removal: ListenerRemoval

    /// Begins to listen.
    package init(_ listeners: ListenerHub) {
        removal = listeners.add(receive: { [buffer] _ in buffer.set(true) }, finish: { [buffer] in buffer.finish() })
    }

    deinit { removal() }

    /// Waits until documents were changed since the last call, and returns `true`; `false` if the database is closed, or if the task is
    /// cancelled, which ends the signal.
    package func next(isolation: isolated (any Actor)?) async -> Bool {
        await buffer.next(isolation: isolation, removing: removal) ?? false
    }
}
