#if Replication
import Base
import SyncCore
import NIOCore
import NIOPosix
import NIOSSL

/// Converts the errors of the network packages to those of the protocol.
enum NetworkFailure {
    /// Returns the error for a connection that could not be established or whose handshake failed.
    static func ofConnecting(_ error: any Error) -> SyncError {
        switch error {
        case let error as SyncError: return error
        case let error as IOError: return SyncError(.posix, Int(error.errnoCode), String(cString: strerror(error.errnoCode)))
        case let error as NIOConnectionError:
            // All addresses were tried. The last error is the most useful, because a host's first address often has an unreachable family.
            guard let last = error.connectionErrors.last else { return SyncError(network: .unknownHost, "“\(error.host)” has no address") }
            return ofConnecting(last.error)
        case ChannelError.connectTimeout: return timedOut
        case let error as HTTPSyntaxError where error == .isTLS: return SyncError(webSocket: .protocolError, tlsDemanded)
        case let error as HTTPSyntaxError: return SyncError(webSocket: .protocolError, "the server's response is invalid: \(error)")
        case NIOSSLError.uncleanShutdown, ChannelError.eof, ChannelError.ioOnClosedChannel, ChannelError.alreadyClosed:
            return connectionReset
        default: return TLSFailure.error(of: error) ?? SyncError(network: .unknown, TLSFailure.text(of: error))
        }
    }

    /// Returns the error that ended a WebSocket, or `nil` if the peer just closed the connection.
    static func ofEstablished(_ error: any Error) -> SyncError? {
        if case NIOSSLError.uncleanShutdown = error { return nil }
        if case ChannelError.eof = error { return nil }
        return ofConnecting(error)
    }

    static let tlsDemanded = "the server requires TLS on this port; use wss:// in the URL"

    static let timedOut = SyncError(network: .timeout, "the server did not respond in time")

    static let connectionReset = SyncError(.posix, Int(ECONNRESET), "the server closed the connection without a response")
}
#endif
