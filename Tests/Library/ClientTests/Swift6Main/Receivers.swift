import CouchbaseLiteSwift
import Synchronization

/// What was called on other threads than the main thread.
final class Calls: Sendable {
    private let names = Mutex<Set<String>>([])

    func add(_ name: String) { names.withLock { _ = $0.insert(name) } }

    var all: Set<String> { names.withLock { $0 } }
}

struct Sink: LogSinkProtocol {
    func writeLog(level: LogLevel, domain: LogDomain, message: String) { calls.add("log sink") }
}

#if Replication
struct KeepLocal: ConflictResolverProtocol {
    func resolve(conflict: Conflict) -> Document? {
        calls.add("conflict resolver")
        return conflict.localDocument
    }
}

/// Connects a replicator and a listener of the same process.
struct Dialer: MessageEndpointDelegate {
    let listener: MessageEndpointListener

    init(to listener: MessageEndpointListener) { self.listener = listener }

    func createConnection(endpoint: MessageEndpoint) -> any MessageEndpointConnection {
        let (near, far) = (Pipe(), Pipe())
        near.state.withLock { $0.other = far }
        far.state.withLock { $0.other = near }
        listener.accept(connection: far)
        return near
    }
}

/// One end of a connection. Messages that arrive before it is open wait.
final class Pipe: MessageEndpointConnection {
    struct State {
        weak var other: Pipe?
        var receiver: (any ReplicatorConnection)?
        var early: [Message] = []
    }

    private let queue = DispatchQueue(label: "pipe")
    let state = Mutex(State())

    func open(connection: any ReplicatorConnection, completion: @escaping @Sendable (Bool, MessagingError?) -> Void) {
        queue.async { [self] in
            completion(true, nil)
            let early = state.withLock { state in
                state.receiver = connection
                return state.early
            }
            for message in early { connection.receive(message: message) }
        }
    }

    func send(message: Message, completion: @escaping @Sendable (Bool, MessagingError?) -> Void) {
        state.withLock { $0.other }?.arrive(message)
        completion(true, nil)
    }

    func close(error: (any Error)?, completion: @escaping @Sendable () -> Void) {
        state.withLock { $0.other }?.end()
        completion()
    }

    private func arrive(_ message: Message) {
        queue.async { [self] in
            let receiver = state.withLock { state in
                if state.receiver == nil { state.early.append(message) }
                return state.receiver
            }
            receiver?.receive(message: message)
        }
    }

    private func end() {
        queue.async { [self] in state.withLock { $0.receiver }?.close(error: nil) }
    }
}
#endif
