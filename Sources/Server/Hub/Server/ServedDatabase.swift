#if Replication
package import Base
import DatabaseRuntime
package import DocumentStore

/// An open database of a hub, for what shows or changes it beside the hub's own requests. Must not be used after the hub was stopped.
package struct ServedDatabase: Sendable {
    private let database: HubDatabase
    private let counters: SyncCounters

    init(_ database: HubDatabase, _ counters: SyncCounters) {
        self.database = database
        self.counters = counters
    }

    /// The name in URLs.
    package var name: String { database.name }

    /// Returns the open file, which is the one that the hub uses: what is committed to it reaches the hub's clients.
    ///
    /// - Throws: `StoreError.notOpen` if the hub was stopped.
    package func openFile() throws -> DatabaseFile { try database.core.openFile() }

    /// Returns the body for a tombstone of a document in a collection, which keeps the channels of the document, so that its readers learn
    /// about the deletion.
    package func tombstone(of record: DocumentRecord, in collection: CollectionID) throws -> OwnedBody {
        try database.rule(of: collection).tombstone(.empty, over: (record.body, record.sharedKeys))
    }

    /// What clients have synced since the hub was started.
    package var syncCount: SyncCount { counters.count(of: database.name) }

    /// Calls a function, on any thread, after each change of ``syncCount``, and sometimes more often, until the result is released. It must return
    /// quickly.
    package func observeSyncCount(_ changed: @escaping @Sendable () -> Void) -> ChangeObservation { counters.observers.add(changed) }
}
#endif
