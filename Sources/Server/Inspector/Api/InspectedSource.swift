package import Base
package import CouchbaseLiteSwift
package import DocumentStore

/// A database as its owner passes it to an ``Inspector``. It must stay open as long as the inspector is used.
package struct InspectedSource: Sendable {
    /// The name, which is also the one in paths.
    let name: String
    let isEncrypted: Bool
    let openFile: @Sendable () throws -> DatabaseFile
    /// What the page tells about the database, for example why it is read-only; `nil`, the default, for nothing.
    package var notice: String?
    /// Returns what this process has replicated from and to the database; `nil`, the default, if it does not replicate.
    package var replication: (@Sendable () -> ReplicationCounters)?
    /// Calls a function, on any thread, after each change of what ``replication`` returns, until the result is released; `nil`, the default, if
    /// this process does not replicate.
    package var observeReplication: (@Sendable (_ changed: @escaping @Sendable () -> Void) -> ChangeObservation)?
    /// Returns the body of the tombstone of a document that is deleted from a collection; `nil`, the default, for tombstones without
    /// properties.
    package var tombstone: (@Sendable (DocumentRecord, CollectionID) throws -> OwnedBody)?

    /// - Parameter openFile: Returns the open file of the database. Throws if it is closed.
    package init(name: String, isEncrypted: Bool = false, openFile: @escaping @Sendable () throws -> DatabaseFile) {
        self.name = name
        self.isEncrypted = isEncrypted
        self.openFile = openFile
    }

    /// Creates the source for an open database of the public API, which is retained.
    ///
    /// - Parameter notice: What the page tells about the database; `nil`, the default, for nothing.
    package init(_ database: Database, notice: String? = nil) {
        self.init(name: database.name, isEncrypted: database.config.encryptionKey != nil) { try database.openFile() }
        self.notice = notice
    }
}

/// What a process has replicated from and to a database since its start.
package struct ReplicationCounters: Sendable {
    /// The number of clients that are connected at the moment.
    package var clients: UInt64
    /// The number of documents that were sent, including deletions.
    package var sent: UInt64
    /// The number of documents that were received, including deletions.
    package var received: UInt64
    /// The number of documents that were not accepted by the side that received them.
    package var refused: UInt64
    /// The number of connections that ended with an error.
    package var failures: UInt64

    package init(clients: UInt64 = 0, sent: UInt64 = 0, received: UInt64 = 0, refused: UInt64 = 0, failures: UInt64 = 0) {
        (self.clients, self.sent, self.received) = (clients, sent, received)
        (self.refused, self.failures) = (refused, failures)
    }

    var json: AnswerObject {
        [
            "clients": clients, "sent": sent, "received": received, "refused": refused,
            "failures": failures,
        ]
    }
}
