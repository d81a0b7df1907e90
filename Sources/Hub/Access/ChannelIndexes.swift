#if Replication
import DocumentStore
import ExactStrings
import Replication
import Synchronization

/// The indexes of channels of all collections, created when they are first needed.
final class ChannelIndexes: Sendable {
    private struct State {
        var indexes: [ExactString: ChannelIndex] = [:]
    }

    private let own: DatabaseFile
    private let state = Mutex(State())

    /// - Parameter own: The hub's own database.
    init(in own: DatabaseFile) { self.own = own }

    func index(of id: CollectionID, in database: HubDatabase) throws -> ChannelIndex {
        // A slash cannot be part of the name of a database.
        try state.withLock { state in
            let name = ExactString(database.name + "/" + id.fullName)
            if let known = state.indexes[name] { return known }
            let made = try ChannelIndex(in: own, id, of: database)
            state.indexes[name] = made
            return made
        }
    }
}
#endif
