#if Replication
import WebServer

/// What clients of a hub hold at a moment. Everything is given back when the connection ends that it belongs to, however it ends, so all counts
/// are 0 when there is none.
package struct HeldResources: Equatable, Sendable {
    /// The number of connections, of both ports.
    package var connections = 0
    /// The memory of bodies of requests, in bytes.
    package var bodyMemory = 0
    /// The memory of responses that are being sent, in bytes.
    package var responseMemory = 0
    /// The memory of attachments in documents that are being encoded, in bytes.
    package var attachmentMemory = 0
    /// The number of queries that run or wait.
    package var queries = 0
    /// The number of large documents that are encoded or wait.
    package var documents = 0
    /// The memory of large documents that are sent, in bytes.
    package var documentMemory = 0
    /// The number of passwords that are checked or wait.
    package var passwords = 0
    /// The number of clients that sync, and of those that the counters of the databases contain.
    package var syncs = 0

    package init() {}
}

extension Hub {
    /// What clients hold now.
    package var heldResources: HeldResources {
        var held = HeldResources()
        for server in [server, adminServer].compactMap({ $0 }) {
            held.connections += server.connectionCount
            held.bodyMemory += server.usedMemory.bodies
            held.responseMemory += server.usedMemory.responses
        }
        // The databases share these.
        if let database = databases.all.first {
            held.attachmentMemory = database.attachmentMemory.used
            let counts = database.documentTurns.counts
            (held.documents, held.documentMemory) = (counts.encoding + counts.waiting, counts.memory)
            held.queries = database.queryTurns.runningCount + database.queryTurns.waitingCount
        }
        held.passwords = passwordChecks.pendingCount + passwordChecks.waitingCount
        held.syncs = sync.count + databases.all.reduce(0) { $0 + Int(clamping: sync.counters.count(of: $1.name).clients) }
        return held
    }
}
#endif
