import BLIP
import DocumentStore
import Foundation
import Replication
import ReplicationSimulation
import SyncCore

/// The client of a passive session.
final class ScriptedClient: ScriptedPeer {
    let database: SimulatedDatabase

    /// The client of a new database with the collections that are served.
    convenience init(_ options: PassiveOptions = PassiveOptions(collections: [.default])) throws {
        let database = try SimulatedDatabase("server", in: Simulation(seed: 1))
        for id in options.collections { _ = try database.collection(id) }
        self.init(of: database, options)
    }

    /// Another client of the same database.
    init(of database: SimulatedDatabase, _ options: PassiveOptions = PassiveOptions(collections: [.default])) {
        self.database = database
        super.init(Session.passive(database.replica, options))
    }

    /// Ends the connection from the client's side.
    @discardableResult
    func leave(code: Int? = 1000) -> SyncError? {
        disconnect(ChannelClosure(code: code, isByPeer: true))
    }
}

extension IncomingRequest {
    /// The rows of a list of changes.
    var rows: [String] {
        guard text != "[]", !text.isEmpty else { return [] }
        return text.dropFirst(2).dropLast(2).components(separatedBy: "],[")
    }
}
