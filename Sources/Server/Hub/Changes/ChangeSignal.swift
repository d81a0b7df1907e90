#if Replication
import DocumentStore
import SyncRuntime

/// Wakes a task that waits for changes of a collection, or for a time to pass.
final class ChangeSignal: Sendable {
    private let watch: CollectionWatch
    private let registration: CollectionWatch.Registration
    /// The watch of the users and roles, whose changes may change what the feed contains.
    private let users: CommitWatch
    private let events: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init(_ keyspace: Keyspace, own: DatabaseFile) throws {
        let (events, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.events = events
        self.continuation = continuation
        users = try CommitWatch(HubUsers.collections(), of: own) { continuation.yield() }
        watch = keyspace.database.file.watch
        registration = try watch.register(for: [keyspace.id.storeName], of: keyspace.database.file) { continuation.yield() }
    }

    deinit { watch.remove(registration) }

    /// Announces that the next change is to be signalled. Must be called before the changes are read after which ``wait(milliseconds:)`` waits.
    func arm() {
        _ = users.drain()
        watch.wait(registration)
    }

    /// Waits until the collection has changed since ``arm()``, or until the time has passed. Ends at once if the task is cancelled.
    func wait(milliseconds: Int) async {
        let timer = HubTimer.call(afterMilliseconds: milliseconds) { [continuation] in continuation.yield() }
        // If the wait has ended for another reason, the timer must not end the next wait.
        defer { timer.cancel() }
        var iterator = events.makeAsyncIterator()
        await iterator.next()
    }
}
#endif
