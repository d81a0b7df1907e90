#if Replication
package import NIOCore
import NIOSSL

extension Channel {
    /// Ends a connection after the last response: closes the sending side, and the channel when the peer has closed it, or after one second. If
    /// the channel were closed before all data from the peer has been read, the connection would be reset and the peer could lose the response.
    ///
    /// Must be called on the event loop, when everything has been sent. What the peer still sends must be read and dropped.
    package func closeWhenRead() {
        // With TLS, closing the channel does this: it sends the end, and waits for that of the peer, at most one second. The TLS
        // library must not close the sending side only. If the channel is closed while it sends the end, its timer finds another state than it
        // expects, and ends the process.
        guard (try? pipeline.syncOperations.handler(type: NIOSSLServerHandler.self)) == nil else { return close(promise: nil) }
        close(mode: .output).whenFailure { _ in self.close(promise: nil) }
        _ = eventLoop.scheduleTask(in: .seconds(1)) { self.close(promise: nil) }
    }
}
#endif
