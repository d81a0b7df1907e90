import CouchbaseLiteSwift
import Foundation
import TestSupport
import TestTraits
import Testing

/// The product guide's own data set and results.
@Suite("Queries of the travel sample")
struct TravelSampleTests {
    let directory: TemporaryDirectory
    let database: Database

    init() throws {
        directory = try TemporaryDirectory()
        _ = try directory.copy(RealDatabase.url("travel-sample"))
        let config = DatabaseConfiguration()
        config.directory = directory.url.path
        database = try Database(name: "travel-sample", config: config)
    }

    static let highAirports = [
        "France Europe/Paris 138", "United Kingdom Europe/London 29", "United States America/Anchorage 50",
        "United States America/Chicago 279", "United States America/Denver 123", "United States America/Los_Angeles 89",
        "United States America/New_York 309", "United States America/Phoenix 41", "United States Asia/Chongqing 1",
        "United States Pacific/Honolulu 5",
    ]

    @Test("airports at or above 300 ft are counted by country and time zone with the query builder")
    func groupingByBuilder() throws {
        let query =
            QueryBuilder
            .select(SelectResult.expression(Function.count("*")), SelectResult.property("country"), SelectResult.property("tz"))
            .from(DataSource.database(database))
            .where(
                Expression.property("type").equalTo(Expression.string("airport"))
                    .and(Expression.property("geo.alt").greaterThanOrEqualTo(Expression.int(300)))
            )
            .groupBy(Expression.property("country"), Expression.property("tz"))
            .orderBy(Ordering.property("country").ascending(), Ordering.property("tz").ascending())
        var rows: [String] = []
        for row in try query.execute() {
            rows.append("\(row.string(forKey: "country") ?? "") \(row.string(forKey: "tz") ?? "") \(row.int(forKey: "$1"))")
        }
        #expect(rows == Self.highAirports)
    }

    @Test("airports at or above 300 ft are counted by country and time zone with SQL++")
    func groupingByText() throws {
        let query = try database.createQuery(
            """
            SELECT country, tz, count(*) AS n FROM _ WHERE type = 'airport' AND geo.alt >= 300
            GROUP BY country, tz ORDER BY country, tz
            """
        )
        let rows = try query.execute().map { row in
            "\(row.string(at: 0) ?? "") \(row.string(at: 1) ?? "") \(row.int(at: 2))"
        }
        #expect(rows == Self.highAirports)
    }

    @Test("SelectResult.all() returns all properties under the database's name")
    func selectAll() throws {
        let query = QueryBuilder.select(SelectResult.all()).from(DataSource.database(database))
            .where(Meta.id.equalTo(Expression.string("hotel_10025"))).limit(Expression.int(1))
        let row = try #require(try query.execute().next())
        #expect(row.keys == ["travel-sample"])
        #expect(row.dictionary(forKey: "travel-sample")?.string(forKey: "city") == "Medway")
    }
}
