import DocumentStore
import Foundation
import QueryEngine
import QueryLanguage
import Synchronization
import Testing

@Suite("Indexes on local times")
struct LocalTimeIndexTests {
    /// The first two documents are on one day in New York, and the last two in Tokyo.
    private static let query = "SELECT meta().id FROM _ WHERE str_to_millis(at) >= 1719820800000 ORDER BY str_to_millis(at)"
    private static let times = ["2024-07-01T08:00:00", "2024-07-01T12:00:00", "2024-07-01T20:00:00"]

    private func fill(_ database: QueryDatabase) throws {
        for (n, time) in Self.times.enumerated() { try database.save("\(n + 1)", #"{"at":"\#(time)"}"#) }
        try database.indexes.create(IndexDefinition(name: "byTime", text: "str_to_millis(at)"), on: database.collection())
    }

    @Test("an index made in another time zone is not used for reading, and is rebuilt when the file is opened for writing")
    func travel() throws {
        let files = try DependentDatabase()
        try fill(files.open(zone: "America/New_York"))
        #expect(try files.open(isReadOnly: true, zone: "America/New_York").plan(Self.query).contains("byTime"))
        do {
            let database = try files.open(isReadOnly: true, zone: "Asia/Tokyo")
            #expect(try database.rows(Self.query) == [#""3""#])
            #expect(try !database.plan(Self.query).contains("byTime"))
        }
        do {
            let database = try files.open(zone: "Asia/Tokyo")
            #expect(try database.plan(Self.query).contains("byTime"))
            #expect(try database.rows(Self.query) == [#""3""#])
            try database.save("1", #"{"x":1}"#)
            try database.delete("2")
        }
        #expect(try files.findings().map(\.severity) == [.warning])
        _ = try files.open()
        #expect(try files.findings() == [])
    }

    @Test("if the time zone changes while the file is open, the index is not used until the next change rebuilds it")
    func changeWhileOpen() throws {
        let files = try DependentDatabase()
        let current = ZoneBox(try #require(TimeZone(identifier: "America/New_York")))
        let database = try QueryDatabase(path: files.path, directory: files.directory, localZone: { current.zone })
        try fill(database)
        let query = try database.prepare(Self.query)
        #expect(try query.explain(on: database.file).contains("byTime") && query.run(on: database.file).count == 3)
        current.zone = try #require(TimeZone(identifier: "Asia/Tokyo"))
        #expect(try query.run(on: database.file).count == 1)
        #expect(try !query.explain(on: database.file).contains("byTime"))
        try database.save("4", #"{"at":"2024-07-01T20:00:00"}"#)
        #expect(try query.explain(on: database.file).contains("byTime") && query.run(on: database.file).count == 2)
        current.zone = .gmt
        try database.delete("1")
        try database.purge("4")
        #expect(try query.run(on: database.file).count == 2)
        #expect(try files.findings() == [])
    }

    @Test("two processes in different time zones never use indexes of each other")
    func twoOpenings() throws {
        let files = try DependentDatabase()
        let first = try files.open(zone: "America/New_York")
        try first.save("a", #"{"at":"2024-07-01T12:00:00"}"#)
        try first.indexes.create(IndexDefinition(name: "byTime", text: "str_to_millis(at)"), on: first.collection())
        let query = "SELECT meta().id FROM _ WHERE str_to_millis(at) >= 1719820800000"
        #expect(try first.rows(query).count == 1)
        // The record of a process in Tokyo, which has rebuilt the index.
        try files.execute(
            """
            UPDATE kv_info SET body = CAST(replace(CAST(body AS TEXT), 'America/New_York', 'Asia/Tokyo') AS BLOB)
            WHERE key = 'CouchbaseLiteSwift.indexes:default'
            """
        )
        #expect(try !first.plan(query).contains("byTime"))
        try first.save("b", #"{"at":"2024-07-01T12:00:00"}"#)
        #expect(try first.plan(query).contains("byTime") && first.rows(query).count == 2)
    }

    @Test("a statement that changes documents sees an index of the present zone")
    func statement() throws {
        let files = try DependentDatabase()
        let current = ZoneBox(try #require(TimeZone(identifier: "America/New_York")))
        let database = try QueryDatabase(path: files.path, directory: files.directory, localZone: { current.zone })
        try fill(database)
        current.zone = try #require(TimeZone(identifier: "Asia/Tokyo"))
        let text = "UPDATE _ SET late = TRUE WHERE str_to_millis(at) >= 1719820800000"
        let statement = try #require(try SQLPlusPlus.parseDataStatement(text))
        #expect(try statement.run(on: database.file, databaseName: "db").count == 1)
    }

    @Test(
        "every function that reads the local zone makes an index depend on it, and no other function of dates does",
        arguments: [
            ("str_to_millis(at)", true), ("str_to_utc(at)", true), ("str_to_tz(at, 60)", true), ("millis_to_str(n)", true),
            ("millis_to_utc(n)", false), ("millis_to_tz(n, 60)", false), ("date_diff_str(at, at, 'day')", false),
            ("date_diff_millis(n, n, 'day')", false), ("date_add_str(at, 1, 'day')", false), ("date_add_millis(n, 1, 'day')", false),
        ]
    )
    func functions(expression: String, depends: Bool) throws {
        func results(_ zone: String) throws -> [String] {
            let files = try DependentDatabase()
            let database = try files.open(zone: zone)
            for n in 0..<12 {
                try database.save(
                    "d\(n)",
                    #"{"at":"2024-\#(n + 10 > 12 ? "0\(n % 9 + 1)" : "\(n + 10)")-01T08:00:00","n":\#(n * 3_000_000_000)}"#
                )
            }
            try database.indexes.create(IndexDefinition(name: "i", text: expression), on: database.collection())
            #expect(try files.records().isEmpty != depends)
            return try database.rows("SELECT \(expression) FROM _ ORDER BY meta().id")
        }
        #expect(try (results("America/New_York") != results("Asia/Tokyo")) == depends)
    }
}

/// A time zone that tests change.
private final class ZoneBox: Sendable {
    private let state: Mutex<TimeZone>

    init(_ zone: TimeZone) { state = Mutex(zone) }

    var zone: TimeZone {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
