import ConformanceSupport
import DocumentStore
import Fleece
import Foundation
import QueryEngine
import QueryLanguage
import SQLiteEngine
import TestSupport

/// A database in a fresh directory, with the SQL functions registered.
final class QueryDatabase {
    private let directory: TemporaryDirectory
    let file: DatabaseFile

    init(
        path: String? = nil,
        directory: TemporaryDirectory? = nil,
        isReadOnly: Bool = false,
        clock: (any SteadyClock)? = nil,
        localZone: (@Sendable () -> TimeZone)? = nil,
        worksInBackground: Bool = true
    ) throws {
        // Dates without a zone are local.
        setenv("TZ", "UTC", 1)
        let directory = try directory ?? TemporaryDirectory()
        self.directory = directory
        var options = DatabaseFile.Options()
        options.isReadOnly = isReadOnly
        if let clock { options.steadyClock = clock }
        if let localZone { options.localZone = localZone }
        options.worksInBackground = worksInBackground
        options.supportQueries()
        file = try DatabaseRegistry.open(path ?? directory.path("db.cblite2"), options: options)
    }

    deinit {
        try? DatabaseRegistry.close(file)
    }

    /// A second opening of the same file, with connections of its own.
    func reopenedForReading(clock: (any SteadyClock)? = nil) throws -> QueryDatabase {
        try QueryDatabase(path: file.bundle.directory, directory: directory, isReadOnly: true, clock: clock)
    }

    func collection(_ name: String = "_default._default") throws -> CollectionStore {
        let parts = name.split(separator: ".").map(String.init)
        let id =
            name == "_default._default"
            ? CollectionID.default
            : try CollectionID(name: parts[parts.count - 1], scope: parts.count > 1 ? parts[0] : "_default")
        return try file.createCollection(id)
    }

    /// Saves a document given as JSON.
    func save(_ id: String, _ json: String, in name: String = "_default._default") throws {
        let collection = try collection(name)
        try file.transaction { writer in
            _ = try collection.save(DocumentSave(id, base: .latest), in: writer) { encoder in
                try Array(json.utf8).withUnsafeBytes { try JSON.parse($0, into: &encoder) }
                return false
            }
        }
    }

    func delete(_ id: String, in name: String = "_default._default") throws {
        let collection = try collection(name)
        try file.transaction { _ = try collection.delete(id, base: .latest, in: $0) }
    }

    func purge(_ id: String, in name: String = "_default._default") throws {
        let collection = try collection(name)
        try file.transaction { _ = try collection.purge(id, in: $0) }
    }

    func prepare(_ text: String) throws -> PreparedQuery {
        try PreparedQuery(SQLPlusPlus.parse(text), on: file, databaseName: "db")
    }

    func prepare(json text: String) throws -> PreparedQuery {
        try PreparedQuery(QueryJSON.parse(text), on: file, databaseName: "db")
    }

    /// Every row as the JSON of an array; `-` stands for a MISSING column.
    func rows(_ text: String, _ parameters: QueryParameters = QueryParameters()) throws -> [String] {
        let rows = try prepare(text).run(on: file, parameters: parameters)
        return try (0..<rows.count).map { row in try rows.json(row) }
    }

    /// The one column of the one row.
    func value(_ expression: String, _ parameters: QueryParameters = QueryParameters()) throws -> String {
        try rows("SELECT \(expression) AS value FROM _ LIMIT 1", parameters).first ?? "no row"
    }

    var indexes: IndexRegistry { IndexRegistry(file) }
}

extension RecordedRows {
    func json(_ row: Int) throws -> String {
        let cells = try columnTitles.indices.map { column in
            try value(row: row, column: column).map { try JSON.string($0) } ?? "-"
        }
        return cells.joined(separator: " ")
    }
}

extension QueryParameters {
    /// The parameters from a JSON object.
    init(json: String) throws {
        self.init()
        try JSON.fleece(json).withRoot { root in
            for (name, value) in root.entries {
                var encoder = Encoder()
                encoder.write(value, keys: .same)
                self[name] = try encoder.finishedData()
            }
        }
    }
}

extension QueryDatabase {
    /// Forty documents; each number from 0 to 9 occurs in four of them.
    static func withNumbersAndWords() throws -> QueryDatabase {
        let database = try QueryDatabase()
        try database.file.transaction { _ in
            for n in 0..<40 {
                let type = n % 2 == 0 ? "even" : "odd"
                try database.save("d\(n)", #"{"n":\#(n % 10),"s":"Word \#(n)","type":"\#(type)"}"#)
            }
        }
        return database
    }

    /// SQLite's plan for a query.
    func plan(_ text: String) throws -> String {
        try prepare(text).explain(on: file).components(separatedBy: "\n\n")[1]
    }
}
