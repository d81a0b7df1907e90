#if Replication
package import NIOCore
import NIOSSL
package import SyncCore

/// TLS for the connections of a server that requires no certificates of its clients. TLS 1.2 or newer is required.
package struct ServerTLS: Sendable {
    private let context: NIOSSLContext

    /// - Throws: ``SyncError``, LiteCore 22 (crypto), if the identity is invalid.
    package init(_ identity: TLSIdentityData) throws(SyncError) { context = try ListenerTLS(identity: identity).makeContext() }

    /// Adds TLS at the end of the pipeline of a new connection. A client that sends a request without TLS receives an error in plain text.
    /// Must be called on the event loop of the channel.
    package func add(to channel: any Channel) throws {
        try channel.pipeline.syncOperations.addHandler(PlainRequestDetector())
        try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
    }
}
#endif
