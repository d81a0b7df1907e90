/// The replication of one collection in an active session: what its checkpointer, its pusher and its puller have in common.
struct CollectionReplication {
    let context: SessionContext
    let collection: ReplicaCollection
    /// The index of the collection in messages; `nil` on connections without named collections.
    let index: Int?
    /// The number of the peer as a remote.
    let remote: Int
    let session: ActiveOptions
    let options: CollectionOptions
}
