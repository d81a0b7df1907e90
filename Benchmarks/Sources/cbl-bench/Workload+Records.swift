import CouchbaseLiteSwift
import Floor

extension Workload {
    private static let separateSaves = 2000
    private static let reads = 200_000

    /// Saving, changing and reading documents.
    static let records = [
        Workload("insert_batch", ours: insertBatch, floor: { floor_insert_batch($0.freshFile, try $0.rows) }),
        Workload(
            "insert_each",
            ours: { try insertEach($0, fullSync: false) },
            floor: { floor_insert_each($0.freshFile, try $0.rows, Int32(separateSaves), false) }
        ),
        Workload(
            "insert_each_full",
            ours: { try insertEach($0, fullSync: true) },
            floor: { floor_insert_each($0.freshFile, try $0.rows, Int32(separateSaves), true) }
        ),
        Workload(
            "update_batch",
            ours: updateBatch,
            floor: {
                _ = floor_insert_batch($0.freshFile, try $0.rows)
                return floor_update_batch($0.freshFile, try $0.rows)
            }
        ),
        Workload("open", ours: openAndRead),
        Workload("read_random", ours: readRandom, floor: { floor_read_random($0.file, try $0.rows, Int32(reads)) }),
    ]

    /// Opens the database and reads one document.
    static func openAndRead(_ stage: Stage) throws -> Outcome {
        let id = UserDocument.make(stage.documents / 2).id
        let seconds = try timed {
            try stage.withDocuments { database in
                try expect(database.defaultCollection().document(id: id) != nil, toBe: true, "the document exists")
            }
        }
        return Outcome(seconds: seconds)
    }

    static func insertBatch(_ stage: Stage) throws -> Outcome {
        try stage.withFreshDatabase { database in
            let collection = try database.defaultCollection()
            let seconds = try timed {
                try database.inBatch {
                    for i in 0..<stage.documents { try collection.save(document: UserDocument.make(i)) }
                }
            }
            try expect(collection.count, toBe: UInt64(stage.documents), "documents")
            return Outcome(seconds: seconds)
        }
    }

    /// Saves documents, each in a transaction.
    ///
    /// - Parameter prepare: Called before, with the empty database; it is not timed.
    static func insertEach(_ stage: Stage, fullSync: Bool, prepare: (Database) throws -> Void = { _ in }) throws -> Outcome {
        try stage.withFreshDatabase(fullSync: fullSync) { database in
            try prepare(database)
            let collection = try database.defaultCollection()
            let count = min(separateSaves, stage.documents)
            let seconds = try timed {
                for i in 0..<count { try collection.save(document: UserDocument.make(i)) }
            }
            try expect(collection.count, toBe: UInt64(count), "documents")
            return Outcome(seconds: seconds)
        }
    }

    static func updateBatch(_ stage: Stage) throws -> Outcome {
        try stage.withCopyOfDocuments { database in
            let collection = try database.defaultCollection()
            var updated = 0
            let seconds = try timed {
                try database.inBatch {
                    for i in 0..<stage.documents {
                        guard let document = try collection.document(id: UserDocument.id(i))?.toMutable() else { continue }
                        document.setInt(UserDocument.age(i) + 1, forKey: "age")
                        try collection.save(document: document)
                        updated += 1
                    }
                }
            }
            try expect(updated, toBe: stage.documents, "updated documents")
            return Outcome(seconds: seconds)
        }
    }

    static func readRandom(_ stage: Stage) throws -> Outcome {
        try stage.withDocuments { database in
            let collection = try database.defaultCollection()
            var lengths = 0
            let seconds = try timed {
                var random = RandomSequence(seed: 42)
                for _ in 0..<reads {
                    let i = Int(random.next(below: UInt64(stage.documents)))
                    guard let document = try collection.document(id: UserDocument.id(i)) else { continue }
                    lengths += document.string(forKey: "name")?.utf8.count ?? 0
                    lengths += document.dictionary(forKey: "address")?.string(forKey: "city")?.utf8.count ?? 0
                }
            }
            try expect(lengths, toBe: expectedLengths(stage.documents), "length of the names and cities")
            return Outcome(seconds: seconds)
        }
    }

    private static func expectedLengths(_ documents: Int) -> Int {
        var random = RandomSequence(seed: 42)
        return (0..<reads).reduce(0) { sum, _ in
            let i = Int(random.next(below: UInt64(documents)))
            return sum + UserDocument.name(i).utf8.count + UserDocument.city(i).utf8.count
        }
    }
}
