import CouchbaseLiteSwift

extension Workload {
    /// What encryption costs: the floor is the library itself without it.
    static let encryption = [
        Workload("insert_batch_enc", ours: { try insertBatch($0.encrypted) }, floor: { try insertBatch($0.stage).seconds }),
        Workload(
            "insert_each_enc",
            ours: { try insertEach($0.encrypted, fullSync: false) },
            floor: { try insertEach($0.stage, fullSync: false).seconds }
        ),
        Workload("read_random_enc", ours: { try readRandom($0.encrypted) }, floor: { try readRandom($0.stage).seconds }),
    ]
}
