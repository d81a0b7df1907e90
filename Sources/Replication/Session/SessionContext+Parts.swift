import BLIP
import SyncCore

/// Closes the connection if the peer stalls in the middle of its messages. What was received of them takes memory that other connections
/// need.
extension SessionContext {
    /// The maximum time without a frame of any incomplete message.
    static let partTimeout = Duration.seconds(60)
    /// The delay of a timer from which the process is taken to have been suspended.
    static let suspensionDelay = Duration.seconds(5)

    /// Notes that a frame was received that left a message incomplete.
    func notePart() {
        lastPartTime = now
        if isOpen, !isWaitingForParts { waitForPart(Self.partTimeout) }
    }

    private func waitForPart(_ time: Duration) {
        isWaitingForParts = true
        let due = now + time
        _ = after(time) { [unowned self] in
            isWaitingForParts = false
            guard isOpen, connection.isReceivingMessage else { return }
            // The frames may have arrived while the process was suspended, or may not be read because earlier requests are waiting.
            if now - due > Self.suspensionDelay || waitingByteCount > 0 { lastPartTime = now }
            let idle = now - lastPartTime
            guard idle >= Self.partTimeout else { return waitForPart(Self.partTimeout - idle) }
            fail(SyncError(webSocket: .unavailable, "the peer does not send the rest of its messages"))
        }
    }
}
