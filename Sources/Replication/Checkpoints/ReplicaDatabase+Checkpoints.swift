import DocumentStore

/// The checkpoints of replications, under their names (Replication 4.2).
extension ReplicaDatabase {
    /// Forgets how far a replication had come, on this side: the next session looks at everything once more, whatever the other side
    /// remembers (Replication 4.3).
    package func forgetCheckpoints(_ options: ActiveOptions) throws {
        for collection in options.collections {
            for name in try checkpointNames(of: collection, options) { try removeCheckpoint(name) }
        }
    }

    /// The checkpoint that is stored here for a collection, and under which name; nil when there is none.
    func storedCheckpoint(of collection: CollectionOptions, _ options: ActiveOptions) throws -> (name: String, checkpoint: Checkpoint)? {
        for name in try checkpointNames(of: collection, options) {
            if let json = try checkpoint(name) { return (name, Checkpoint(json: json)) }
        }
        return nil
    }

    /// The name of a collection's checkpoint.
    func checkpointName(of collection: CollectionOptions, _ options: ActiveOptions) throws -> String {
        try checkpointID(of: collection, options).name()
    }

    /// That name, and those that it had before the database was copied.
    private func checkpointNames(of collection: CollectionOptions, _ options: ActiveOptions) throws -> [String] {
        let id = try checkpointID(of: collection, options)
        let earlier = try previousPrivateUUID().map { id.previous(databaseUUID: $0) } ?? []
        return try ([id] + earlier).map { try $0.name() }
    }

    private func checkpointID(of collection: CollectionOptions, _ options: ActiveOptions) throws -> CheckpointID {
        CheckpointID(
            databaseUUID: try privateUUID(),
            collection: collection.id,
            remoteURL: options.remoteURL,
            isPulling: options.pull != .disabled,
            isPushing: options.push != .disabled,
            channels: collection.channels ?? [],
            documentIDs: collection.documentIDs ?? []
        )
    }
}
