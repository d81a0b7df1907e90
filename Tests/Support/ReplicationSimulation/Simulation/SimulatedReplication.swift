import DocumentStore
package import Replication

/// A replication between two databases: the client's session, a link, the server's session.
package final class SimulatedReplication {
    /// The options of a replication.
    package struct Options {
        package var push: ReplicationMode = .oneShot
        package var pull: ReplicationMode = .oneShot
        package var collections: [CollectionOptions] = [CollectionOptions(.default)]
        package var usesDeltas = false
        package var isReadOnly = false
        /// Whether the server behaves like Sync Gateway, as a hub does.
        package var standsInForSyncGateway = false
        package var link = SimulatedLink.Properties()
        /// The result of the handshake; `nil` negotiates it.
        package var subprotocol: String?
        package var resolve: SessionRunner.Resolver = SessionRunner.defaultResolution

        package init() {}
    }

    package let link: SimulatedLink
    package let active: SessionRunner
    package let passive: SessionRunner

    /// Creates both sessions and starts to connect.
    package init(_ local: SimulatedDatabase, with remote: SimulatedDatabase, _ options: Options = Options(), in simulation: Simulation) {
        link = SimulatedLink(simulation, options.link, subprotocol: options.subprotocol ?? Self.subprotocol(local, remote, options))
        let active = Self.activeOptions(options, with: remote)
        var passive = PassiveOptions(collections: options.collections.map(\.id))
        passive.usesDeltas = options.usesDeltas
        passive.isReadOnly = options.isReadOnly
        passive.standsInForSyncGateway = options.standsInForSyncGateway
        let session = Session.active(local.replica, active) { [unowned local, unowned simulation] in
            1_700_000_000 + simulation.now.components.seconds + local.clockOffset
        }
        self.active = SessionRunner(session, on: link.client, of: local, in: simulation, resolve: options.resolve)
        self.passive = SessionRunner(Session.passive(remote.replica, passive), on: link.server, of: remote, in: simulation)
        link.connect()
    }

    /// Returns the subprotocol that both databases agree on. Without one, a server would refuse the client.
    private static func subprotocol(_ local: SimulatedDatabase, _ remote: SimulatedDatabase, _ options: Options) -> String {
        let (pushes, pulls) = (options.push != .disabled, options.pull != .disabled)
        let offered = (try? Subprotocol.offered(by: local.file, pushes: pushes, pulls: pulls)) ?? []
        let accepted = (try? Subprotocol.accepted(by: remote.file)) ?? []
        return offered.first { accepted.contains($0) } ?? Subprotocol.collections
    }

    /// Returns the options of the client's session.
    package static func activeOptions(_ options: Options, with remote: SimulatedDatabase) -> ActiveOptions {
        var active = ActiveOptions(
            remoteURL: "ws://\(remote.name).example/db/_blipsync",
            push: options.push,
            pull: options.pull,
            collections: options.collections
        )
        active.usesDeltas = options.usesDeltas
        return active
    }

    package var hasEnded: Bool { active.hasEnded && passive.hasEnded }

    /// Whether neither side is busy.
    package var isIdle: Bool { !active.status.isBusy && !passive.status.isBusy }

    /// The number of bytes sent in both directions.
    package var byteCount: Int { link.client.sentBytes + link.server.sentBytes }
}

extension Simulation {
    /// Replicates once, until both sessions have ended, successfully or not.
    @discardableResult
    package func replicate(
        _ local: SimulatedDatabase,
        with remote: SimulatedDatabase,
        _ options: SimulatedReplication.Options = .init()
    ) throws -> SimulatedReplication {
        let replication = SimulatedReplication(local, with: remote, options, in: self)
        try run { replication.hasEnded }
        return replication
    }
}
