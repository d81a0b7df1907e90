import CouchbaseLiteSwift
import Floor

extension Workload {
    private static let pointQueries = 10_000
    private static let scan = "SELECT META().id, name FROM _ WHERE age >= 80"
    private static let floorScan = "SELECT key, json_extract(doc,'$.name') FROM j WHERE json_extract(doc,'$.age') >= 80"

    /// Queries without an index.
    static let queries = [
        Workload(
            "query_scan",
            ours: { try query(scan, $0, rows: scanRows($0.documents)) { $0.textLength(0) + $0.textLength(1) } },
            floor: { try $0.query(floorScan, rows: scanRows($0.documents)) }
        ),
        Workload(
            "query_group",
            ours: {
                try query(
                    "SELECT address.city, count(*), avg(score) FROM _ GROUP BY address.city",
                    $0,
                    rows: min(500, $0.documents)
                ) { $0.textLength(0) + $0.int(at: 1) + Int($0.double(at: 2)) }
            },
            floor: {
                try $0.query(
                    "SELECT json_extract(doc,'$.address.city'), count(*), avg(json_extract(doc,'$.score')) FROM j GROUP BY 1",
                    rows: min(500, $0.documents)
                )
            }
        ),
        Workload(
            "query_orderby",
            ours: {
                try query("SELECT name FROM _ ORDER BY score DESC LIMIT 100", $0, rows: min(100, $0.documents)) {
                    $0.textLength(0)
                }
            },
            floor: {
                try $0.query(
                    "SELECT json_extract(doc,'$.name') FROM j ORDER BY json_extract(doc,'$.score') DESC LIMIT 100",
                    rows: min(100, $0.documents)
                )
            }
        ),
        Workload(
            "query_array",
            ours: {
                try query(
                    "SELECT META().id FROM _ WHERE ANY t IN tags SATISFIES t = 'b3' END",
                    $0,
                    rows: arrayRows($0.documents)
                ) { $0.textLength(0) }
            },
            floor: {
                try $0.query(
                    "SELECT key FROM j WHERE EXISTS (SELECT 1 FROM json_each(doc,'$.tags') WHERE value='b3')",
                    rows: arrayRows($0.documents)
                )
            }
        ),
    ]

    /// Value indexes, and queries that use them.
    static let indexes = [
        Workload(
            "query_indexed",
            ours: { stage in
                try withIndexes(stage) {
                    try run(scan, in: $0, rows: scanRows(stage.documents)) { $0.textLength(0) + $0.textLength(1) }
                }
            },
            floor: { floor in
                try floor.withIndex("age", on: "json_extract(doc,'$.age')") {
                    try floor.query(floorScan, rows: scanRows(floor.documents))
                }
            }
        ),
        Workload("query_point", ours: lookUpByName, floor: floorLookUpByName),
        Workload("index_build_age", ours: { try buildIndex("age", $0) }, floor: { floorBuildIndex("age", $0) }),
        Workload("index_build_name", ours: { try buildIndex("name", $0) }, floor: { floorBuildIndex("name", $0) }),
    ]

    private static func scanRows(_ documents: Int) -> Int {
        (0..<documents).count { UserDocument.age($0) >= 80 }
    }

    private static func arrayRows(_ documents: Int) -> Int {
        (0..<documents).count { $0 % 11 == 3 }
    }

    private static func query(_ text: String, _ stage: Stage, rows: Int, read: (Result) -> Int) throws -> Outcome {
        try stage.withDocuments { try run(text, in: $0, rows: rows, read: read) }
    }

    /// Runs the query twice, the second time by the clock; `read` reads every column of a row.
    private static func run(_ text: String, in database: Database, rows expected: Int, read: (Result) -> Int) throws -> Outcome {
        let query = try compile(text, in: database)
        var seconds = 0.0
        for _ in 0..<2 {
            var rows = 0
            var sum = 0
            seconds = try timed {
                for result in try query.execute() {
                    sum &+= read(result)
                    rows += 1
                }
            }
            try expect(rows, toBe: expected, "rows")
            if rows > 0 && sum == 0 { throw WorkloadError.wrongResult("the columns are empty") }
        }
        return Outcome(seconds: seconds)
    }

    private static func compile(_ text: String, in database: Database) throws -> Query {
        do {
            return try database.createQuery(text)
        } catch let error as NSError where [CBLError.invalidQuery, CBLError.unsupported].contains(error.code) {
            throw WorkloadError.notSupported(error.localizedDescription)
        }
    }

    private static func withIndexes(_ stage: Stage, _ work: (Database) throws -> Outcome) throws -> Outcome {
        try stage.withCopyOfDocuments { database in
            let collection = try database.defaultCollection()
            for property in ["age", "name"] {
                try collection.createIndex(withName: property, config: ValueIndexConfiguration([property]))
            }
            return try work(database)
        }
    }

    private static func lookUpByName(_ stage: Stage) throws -> Outcome {
        try withIndexes(stage) { database in
            let query = try compile("SELECT META().id FROM _ WHERE name = $name", in: database)
            var random = RandomSequence(seed: 7)
            var rows = 0
            let seconds = try timed {
                for _ in 0..<pointQueries {
                    let name = UserDocument.name(Int(random.next(below: UInt64(stage.documents))))
                    query.parameters = Parameters().setString(name, forName: "name")
                    for result in try query.execute() where result.textLength(0) > 0 { rows += 1 }
                }
            }
            try expect(rows, toBe: pointQueries, "rows")
            return Outcome(seconds: seconds)
        }
    }

    private static func floorLookUpByName(_ floor: FloorStage) throws -> Double {
        try floor.withIndex("name", on: "json_extract(doc,'$.name')") {
            var rows: Int32 = 0
            let seconds = floor_json_point(floor.file, Int32(floor.documents), Int32(pointQueries), &rows)
            try expect(Int(rows), toBe: pointQueries, "rows of the floor")
            return seconds
        }
    }

    private static func buildIndex(_ property: String, _ stage: Stage) throws -> Outcome {
        try stage.withCopyOfDocuments { database in
            let collection = try database.defaultCollection()
            let seconds = try timed {
                try collection.createIndex(withName: property, config: ValueIndexConfiguration([property]))
            }
            try expect(collection.indexes(), toBe: [property], "indexes")
            return Outcome(seconds: seconds)
        }
    }

    private static func floorBuildIndex(_ property: String, _ floor: FloorStage) -> Double {
        defer { floor_json_drop_index(floor.file, property) }
        return floor_json_create_index(floor.file, property, "json_extract(doc,'$.\(property)')")
    }
}

extension Result {
    fileprivate func textLength(_ column: Int) -> Int {
        string(at: column)?.utf8.count ?? 0
    }
}
