import CouchbaseLiteSwift

extension Workload {
    /// Objects of a model class beside the same work by hand, with a setter or getter of the library for every property.
    static let models = [
        Workload("model_encode", needsDocuments: false, ours: saveModels, floor: { try saveByHand($0.stage).seconds }),
        Workload("model_decode", ours: readModels, floor: { try readByHand($0.stage).seconds }),
        Workload("model_rows", ours: decodeRows, floor: { try decodeRowsByHand($0.stage).seconds }),
    ]

    // MARK: Saving

    private static func saveModels(_ stage: Stage) throws -> Outcome {
        try save(stage) { try $0.save(from: UserModel($1)) }
    }

    private static func saveByHand(_ stage: Stage) throws -> Outcome {
        try save(stage) { try $0.save(document: UserDocument.make($1)) }
    }

    private static func save(_ stage: Stage, _ saveOne: (Collection, Int) throws -> Void) throws -> Outcome {
        try stage.withFreshDatabase { database in
            let collection = try database.defaultCollection()
            let seconds = try timed {
                try database.inBatch {
                    for i in 0..<stage.documents { try saveOne(collection, i) }
                }
            }
            try expect(collection.count, toBe: UInt64(stage.documents), "documents")
            let last = UserDocument.id(stage.documents - 1)
            let expected = UserDocument.make(stage.documents - 1).toDictionary() as NSDictionary
            try expect(collection.document(id: last)?.toDictionary() as NSDictionary?, toBe: expected, "the last one")
            return Outcome(seconds: seconds)
        }
    }

    // MARK: Reading

    private static func readModels(_ stage: Stage) throws -> Outcome {
        try read(stage) { try $0.document(id: $1, as: UserModel.self) }
    }

    private static func readByHand(_ stage: Stage) throws -> Outcome {
        try read(stage) { try $0.document(id: $1).map(UserModel.init) }
    }

    private static func read(_ stage: Stage, _ readOne: (Collection, String) throws -> UserModel?) throws -> Outcome {
        try stage.withDocuments { database in
            let collection = try database.defaultCollection()
            var lengths = 0
            let seconds = try timed {
                for i in 0..<stage.documents { lengths += try readOne(collection, UserDocument.id(i))?.length ?? 0 }
            }
            try expect(lengths, toBe: (0..<stage.documents).reduce(0) { $0 + UserModel($1).length }, "lengths")
            return Outcome(seconds: seconds)
        }
    }

    private static func decodeRows(_ stage: Stage) throws -> Outcome {
        try rows(stage) { try $0.data(as: UserModel.self, dataKey: "_") }
    }

    private static func decodeRowsByHand(_ stage: Stage) throws -> Outcome {
        try rows(stage) { results in
            results.compactMap { row in row.dictionary(forKey: "_").map { UserModel($0, id: row.string(forKey: "id")) }
            }
        }
    }

    /// Only the decoding is timed, not the query: there is nothing in it but what the two sides do.
    private static func rows(_ stage: Stage, _ decode: (ResultSet) throws -> [UserModel]) throws -> Outcome {
        try stage.withDocuments { database in
            let results = try database.createQuery("SELECT META().id, * FROM _").execute()
            var lengths = 0
            let seconds = try timed { lengths = try decode(results).reduce(0) { $0 + $1.length } }
            try expect(lengths, toBe: (0..<stage.documents).reduce(0) { $0 + UserModel($1).length }, "lengths")
            return Outcome(seconds: seconds)
        }
    }
}
