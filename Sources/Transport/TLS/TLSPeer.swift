#if Replication
import SyncCore
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

    /// - Parameter tasks: Runs the validation of certificates.
    init(_ tasks: ConnectionTasks = ConnectionTasks()) {
        self.tasks = tasks
    }

    /// The peer's certificates, DER, its own first; empty when it has shown none.
    var chain: [[UInt8]] { state.withLock { $0.chain } }

    /// Why they were refused, or what else ended the handshake.
    var failure: SyncError? { state.withLock { $0.failure } }

    /// Keeps what has ended the handshake, unless the certificates were refused, which the library reports as an error of its own.
    func note(_ error: any Error) {
        if case NIOSSLError.uncleanShutdown = error { return }
        guard let failure = TLSFailure.error(of: error) else { return }
        state.withLock { state in
            if state.failure == nil { state.failure = failure }
        }
    }

    /// What the TLS library asks for its verdict, in place of its own rules.
    ///
    /// - Parameter validate: Validates the peer's certificates; returns the error, nil when they are accepted.
    func verification(_ validate: @escaping @Sendable ([[UInt8]]) async -> SyncError?) -> NIOSSLCustomVerificationCallback {
        { certificates, promise in
            let chain = certificates.compactMap { try? $0.toDERBytes() }
            self.state.withLock { $0.chain = chain }
            promise.complete(on: self.tasks) {
                let failure = await validate(chain)
                self.state.withLock { $0.failure = failure }
                return failure == nil ? .certificateVerified : .failed
            }
        }
    }
}

/// Tells a ``TLSPeer`` of errors. A handshake may fail before the handler of the request that waits for it stands in the pipeline.
final class TLSErrorHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let peer: TLSPeer

    init(_ peer: TLSPeer) {
        self.peer = peer
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        peer.note(error)
        context.fireErrorCaught(error)
    }
}
#endif
