#if Replication
import SyncCore
import SyncRuntime

/// The kind of transport of an app that carries the messages of replicators.
public enum ProtocolType: UInt8, Sendable {
    /// The transport preserves message boundaries: each message arrives as it was sent.
    case messageStream = 0
    /// The transport carries a stream of bytes, which may arrive split differently than they were sent.
    case byteStream
}

/// Another app or device that is reached through a transport of the app.
public struct MessageEndpoint: Endpoint {
    /// The unique ID of the database on the other side. Checkpoints are stored under it, so it must never change, and no other database may
    /// use it.
    public let uid: String
    /// An object with which the app identifies the other side; the replicator does not use it.
    @preconcurrency public let target: (any Sendable)?
    /// Whether the transport preserves message boundaries.
    public let protocolType: ProtocolType
    /// The delegate that creates the connections.
    public let delegate: any MessageEndpointDelegate

    /// Creates an endpoint from the values of the properties.
    @preconcurrency public init(uid: String, target: (any Sendable)?, protocolType: ProtocolType, delegate: any MessageEndpointDelegate) {
        self.uid = uid
        self.target = target
        self.protocolType = protocolType
        self.delegate = delegate
    }
}

/// Creates the connections of a ``MessageEndpoint``.
@preconcurrency public protocol MessageEndpointDelegate: Sendable {
    /// Returns a new connection to `endpoint`, which is opened later. It is called on a background thread.
    func createConnection(endpoint: MessageEndpoint) -> any MessageEndpointConnection
}

/// A connection of the app. Its functions are called on a background thread, one at a time.
@preconcurrency public protocol MessageEndpointConnection: Sendable {
    /// Opens the connection.
    ///
    /// - Parameters:
    ///   - connection: Receives the incoming messages. The app must retain it while the connection is open.
    ///   - completion: Must be called with `true` and `nil` if the connection is open, otherwise with `false` and the error.
    @preconcurrency func open(connection: any ReplicatorConnection, completion: @escaping @Sendable (Bool, MessagingError?) -> Void)

    /// Closes the connection.
    ///
    /// - Parameters:
    ///   - error: The reason; `nil` if this is the normal end.
    ///   - completion: Must be called when the connection is closed.
    @preconcurrency func close(error: (any Error)?, completion: @escaping @Sendable () -> Void)

    /// Sends a message. The next message is not sent before the completion is called.
    ///
    /// - Parameters:
    ///   - message: The message. Messages must arrive in the order of the calls.
    ///   - completion: Must be called with `true` and `nil` if the message was sent, otherwise with `false` and the error, which ends the
    ///     connection.
    @preconcurrency func send(message: Message, completion: @escaping @Sendable (Bool, MessagingError?) -> Void)
}

/// The replicator's or listener's side of a connection of the app. It is thread-safe.
@preconcurrency public protocol ReplicatorConnection: Sendable {
    /// Notifies the replicator that the other side has closed the connection, or that the connection was lost.
    ///
    /// - Parameter error: The error; `nil` if the other side has closed the connection in order.
    func close(error: MessagingError?)

    /// Passes a received message to the replicator.
    ///
    /// - Parameter message: The message, or with ``ProtocolType/byteStream`` any part of the stream.
    func receive(message: Message)
}

/// A message, or a part of the byte stream, of a connection of the app.
public struct Message: Sendable {
    let bytes: [UInt8]

    /// Returns the bytes of the message.
    public func toData() -> Data { Data(bytes) }

    /// Creates a message from received bytes.
    public static func fromData(_ data: Data) -> Message { Message(bytes: [UInt8](data)) }
}

/// An error of a transport of the app.
public struct MessagingError: Sendable {
    /// The underlying error.
    public let error: any Error
    /// Whether the error is transient, so that the replicator retries.
    public let isRecoverable: Bool

    /// Creates an error from the values of the properties.
    public init(error: any Error, isRecoverable: Bool) { (self.error, self.isRecoverable) = (error, isRecoverable) }
}

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
