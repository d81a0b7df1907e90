import SQLiteEngine

/// The identity of a collection: a number that is assigned when the collection is created, and never again in the same file (Storage format
/// 2.6). A collection that is deleted and created again has the same name and continues the sequences, but has another identity.
extension CollectionStore {
    /// Returns the identity; 0 if the collection has none, as the default collection and those that other programs or earlier releases created.
    package func identity() throws -> UInt64 {
        try checkExists()
        return try file.read { try InfoStore.integer(InfoStore.identity(of: id), on: $0.connection) ?? 0 }
    }
}

extension CollectionID {
    /// Assigns an identity to a collection that is being created.
    func assignIdentity(on connection: Connection) throws {
        let next = InfoStore.encode((try InfoStore.integer(InfoStore.lastIdentity, on: connection) ?? 0) &+ 1)
        try InfoStore.set(InfoStore.lastIdentity, to: next, on: connection)
        try InfoStore.set(InfoStore.identity(of: self), to: next, on: connection)
    }

    /// Forgets the identity of a collection that is being deleted, and the checkpoints that belong to it: those of this database, and those
    /// that peers have stored here.
    func forgetIdentity(in writer: Writer) throws {
        let key = InfoStore.identity(of: self)
        guard let identity = try InfoStore.integer(key, on: writer.connection), identity > 0 else { return }
        // The last member, as it is written (Storage format 2.7).
        try RawStore.checkpoints.removeAll(mentioning: "\"collection\":\(identity)}", in: writer)
        try RawStore.peerCheckpoints.removeAll(ownedBy: identity, in: writer)
        try InfoStore.remove(key, on: writer.connection)
    }
}
