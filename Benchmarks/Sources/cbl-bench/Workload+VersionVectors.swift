import CouchbaseLiteSwift

extension Workload {
    /// What version vectors cost: the floor is the library itself with revision trees.
    static let versionVectors = [
        Workload("insert_batch_vv", ours: { try insertBatch($0.versionVectors) }, floor: { try insertBatch($0.stage).seconds }),
        Workload(
            "insert_each_vv",
            ours: { try insertEach($0.versionVectors, fullSync: false) },
            floor: { try insertEach($0.stage, fullSync: false).seconds }
        ),
        Workload("update_batch_vv", ours: { try updateBatch($0.versionVectors) }, floor: { try updateBatch($0.stage).seconds }),
        Workload("read_random_vv", ours: { try readRandom($0.versionVectors) }, floor: { try readRandom($0.stage).seconds }),
        Workload(
            "repl_local_vv",
            ours: { try replicate($0.versionVectors, .push, over: .memory) },
            floor: { try replicate($0.stage, .push, over: .memory).seconds }
        ),
        Workload(
            "repl_push_vv",
            ours: { try replicate($0.versionVectors, .push, over: .socket(roundTrip: 0)) },
            floor: { try replicate($0.stage, .push, over: .socket(roundTrip: 0)).seconds }
        ),
        Workload(
            "repl_pull_vv",
            ours: { try replicate($0.versionVectors, .pull, over: .socket(roundTrip: 0)) },
            floor: { try replicate($0.stage, .pull, over: .socket(roundTrip: 0)).seconds }
        ),
    ]
}
