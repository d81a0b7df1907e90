#if Replication
    import BLIP
    import NIOCore
    import NIOSSL
    import Synchronization

    /// What the handshake of TLS shows of the peer: its certificates, and why they were refused.
    final class TLSPeer: Sendable {
        private struct State {
            var chain: [[UInt8]] = []
            var failure: SyncError?
        }

        private let state = Mutex(State())
        private let tasks: ConnectionTasks

        /// - Parameter tasks: Where the certificates are judged.
        init(_ tasks: ConnectionTasks = ConnectionTasks()) {
            self.tasks = tasks
        }

        /// The peer's certificates, DER, its own first; empty when it has shown none.
        var chain: [[UInt8]] { state.withLock { $0.chain } }

        /// Why they were refused.
        var failure: SyncError? { state.withLock { $0.failure } }

        /// What the TLS library asks for its verdict, in place of its own rules.
        ///
        /// - Parameter judge: Gets the peer's certificates and says what is wrong with them.
        func verification(
            _ judge: @escaping @Sendable ([[UInt8]]) async -> SyncError?
        ) -> NIOSSLCustomVerificationCallback {
            { certificates, promise in
                let chain = certificates.compactMap { try? $0.toDERBytes() }
                self.state.withLock { $0.chain = chain }
                promise.complete(on: self.tasks) {
                    let failure = await judge(chain)
                    self.state.withLock { $0.failure = failure }
                    return failure == nil ? .certificateVerified : .failed
                }
            }
        }
    }
#endif
