import CouchbaseLiteSwift

extension Workload {
    /// JSON text to Fleece and back, on an array of 5 MB.
    ///
    /// The encoder and the writer cannot be called from another package, so both are reached through the public functions nearest
    /// to them: the figures include making the `String`, and `fleece_decode` reads keys that are shared.
    static let conversions = [
        Workload("fleece_encode", needsDocuments: false, ours: encode),
        Workload("fleece_decode", needsDocuments: false, ours: decode),
    ]

    private static let repetitions = 3
    private static let leastSize = 5_000_000

    private static func text() -> (json: String, documents: Int) {
        var json = "["
        var documents = 0
        while json.utf8.count < leastSize {
            if documents > 0 { json += "," }
            json += UserDocument.json(documents)
            documents += 1
        }
        return (json + "]", documents)
    }

    private static func encode(_ stage: Stage) throws -> Outcome {
        let (json, documents) = text()
        let seconds = try median(
            of: (0..<repetitions).map { _ in
                var count = 0
                let seconds = try timed { count = try MutableArrayObject(json: json).count }
                try expect(count, toBe: documents, "values")
                return seconds
            }
        )
        return Outcome(seconds: seconds, megabytes: Double(json.utf8.count) / 1e6)
    }

    private static func decode(_ stage: Stage) throws -> Outcome {
        let (json, _) = text()
        return try stage.withFreshDatabase { database in
            let collection = try database.defaultCollection()
            let array = try MutableArrayObject(json: json)
            try collection.save(document: MutableDocument(id: "array").setArray(array, forKey: "all"))
            guard let stored = try collection.document(id: "array")?.array(forKey: "all") else {
                throw WorkloadError.wrongResult("the array is not there")
            }
            var written = ""
            let seconds = median(of: try (0..<repetitions).map { _ in try timed { written = stored.toJSON() } })
            // Its keys come in another order, so the text itself cannot be compared.
            try expect(MutableArrayObject(json: written) == array, toBe: true, "the JSON is that of the array")
            return Outcome(seconds: seconds, megabytes: Double(json.utf8.count) / 1e6)
        }
    }
}
