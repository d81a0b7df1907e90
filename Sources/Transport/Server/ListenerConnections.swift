#if Replication
    import NIOCore
    import Synchronization

    /// The clients of a listener, counted.
    final class ListenerConnections: Sendable {
        /// How many may be in their handshake beyond those that stand.
        private static let maximumHandshakes = 64

        private struct State {
            var pending: [ObjectIdentifier: any Channel] = [:]
            var established: [ObjectIdentifier: (channel: any Channel, connection: WebSocketConnection)] = [:]
            var isStopping = false
        }

        private let maximum: Int
        private let state = Mutex(State())

        init(maximum: Int) {
            self.maximum = maximum
        }

        /// How many WebSockets stand.
        var count: Int { state.withLock { $0.established.count } }

        /// Counts a client that has just connected. False when it is one too many.
        func add(_ channel: any Channel) -> Bool {
            let id = ObjectIdentifier(channel)
            let isWelcome = state.withLock { state in
                guard !state.isStopping, state.pending.count < Self.maximumHandshakes else { return false }
                state.pending[id] = channel
                return true
            }
            if isWelcome {
                channel.closeFuture.whenComplete { [self] _ in
                    state.withLock { state in
                        state.pending[id] = nil
                        state.established[id] = nil
                    }
                }
            }
            return isWelcome
        }

        /// Notes that a client's handshake is done. False when there are too many, or the listener is stopping.
        func promote(_ channel: any Channel, to connection: WebSocketConnection) -> Bool {
            let id = ObjectIdentifier(channel)
            return state.withLock { state in
                guard !state.isStopping, state.established.count < maximum, state.pending[id] != nil else {
                    return false
                }
                state.pending[id] = nil
                state.established[id] = (channel, connection)
                return true
            }
        }

        /// Takes no more, closes all, and completes when they are gone.
        func stop(on eventLoop: any EventLoop) -> EventLoopFuture<Void> {
            let (pending, established) = state.withLock { state in
                state.isStopping = true
                return (Array(state.pending.values), Array(state.established.values))
            }
            for channel in pending { channel.close(promise: nil) }
            for (_, connection) in established { connection.close(code: WebSocketCloseCode.goingAway, reason: "") }
            let ends = (pending + established.map(\.channel)).map { channel in
                channel.closeFuture.hop(to: eventLoop).recover { _ in }
            }
            return EventLoopFuture.andAllComplete(ends, on: eventLoop)
        }
    }
#endif
