#if Replication
package import SyncCore
import NIOCore
import NIOSSL
import Synchronization

/// What a TLS handshake reveals about the peer: its certificates, and why they were rejected.
package final class TLSPeer: Sendable {
    private struct State {
        var chain: [[UInt8]] = []
        var failure: SyncError?
    }

    private let state = Mutex(State())
    private let tasks: any TaskExecutor

    /// - Parameter tasks: Runs the validation of certificates; `nil`, the default, for a queue of its own.
    package init(_ tasks: (any TaskExecutor)? = nil) { self.tasks = tasks ?? ConnectionTasks() }

    /// The peer's certificates in DER form, the leaf first. Empty if the peer has sent none.
    var chain: [[UInt8]] { state.withLock { $0.chain } }

    /// Why the certificates were rejected, or another error that ended the handshake.
    package var failure: SyncError? { state.withLock { $0.failure } }

    /// Records the error that ended the handshake, unless the certificates were rejected: the library reports that as an error of its own.
    func note(_ error: any Error) {
        if case NIOSSLError.uncleanShutdown = error { return }
        guard let failure = TLSFailure.error(of: error) else { return }
        state.withLock { state in
            if state.failure == nil { state.failure = failure }
        }
    }

    /// Returns the callback with which the TLS library validates certificates by `validate` instead of its own rules.
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

/// Reports errors to a ``TLSPeer``. It is needed because a handshake may fail before the handler of the request that waits for it is in the
/// pipeline.
final class TLSErrorHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let peer: TLSPeer

    init(_ peer: TLSPeer) { self.peer = peer }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        peer.note(error)
        context.fireErrorCaught(error)
    }
}
#endif
