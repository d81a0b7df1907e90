#if Replication
import NIOCore
import NIOHTTP1
import Transport

/// What the connections of a server share.
final class ServerContext: Sendable {
    let options: WebServerOptions
    let handler: any WebHandler
    let table: ConnectionTable
    let threads: any TaskExecutor
    let budget: BodyBudget
    let responseBudget: BodyBudget

    init(_ options: WebServerOptions, _ handler: any WebHandler, _ threads: (any TaskExecutor)? = nil) {
        self.options = options
        self.handler = handler
        table = ConnectionTable(options)
        self.threads = threads ?? RequestThreads(count: options.threadCount)
        budget = BodyBudget(options.bodyMemory)
        responseBudget = BodyBudget(options.responseMemory)
    }

    /// Adds the handlers of a new connection to its channel.
    ///
    /// - Parameter tls: The settings of TLS; `nil` for a connection that is not encrypted.
    func serve(_ channel: any Channel, _ tls: ServerTLS?) throws {
        guard table.add(channel) else { throw ChannelError.alreadyClosed }
        let connection = WebConnection(self)
        let pipeline = channel.pipeline.syncOperations
        // The time limit for the first head includes the handshake.
        try tls?.add(to: channel)
        try pipeline.addHandler(HTTPResponseEncoder())
        try pipeline.addHandler(HeadLimiter(connection, maximumBytes: options.maximumHeadBytes))
        try pipeline.addHandler(ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes)))
        try pipeline.addHandler(connection)
    }
}
#endif
