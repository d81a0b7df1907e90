#if Replication
import SyncCore
import NIOCore
import NIOPosix
import NIOSSL

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Turns the errors of the network packages into those of the protocol.
enum NetworkFailure {
    /// Why a connection could not be made, or failed in its handshake.
    static func ofConnecting(_ error: any Error) -> SyncError {
        switch error {
        case let error as SyncError:
            return error
        case let error as IOError:
            return SyncError(.posix, Int(error.errnoCode), String(cString: strerror(error.errnoCode)))
        case let error as NIOConnectionError:
            // Every address was tried. The last one tells the most: a host's first address is often of the wrong family.
            guard let last = error.connectionErrors.last else { return SyncError(network: .unknownHost, "“\(error.host)” has no address") }
            return ofConnecting(last.error)
        case ChannelError.connectTimeout:
            return timedOut
        case let error as HTTPSyntaxError where error == .isTLS:
            return SyncError(.webSocket, 1002, tlsDemanded)
        case let error as HTTPSyntaxError:
            return SyncError(.webSocket, 1002, "the server's answer cannot be read: \(error)")
        case NIOSSLError.uncleanShutdown, ChannelError.eof, ChannelError.ioOnClosedChannel,
            ChannelError.alreadyClosed:
            return connectionReset
        default:
            return TLSFailure.error(of: error) ?? SyncError(network: .unknown, TLSFailure.words(error))
        }
    }

    /// Why a WebSocket ended; nil when it was just gone.
    static func ofEstablished(_ error: any Error) -> SyncError? {
        if case NIOSSLError.uncleanShutdown = error { return nil }
        if case ChannelError.eof = error { return nil }
        return ofConnecting(error)
    }

    static let tlsDemanded = "the server speaks TLS at this port: its URL begins with wss://"

    static let timedOut = SyncError(network: .timeout, "the server does not answer in time")

    static let connectionReset = SyncError(.posix, Int(ECONNRESET), "the server has closed the connection without an answer")
}
#endif
