import CouchbaseLiteSwift
import Floor
import Foundation

extension Workload {
    /// Full-text search. Beside it: SQLite's FTS4 with its own Porter stemmer, which knows no stop words.
    static let texts = [
        Workload(
            "fts_insert",
            needsDocuments: false,
            ours: insertArticles,
            floor: { floor in
                try withArticles(floor.documents) { texts, count in floor_text_insert(floor.freshFile, texts, count) }
            }
        ),
        Workload(
            "fts_build",
            needsDocuments: false,
            ours: buildFullTextIndex,
            floor: { floor in
                try withArticles(floor.documents) { texts, count in floor_text_build(floor.freshFile, texts, count) }
            }
        ),
        Workload("fts_query", needsDocuments: false, ours: search, floor: floorSearch),
    ]

    private static let index = FullTextIndexConfiguration(["body"], language: "en")

    /// A fifth of the other workloads' documents: 20,000 of 100,000.
    private static func articleCount(_ documents: Int) -> Int { max(1, documents / 5) }

    private static func save(_ bodies: [String], in database: Database) throws {
        let collection = try database.defaultCollection()
        try database.inBatch {
            for (i, body) in bodies.enumerated() {
                let document = MutableDocument(id: Article.id(i))
                document.setString("article", forKey: "type")
                document.setString("article \(i)", forKey: "title")
                document.setString(body, forKey: "body")
                try collection.save(document: document)
            }
        }
    }

    private static func bodies(_ documents: Int) throws -> [String] {
        let article = try Article()
        return (0..<articleCount(documents)).map { article.body($0) }
    }

    private static func insertArticles(_ stage: Stage) throws -> Outcome {
        let bodies = try bodies(stage.documents)
        return try stage.withFreshDatabase { database in
            try database.defaultCollection().createIndex(withName: "fts", config: index)
            let seconds = try timed { try save(bodies, in: database) }
            try expect(database.defaultCollection().count, toBe: UInt64(bodies.count), "documents")
            return Outcome(seconds: seconds)
        }
    }

    private static func buildFullTextIndex(_ stage: Stage) throws -> Outcome {
        let bodies = try bodies(stage.documents)
        return try stage.withFreshDatabase { database in
            try save(bodies, in: database)
            let collection = try database.defaultCollection()
            return Outcome(seconds: try timed { try collection.createIndex(withName: "fts", config: index) })
        }
    }

    private static func search(_ stage: Stage) throws -> Outcome {
        let bodies = try bodies(stage.documents)
        let patterns = try Article().patterns()
        return try stage.withFreshDatabase { database in
            try save(bodies, in: database)
            try database.defaultCollection().createIndex(withName: "fts", config: index)
            let query = try database.createQuery("SELECT META().id FROM _ WHERE match(fts, $q) ORDER BY rank(fts) DESC LIMIT 20")
            func rows(_ pattern: String) throws -> Int {
                query.parameters = Parameters().setString(pattern, forName: "q")
                return try query.execute().reduce(0) { $0 + ($1.string(at: 0) == nil ? 0 : 1) }
            }
            _ = try rows(patterns[0])
            var found = 0
            let seconds = try timed {
                for pattern in patterns { found += try rows(pattern) }
            }
            if bodies.count == 20_000 { try expect(found, toBe: rowsOf20000, "rows") }
            return Outcome(seconds: seconds)
        }
    }

    /// How many rows the 500 searches find in 20,000 articles.
    private static let rowsOf20000 = 7090

    private static func floorSearch(_ floor: FloorStage) throws -> Double {
        var rows: Int32 = 0
        let seconds = try withArticles(floor.documents) { texts, count in
            try withCStrings(Article().patterns()) { patterns, patternCount in
                floor_text_search(floor.freshFile, texts, count, patterns, patternCount, &rows)
            }
        }
        if rows == 0 { throw WorkloadError.wrongResult("the floor found nothing") }
        return seconds
    }

    private static func withArticles(
        _ documents: Int,
        _ body: (UnsafePointer<UnsafePointer<CChar>?>, Int32) throws -> Double
    ) throws -> Double {
        try withCStrings(try bodies(documents), body)
    }

    private static func withCStrings(
        _ texts: [String],
        _ body: (UnsafePointer<UnsafePointer<CChar>?>, Int32) throws -> Double
    ) throws -> Double {
        let copies = texts.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        return try copies.map { UnsafePointer($0) }.withUnsafeBufferPointer { buffer in
            guard let start = buffer.baseAddress else { return 0 }
            return try body(start, Int32(buffer.count))
        }
    }
}
