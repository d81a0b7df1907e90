import SQLiteEngine
import Testing

@Suite("Progress of statements")
struct ProgressTests {
    private struct Stop: Error {}
    private let connection: Connection
    private static let rows = 40_000

    init() throws {
        connection = try .inMemory()
        try connection.execute(
            """
            CREATE TABLE t (key TEXT PRIMARY KEY, n INTEGER, body TEXT);
            CREATE UNIQUE INDEX byNumber ON t (n);
            WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < \(Self.rows))
            INSERT INTO t SELECT 'key ' || x, x, 'some words of row ' || x FROM c;
            """
        )
    }

    @Test(
        "the estimated number of steps is about the one that is taken",
        arguments: [
            "CREATE INDEX byText ON t (lower(body), n)", "PRAGMA integrity_check",
            "INSERT INTO words (docid, body) SELECT rowid, lower(body) FROM t",
        ]
    )
    func estimate(statement: String) throws {
        try connection.execute("CREATE VIRTUAL TABLE words USING fts4(body)")
        let estimated = try StepEstimate.steps(of: statement, on: connection)
        var taken = 0
        try connection.reportingSteps {
            taken = $0
        } _: {
            _ = try connection.column(statement)
        }
        #expect(Double(estimated) / Double(taken) > 0.7 && Double(estimated) / Double(taken) < 1.4, "\(estimated) of \(taken)")
    }

    @Test("the estimated number of steps of a rewritten file is about the one that is taken")
    func vacuum() throws {
        let estimated = try StepEstimate.stepsOfVacuum(on: connection)
        var taken = 0
        try connection.reportingSteps {
            taken = $0
        } _: {
            try connection.execute("VACUUM")
        }
        #expect(Double(estimated) / Double(taken) > 0.7 && Double(estimated) / Double(taken) < 1.4, "\(estimated) of \(taken)")
    }

    @Test("an error of the report interrupts the statement, which changes nothing, and later statements run to their end")
    func interruption() throws {
        #expect(throws: Stop.self) {
            try connection.reportingSteps { _ in
                throw Stop()
            } _: {
                try connection.execute("UPDATE t SET n = -n")
            }
        }
        #expect(try connection.scalar("SELECT min(n) FROM t") == 1)
        try connection.execute("UPDATE t SET n = -n")
        #expect(try connection.scalar("SELECT min(n) FROM t") == Int64(-Self.rows))
    }

    @Test("after a limit for some statements, steps are reported")
    func limitedBefore() throws {
        try connection.withStepLimit(1_000_000) { _ = try connection.scalar("SELECT 1") }
        var reports = 0
        try connection.reportingSteps { _ in
            reports += 1
        } _: {
            try connection.execute("UPDATE t SET n = -n")
        }
        #expect(reports > 0)
    }

    @Test("nothing is reported on a connection whose steps are limited")
    func limited() throws {
        try connection.limitSteps(to: 100_000_000)
        var reports = 0
        try connection.reportingSteps { _ in
            reports += 1
        } _: {
            try connection.execute("UPDATE t SET n = -n")
        }
        #expect(reports == 0)
    }

    @Test("tables without rows and statements without loops have an estimate")
    func smallest() throws {
        try connection.execute("DELETE FROM t")
        #expect(try StepEstimate.steps(of: "PRAGMA integrity_check", on: connection) >= 1)
        #expect(try StepEstimate.steps(of: "SELECT 1", on: connection) == 1)
        #expect(throws: SQLiteError.self) { try StepEstimate.steps(of: "nonsense", on: connection) }
    }
}
