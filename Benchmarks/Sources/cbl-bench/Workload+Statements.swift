import CouchbaseLiteSwift
import Floor

extension Workload {
    /// Statements that change all documents.
    static let statements = [
        Workload(
            "statement_update",
            ours: update,
            floor: {
                _ = floor_insert_batch($0.freshFile, try $0.rows)
                return floor_update_batch($0.freshFile, try $0.rows)
            }
        ),
        Workload(
            "statement_delete",
            ours: delete,
            floor: {
                _ = floor_insert_batch($0.freshFile, try $0.rows)
                return floor_delete_batch($0.freshFile, try $0.rows)
            }
        ),
        Workload("delete_batch", ours: deleteBatch),
    ]

    private static func update(_ stage: Stage) throws -> Outcome {
        try stage.withCopyOfDocuments { database in
            var updated = 0
            let seconds = try timed {
                updated = try database.execute("UPDATE _ SET age = age + 1").changedCount
            }
            try expect(updated, toBe: stage.documents, "updated documents")
            let last = try database.defaultCollection().document(id: UserDocument.id(stage.documents - 1))
            try expect(last?.int(forKey: "age"), toBe: UserDocument.age(stage.documents - 1) + 1, "age")
            return Outcome(seconds: seconds)
        }
    }

    private static func delete(_ stage: Stage) throws -> Outcome {
        try stage.withCopyOfDocuments { database in
            let seconds = try timed { try database.execute("DELETE FROM _ WHERE age >= 0") }
            try expect(database.defaultCollection().count, toBe: 0, "documents")
            return Outcome(seconds: seconds)
        }
    }

    /// Deletes all documents, each with a call of its own, in one batch.
    private static func deleteBatch(_ stage: Stage) throws -> Outcome {
        try stage.withCopyOfDocuments { database in
            let collection = try database.defaultCollection()
            let seconds = try timed {
                try database.inBatch {
                    for i in 0..<stage.documents {
                        if let document = try collection.document(id: UserDocument.id(i)) { try collection.delete(document: document) }
                    }
                }
            }
            try expect(collection.count, toBe: 0, "documents")
            return Outcome(seconds: seconds)
        }
    }
}
