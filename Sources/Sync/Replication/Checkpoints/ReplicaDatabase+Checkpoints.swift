import DocumentStore

/// The local copies of the checkpoints of replications, stored under their IDs (Replication 4.2).
extension ReplicaDatabase {
    /// Removes the local checkpoints of a replication. The next session then starts from the beginning, whatever the peer's copies contain, and
    /// relies on nothing that is recorded about the peer (Replication 4.3).
    package func discardCheckpoints(_ options: ActiveOptions) throws {
        for collection in options.collections {
            for name in try checkpointNames(of: collection, options) { try setCheckpoint(name, nil) }
        }
    }

    /// Returns the local checkpoint of a collection and the ID under which it is stored; `nil` if it does not exist, or was stored for another
    /// collection of the same name.
    func storedCheckpoint(
        of collection: CollectionOptions,
        _ replica: ReplicaCollection,
        _ options: ActiveOptions
    ) throws -> (name: String, checkpoint: Checkpoint)? {
        for name in try checkpointNames(of: collection, options) {
            guard let json = try checkpoint(name) else { continue }
            let found = Checkpoint(json: json)
            // Sequences that were never assigned are those of a collection that other software has deleted.
            guard try found.collection == replica.identity(), try found.lastCompleted <= replica.lastSequence() else { return nil }
            return (name, found)
        }
        return nil
    }

    func checkpointName(of collection: CollectionOptions, _ options: ActiveOptions) throws -> String {
        try checkpointID(of: collection, options, databaseUUID: file.ensuredPrivateUUID()).name()
    }

    /// Returns the ID of a collection's checkpoint, followed by the IDs that it had before the database was copied. Empty if the database
    /// has no private UUID, and therefore no checkpoints. Writes nothing.
    private func checkpointNames(of collection: CollectionOptions, _ options: ActiveOptions) throws -> [String] {
        guard let uuid = try file.privateUUID() else { return [] }
        let id = checkpointID(of: collection, options, databaseUUID: uuid)
        let earlier = try file.previousPrivateUUID().map { id.previous(databaseUUID: $0) } ?? []
        return try ([id] + earlier).map { try $0.name() }
    }

    private func checkpointID(of collection: CollectionOptions, _ options: ActiveOptions, databaseUUID: [UInt8]) -> CheckpointID {
        CheckpointID(
            databaseUUID: databaseUUID,
            collection: collection.id,
            remoteURL: options.remoteURL,
            isPulling: options.pull != .disabled,
            isPushing: options.push != .disabled,
            channels: collection.channels ?? [],
            documentIDs: collection.documentIDs ?? []
        )
    }
}
