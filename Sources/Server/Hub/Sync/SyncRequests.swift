#if Replication
import Dispatch
import DocumentStore
import Base
import Replication
import SyncCore
import SyncRuntime
import Synchronization
import Transport
import WebServer

/// Serves replicating clients: `/{database}/_blipsync`.
final class SyncRequests: Sendable {
    /// A client that is connected.
    private struct Client: Sendable {
        let channel: any FrameChannel
        /// Returns what the user may do now. Throws if the user may not use the hub anymore.
        let access: @Sendable () throws -> HubAccess
    }

    private struct State {
        var clients: [ObjectIdentifier: Client] = [:]
        /// Whether an update waits for its turn, which includes all changes until it begins.
        var isUpdateQueued = false
    }

    private let connections = PassiveConnections()
    private let state = Mutex(State())
    private let watch = Mutex<CommitWatch?>(nil)
    private let queue = DispatchQueue(label: "CouchbaseLite.hub.sync")
    /// Another queue, because an update may take long.
    private let updates = DispatchQueue(label: "CouchbaseLite.hub.updates")
    /// The maximum size of a pushed blob, in bytes.
    private let maximumBlobSize: Int
    /// What clients have synced.
    let counters = SyncCounters()

    /// - Parameter maximumBlobSize: The maximum size of a pushed blob, in bytes.
    init(maximumBlobSize: Int) { self.maximumBlobSize = maximumBlobSize }

    /// The number of clients that sync.
    var count: Int { connections.counts.all }

    /// Begins to notify connected clients when users or roles change. Those whose users may not use the hub anymore are disconnected at once.
    ///
    /// - Parameter update: Called after changes, before the other clients are notified. It may take long.
    func start(watching own: DatabaseFile, _ update: @escaping @Sendable () -> Void) throws {
        let started = try CommitWatch(HubUsers.collections(), of: own) { [weak self] in
            guard let self else { return }
            queue.async { [self] in
                guard watch.withLock({ $0 })?.drain().isEmpty == false else { return }
                for client in state.withLock({ Array($0.clients.values) }) { close(client) }
                notifyClients(after: update)
            }
        }
        watch.withLock { $0 = started }
        // A change before this line was not noticed.
        _ = started.drain()
    }

    private func notifyClients(after update: @escaping @Sendable () -> Void) {
        let isQueued = state.withLock { state in
            defer { state.isUpdateQueued = true }
            return state.isUpdateQueued
        }
        guard !isQueued else { return }
        updates.async { [self] in
            state.withLock { $0.isUpdateQueued = false }
            update()
            connections.accessChanged()
        }
    }

    /// Ends the connection of a client whose user may not use the hub anymore. A client that only pushes has no feed that would end it.
    private func close(_ client: Client) {
        do {
            _ = try client.access()
        } catch let error as WebError {
            client.channel.close(code: CloseCode.noRetry.rawValue, reason: error.reason)
        } catch {
            EngineLog.log(.warning, .listener, "Hub: the rights of a client could not be read: \(error)")
        }
    }

    /// Accepts a client, which may sync the documents that the user may use.
    ///
    /// - Parameters:
    ///   - channels: The channels of the documents.
    ///   - current: Returns what the user may do now. Throws if the user may not use the hub anymore.
    ///   - rights: Returns the same with the history of the user's channels.
    func accept(
        _ request: WebRequest,
        _ database: HubDatabase,
        _ channels: ChannelIndexes,
        userName: String?,
        current: @escaping @Sendable () throws -> HubAccess,
        rights: @escaping @Sendable () throws -> FeedRights
    ) throws -> WebResponse {
        let offered = request.webSocketSubprotocols
        // As in Sync Gateway, the client's order decides.
        let accepted = try Subprotocol.accepted(by: database.file)
        guard let subprotocol = offered.first(where: accepted.containsExactly) else {
            // As in Sync Gateway, not in JSON.
            let reason = "I only speak \(accepted.joined(separator: ","))\n"
            let headers = [("Content-Type", "text/plain; charset=utf-8"), ("X-Content-Type-Options", "nosniff")]
            return WebResponse(status: 500, headers: headers, body: Array(reason.utf8))
        }
        var options = PassiveOptions(collections: try database.file.collectionIDs())
        options.usesDeltas = true
        options.standsInForSyncGateway = true
        options.isForSyncGateway = request.queryValue("client")?.isExactly("sgr2") ?? false
        options.maximumBlobSize = UInt64(maximumBlobSize)
        options.logName = "Hub, \(request.remoteAddress)"
        options.checkpointPrefix = UserEntries.checkpoints(of: userName)
        options.access = SyncAccess(database: database, channels: channels, access: current, rights: rights).passive
        var webSocket = WebSocketOptions()
        webSocket.firstMessageTimeout = 15
        webSocket.idleTimeout = 3600
        // As in Sync Gateway (Replication 8).
        webSocket.maximumMessageBytes = 32 << 10
        let chosen = options
        return .webSocket(subprotocol: subprotocol, options: webSocket) { [self] channel in
            // Not on the event loop, because the session reads the database.
            queue.async { [self] in
                let session = counters.begin(database.name)
                let client = Client(channel: channel, access: current)
                state.withLock { $0.clients[ObjectIdentifier(channel)] = client }
                let report = { @Sendable [self] (report: SessionReport) in
                    if case .ended = report { state.withLock { $0.clients[ObjectIdentifier(channel)] = nil } }
                    session.handle(report)
                }
                // The hub stops.
                guard connections.add(channel, database.file, chosen, report: report) else { return report(.ended(nil)) }
                // The rights may have changed since the head of the request.
                close(client)
            }
        }
    }

    /// Ends all connections.
    func stop() async {
        watch.withLock { $0 = nil }
        await withCheckedContinuation { continuation in connections.stop(closingWith: .goingAway) { continuation.resume() } }
    }
}
#endif
