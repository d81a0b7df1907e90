#if Replication
import CouchbaseLiteSwift
import Dispatch
import DocumentStore
import Foundation
import Synchronization

/// One connection over a ``TestLink``.
final class LinkConnection: Sendable {
    private struct State {
        var active: (any ReplicatorConnection)?
        var passive: (any ReplicatorConnection)?
        /// The messages and ends for a side that is not open yet.
        var waiting: [(isForActive: Bool, delivery: Delivery)] = []
        var hasEnded = false
        /// When the last message of each direction arrives. A later message never arrives earlier.
        var lastArrivals: (active: Int64, passive: Int64) = (0, 0)
    }

    private enum Delivery: Sendable {
        case message(Message)
        case end(isFailure: Bool)
    }

    private let link: TestLink
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "TestLink")

    init(_ link: TestLink) {
        self.link = link
    }

    var active: any MessageEndpointConnection { End(connection: self, isActive: true) }
    var passive: any MessageEndpointConnection { End(connection: self, isActive: false) }

    /// One end, as the library uses it. An object, because the listener identifies connections by it.
    private final class End: MessageEndpointConnection, Sendable {
        private let connection: LinkConnection
        private let isActive: Bool

        init(connection: LinkConnection, isActive: Bool) {
            self.connection = connection
            self.isActive = isActive
        }

        func open(connection receiver: any ReplicatorConnection, completion: @escaping (Bool, MessagingError?) -> Void) {
            guard !isActive || connection.link.open(connection) else { return completion(false, LinkConnection.unreachable) }
            completion(true, nil)
            connection.didOpen(receiver, isActive: isActive)
        }

        func close(error: (any Error)?, completion: @escaping () -> Void) {
            connection.end(toActive: !isActive, isFailure: false)
            completion()
        }

        func send(message: Message, completion: @escaping (Bool, MessagingError?) -> Void) {
            guard !connection.link.losesMessage() else {
                connection.fail()
                return completion(false, LinkConnection.unreachable)
            }
            connection.deliver(.message(message), toActive: !isActive)
            completion(true, nil)
        }
    }

    private static var unreachable: MessagingError {
        MessagingError(error: NSError(domain: NSPOSIXErrorDomain, code: Int(ECONNRESET)), isRecoverable: true)
    }

    private func didOpen(_ receiver: any ReplicatorConnection, isActive: Bool) {
        let waiting = state.withLock { state in
            if isActive { state.active = receiver } else { state.passive = receiver }
            defer { state.waiting.removeAll { $0.isForActive == isActive } }
            return state.waiting.filter { $0.isForActive == isActive }
        }
        for entry in waiting { deliver(entry.delivery, toActive: isActive) }
    }

    /// Breaks the connection for both sides.
    func fail() {
        end(toActive: true, isFailure: true)
        deliver(.end(isFailure: true), toActive: false)
    }

    private func end(toActive isForActive: Bool, isFailure: Bool) {
        let isFirst = state.withLock { state in
            defer { state.hasEnded = true }
            return !state.hasEnded
        }
        guard isFirst else { return }
        link.didEnd(self)
        deliver(.end(isFailure: isFailure), toActive: isForActive)
    }

    private func deliver(_ delivery: Delivery, toActive isForActive: Bool) {
        let parts = link.latency.components
        let delay = parts.seconds * 1000 + parts.attoseconds / 1_000_000_000_000_000
        let arrival = state.withLock { state -> Int64 in
            let last = isForActive ? state.lastArrivals.active : state.lastArrivals.passive
            let arrival = max(last, link.clock.now + delay)
            if isForActive { state.lastArrivals.active = arrival } else { state.lastArrivals.passive = arrival }
            return arrival
        }
        _ = link.clock.wake(at: arrival, on: queue) { self.arrive(delivery, isForActive: isForActive) }
    }

    private func arrive(_ delivery: Delivery, isForActive: Bool) {
        let receiver = state.withLock { state in
            let receiver = isForActive ? state.active : state.passive
            if receiver == nil { state.waiting.append((isForActive, delivery)) }
            return receiver
        }
        switch delivery {
        case .message(let message): receiver?.receive(message: message)
        case .end(let isFailure): receiver?.close(error: isFailure ? Self.unreachable : nil)
        }
    }
}
#endif
