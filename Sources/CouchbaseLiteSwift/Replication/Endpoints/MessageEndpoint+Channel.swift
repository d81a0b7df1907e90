#if Replication
import SyncCore
import SyncRuntime

extension MessageChannel {
    /// Creates a channel over a connection of the app. This side has initiated the connection if `isActive` is true.
    convenience init(_ connection: any MessageEndpointConnection, _ type: ProtocolType, isActive: Bool, _ limits: Limits = Limits()) {
        self.init(AppTransport(connection: connection), isByteStream: type == .byteStream, isActive: isActive, limits)
    }
}

extension MessageChannel: ReplicatorConnection {
    package func close(error: MessagingError?) { didClose(error.map(MessageFailure.init)) }

    package func receive(message: Message) { receive(message.bytes) }
}

/// A connection of the app as the channel uses it.
private struct AppTransport: MessageTransport {
    let connection: any MessageEndpointConnection

    func open(_ channel: MessageChannel, completion: @escaping @Sendable (Bool, MessageFailure?) -> Void) {
        connection.open(connection: channel) { completion($0, $1.map(MessageFailure.init)) }
    }

    func send(_ message: [UInt8], completion: @escaping @Sendable (Bool, MessageFailure?) -> Void) {
        connection.send(message: Message(bytes: message)) { completion($0, $1.map(MessageFailure.init)) }
    }

    func close(_ error: SyncError?) { connection.close(error: error?.publicError) {} }
}

extension MessageFailure {
    fileprivate init(_ error: MessagingError) {
        self.init((error.error as NSError).localizedDescription, isRecoverable: error.isRecoverable)
    }
}
#endif
