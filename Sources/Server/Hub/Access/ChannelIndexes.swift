#if Replication
import DocumentStore
import Base
import Replication
import Synchronization

/// The indexes of channels of all collections, created when they are first needed.
final class ChannelIndexes: Sendable {
    private struct Known: Sendable {
        let index: ChannelIndex
        let id: CollectionID
        let database: HubDatabase
    }

    private struct State {
        var indexes: [ExactString: Known] = [:]
    }

    private let own: DatabaseFile
    private let state = Mutex(State())

    /// - Parameter own: The hub's own database.
    init(in own: DatabaseFile) { self.own = own }

    func index(of id: CollectionID, in database: HubDatabase) throws -> ChannelIndex {
        // A slash cannot be part of the name of a database.
        try state.withLock { state in
            let name = ExactString(database.name + "/" + id.fullName)
            if let known = state.indexes[name] { return known.index }
            let made = try ChannelIndex(in: own, id, of: database)
            state.indexes[name] = Known(index: made, id: id, database: database)
            return made
        }
    }

    /// Brings all indexes up to date, after the channels of users have changed, so that documents that are stored from now on are distinguished from
    /// those that were there before. Takes long if many changes are not in the indexes yet. An index that cannot be read does not stop the others.
    func update() {
        for known in state.withLock({ Array($0.indexes.values) }) {
            do {
                try update(known)
            } catch {
                let name = "\(known.database.name).\(known.id.fullName)"
                EngineLog.log(.warning, .listener, "Hub: the channels of documents in \(name) could not be read: \(error)")
            }
        }
    }

    private func update(_ known: Known) throws {
        guard let keyspace = try known.database.keyspace(known.id) else { return }
        while try !known.index.update(keyspace.replica).isComplete {}
    }
}
#endif
