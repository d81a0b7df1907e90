#if Replication
package import CouchbaseLiteSwift
import Dispatch
import Foundation
import SyncCore
import WebServer

/// An ``Inspector`` that serves a database at a port of this machine.
package final class InspectorServer: Sendable {
    private let inspector: Inspector
    private let server: WebServer
    /// The port at which it listens.
    package let port: Int

    /// The reason why an inspector cannot be started.
    package enum StartError: Error {
        /// Another process listens at this port.
        case portInUse(Int)
        /// Another error, as a message for people.
        case failed(String)
    }

    /// Starts to serve a database, which must stay open.
    ///
    /// - Parameters:
    ///   - port: The port, or 0 for any free one.
    ///   - notice: What the page tells about the database; `nil` for nothing.
    ///   - log: The lines for the page's view of the log.
    /// - Throws: ``StartError``.
    package init(
        _ database: Database,
        port: Int,
        notice: String? = nil,
        log: LogBuffer = LogBuffer()
    ) throws(StartError) {
        inspector = Inspector(InspectedSource(database, notice: notice), log: log)
        var options = WebServerOptions()
        options.port = port
        options.maximumConnections = 64
        server = WebServer(options, handler: inspector)
        do throws(SyncError) {
            try server.start()
        } catch {
            if error.domain == .posix, error.code == Int(EADDRINUSE) { throw .portInUse(port) }
            throw .failed(error.description)
        }
        self.port = server.port ?? port
    }

    /// Returns the link that gives one browser access, once. The link before it stops working.
    package func makeLink() -> String { inspector.makeLink(port: port) }

    /// Cancels running queries, and stops. Blocks until all connections are closed.
    package func stop() {
        inspector.stop()
        let hasStopped = DispatchSemaphore(value: 0)
        let server = server
        Task.detached {
            await server.stop()
            hasStopped.signal()
        }
        hasStopped.wait()
    }
}
#endif
