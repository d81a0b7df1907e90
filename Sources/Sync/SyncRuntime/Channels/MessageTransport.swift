#if Replication
package import SyncCore

/// A connection of the app, which transmits messages or a stream of bytes. Its functions are called on the queue of the channel, one at a
/// time.
package protocol MessageTransport: Sendable {
    /// Opens the connection.
    ///
    /// - Parameters:
    ///   - channel: Receives the incoming messages.
    ///   - completion: Called with `true` if the connection is open, otherwise with `false` and the reason, if that is known.
    func open(_ channel: MessageChannel, completion: @escaping @Sendable (Bool, MessageFailure?) -> Void)

    /// Sends a message. The next message is not sent before the completion is called.
    ///
    /// - Parameter completion: As for ``open(_:completion:)``.
    func send(_ message: [UInt8], completion: @escaping @Sendable (Bool, MessageFailure?) -> Void)

    /// Closes the connection.
    ///
    /// - Parameter error: The reason; `nil` if this is the normal end.
    func close(_ error: SyncError?)
}

/// A failure of a transport of the app.
package struct MessageFailure: Sendable {
    /// A description for the log and for the error of the replicator.
    package let message: String
    /// Whether the failure is transient, so that the replicator retries.
    package let isRecoverable: Bool

    /// Creates a failure with a description.
    package init(_ message: String, isRecoverable: Bool) { (self.message, self.isRecoverable) = (message, isRecoverable) }
}

extension ChannelClosure {
    /// The end of a channel whose transport has failed; `nil` if the app has given no reason.
    init(of failure: MessageFailure?) {
        guard let failure else {
            self.init(code: nil, isByPeer: true, error: SyncError(webSocket: .abnormal, "the app's transport failed"))
            return
        }
        // The close codes for transient and for permanent errors of applications (Replication 1.8).
        let error = SyncError(webSocket: failure.isRecoverable ? .retry : .noRetry, failure.message)
        self.init(code: error.code, reason: error.message, isByPeer: true, error: error)
    }
}
#endif
