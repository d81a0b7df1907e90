#if Replication
import Dispatch
import DocumentStore
import ExactStrings
import Replication
import SyncCore
import SyncRuntime
import Transport
import WebServer

/// Serves replicating clients: `/{database}/_blipsync`.
final class SyncRequests: Sendable {
    private let connections = PassiveConnections()
    private let queue = DispatchQueue(label: "CouchbaseLite.hub.sync")

    /// The number of clients that sync.
    var count: Int { connections.counts.all }

    /// Accepts a client, which may sync the documents that the user may use.
    ///
    /// - Parameter access: Returns the user's current rights.
    func accept(
        _ request: WebRequest,
        _ database: HubDatabase,
        userName: String?,
        access: @escaping @Sendable () throws -> HubAccess
    ) throws -> WebResponse {
        let offered = request.webSocketSubprotocols
        guard !request.isWebSocketUpgrade || !offered.isEmpty,
            let subprotocol = WebSocketHandshake.choose(from: offered, supported: Subprotocol.all) ?? Subprotocol.all.first,
            offered.isEmpty || offered.contains(where: { $0.isExactly(subprotocol) })
        else { throw HubError.badRequest("I only speak \(Subprotocol.all.joined(separator: ", "))") }
        var options = PassiveOptions(collections: try database.file.collectionIDs())
        options.usesDeltas = true
        options.logName = "Hub, \(request.remoteAddress)"
        if try !access().hasAllChannels || userName != nil { options.access = Self.access(access) }
        var webSocket = WebSocketOptions()
        webSocket.firstMessageTimeout = 15
        webSocket.idleTimeout = 3600
        let chosen = options
        return .webSocket(subprotocol: subprotocol, options: webSocket) { [self] channel in
            // Not on the event loop, because the session reads the database.
            queue.async { [self] in connections.add(channel, database.file, chosen, report: { _ in }) }
        }
    }

    private static func access(_ access: @escaping @Sendable () throws -> HubAccess) -> PassiveAccess {
        PassiveAccess(
            mayRead: { revision in (try? access())?.mayRead(revision.body, revision.sharedKeys) ?? false },
            mayStore: { new, current in
                guard let access = try? access() else { return false }
                let channels = HubAccess.channels(of: new.body, new.sharedKeys)
                let before = current.map { HubAccess.channels(of: $0.body, $0.sharedKeys) }
                return access.mayStore(channels, isDeleted: new.isDeleted, over: before)
            },
            tombstone: { new, current in
                guard HubAccess.channels(of: new.body, new.sharedKeys).isEmpty else {
                    return OwnedBody(new.body, keys: new.sharedKeys)
                }
                return try ChannelTombstone.body(of: HubAccess.channels(of: current.body, current.sharedKeys))
            }
        )
    }

    /// Ends all connections.
    func stop() async {
        await withCheckedContinuation { continuation in connections.stop(closingWith: .goingAway) { continuation.resume() } }
    }
}
#endif
