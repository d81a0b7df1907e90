#if Replication
/// How an app's own transport carries what replicators send.
public enum ProtocolType: UInt8, Sendable {
    /// It keeps messages apart: each arrives as it was sent.
    case messageStream = 0
    /// It carries bytes, which may arrive cut up otherwise than they were sent.
    case byteStream
}

/// Another app or device that is reached through a transport of the app's own.
public struct MessageEndpoint: Endpoint {
    /// What is always the same for the same database on the other side, and for no other: checkpoints are kept under it.
    public let uid: String
    /// What the app knows the other side by.
    public let target: Any?
    /// Whether the transport keeps the borders of messages.
    public let protocolType: ProtocolType
    /// Makes the connections.
    public let delegate: any MessageEndpointDelegate

    /// - Parameters:
    ///   - uid: See ``uid``.
    ///   - target: Anything, for the delegate.
    ///   - protocolType: What the transport does.
    ///   - delegate: Makes the connections.
    public init(uid: String, target: Any?, protocolType: ProtocolType, delegate: any MessageEndpointDelegate) {
        self.uid = uid
        self.target = target
        self.protocolType = protocolType
        self.delegate = delegate
    }
}

/// Makes the connections of a ``MessageEndpoint``.
public protocol MessageEndpointDelegate {
    /// A new connection, which is opened later. Called on a background thread.
    func createConnection(endpoint: MessageEndpoint) -> any MessageEndpointConnection
}

/// A connection of the app's. Its functions are called on a background thread, one at a time.
public protocol MessageEndpointConnection {
    /// Opens the connection.
    ///
    /// - Parameters:
    ///   - connection: Gets what arrives; to be kept as long as the connection is open.
    ///   - completion: To be called with whether that went well, and else with what went wrong.
    func open(connection: any ReplicatorConnection, completion: @escaping (Bool, MessagingError?) -> Void)

    /// Closes the connection.
    ///
    /// - Parameters:
    ///   - error: Why, when it is not the normal end.
    ///   - completion: To be called when it is closed.
    func close(error: (any Error)?, completion: @escaping () -> Void)

    /// Sends a message. The next one is not sent before the completion of this.
    ///
    /// - Parameters:
    ///   - message: What to send, in the order of the calls.
    ///   - completion: To be called with whether that went well, and else with what went wrong, which ends the connection.
    func send(message: Message, completion: @escaping (Bool, MessagingError?) -> Void)
}

/// The replicator's side of a connection of the app's. May be used from any thread.
public protocol ReplicatorConnection {
    /// The other side has closed the connection, or it has broken off.
    ///
    /// - Parameter error: What went wrong; nil when the other side has closed it in order.
    func close(error: MessagingError?)

    /// Something has arrived.
    func receive(message: Message)
}

/// What goes over a connection of the app's.
public struct Message: Sendable {
    let bytes: [UInt8]

    /// The bytes.
    public func toData() -> Data { Data(bytes) }

    /// A message that has arrived.
    public static func fromData(_ data: Data) -> Message { Message(bytes: [UInt8](data)) }
}

/// What went wrong in a transport of the app's.
public struct MessagingError {
    /// What happened.
    public let error: any Error
    /// Whether it may pass, so that the replicator tries again.
    public let isRecoverable: Bool

    /// - Parameters:
    ///   - error: What happened.
    ///   - isRecoverable: Whether trying again may help.
    public init(error: any Error, isRecoverable: Bool) {
        self.error = error
        self.isRecoverable = isRecoverable
    }
}
#endif
