package import DocumentStore

/// A change that a passive session announces (Replication 3.6).
package struct AnnouncedChange: Sendable {
    /// Why the client may not read a document anymore.
    package enum Loss: Int, Sendable {
        /// The user has lost the access to the document's channels.
        case revoked = 2
        /// The document has left the user's channels.
        case removed = 4
    }

    package let change: LocalChange
    /// The sequence that the client stores and returns, in JSON.
    package let sequence: String
    /// Set if the client should remove its copy of the document.
    package let loss: Loss?

    package init(_ change: LocalChange, sequence: String, loss: Loss? = nil) {
        (self.change, self.sequence, self.loss) = (change, sequence, loss)
    }

    init(_ change: LocalChange) { self.init(change, sequence: String(change.sequence)) }
}
