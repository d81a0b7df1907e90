import DocumentStore
import Foundation
import QueryEngine
import QueryLanguage
import SQLiteEngine
import TestSupport
import Testing

/// A database whose indexes were made in another state than the present one.
final class DependentDatabase {
    let directory: TemporaryDirectory
    var path: String { directory.path("db.cblite2") }

    init() throws { directory = try TemporaryDirectory() }

    func open(isReadOnly: Bool = false, zone: String = "UTC") throws -> QueryDatabase {
        let zone = try #require(TimeZone(identifier: zone))
        return try QueryDatabase(path: path, directory: directory, isReadOnly: isReadOnly, localZone: { zone })
    }

    /// Runs SQL on the file as another program does.
    func execute(_ sql: String) throws {
        let connection = try Connection(path: path + "/db.sqlite3", mode: .readWrite)
        defer { try? connection.close() }
        try connection.execute(sql)
    }

    /// Creates sixty documents, and an index on their names in another order than that of the Unicode collation in its definition.
    ///
    /// - Parameter condition: The condition of a partial index, in SQL++ and in SQL.
    func makeDisorderedIndex(where condition: (text: String, sql: String)? = nil) throws {
        let definition = IndexDefinition(name: "byName", text: "s COLLATE UNICODE", condition: condition?.text)
        let end = condition.map { " WHERE \($0.sql)" } ?? ""
        try make(definition, "kv_default (fl_value(body, 's') \(Self.otherOrder))\(end)")
    }

    /// The same with an index on the elements of an array, which are the names.
    func makeDisorderedArrayIndex() throws {
        let element = QueryExpression.collate(CollationOptions(isUnicode: true), operand: .property([]))
        let definition = IndexDefinition(name: "byName", kind: .array(path: "list"), expressions: [element])
        let table = IndexTables.hashedName("kv_default:unnest:list")
        try make(definition, "\"\(table)\" (fl_unnested_value(body) \(Self.otherOrder))")
    }

    /// The same with an index that has no entries, so that every change of a document misses one.
    func makeEmptyIndex(where condition: (text: String, sql: String)? = nil) throws {
        let definition = IndexDefinition(name: "byName", text: "s COLLATE UNICODE", condition: condition?.text)
        let end = condition.map { " WHERE \($0.sql) AND 0" } ?? " WHERE 0"
        try make(
            definition,
            "kv_default (fl_value(body, 's') \(Self.otherOrder))\(end)",
            removing: condition == nil ? " WHERE 0" : " AND 0"
        )
    }

    func makeEmptyArrayIndex() throws {
        let element = QueryExpression.collate(CollationOptions(isUnicode: true), operand: .property([]))
        let definition = IndexDefinition(name: "byName", kind: .array(path: "list"), expressions: [element])
        let table = IndexTables.hashedName("kv_default:unnest:list")
        try make(definition, "\"\(table)\" (fl_unnested_value(body) \(Self.otherOrder)) WHERE 0", removing: " WHERE 0")
    }

    private static let otherOrder = "COLLATE NOCASE DESC"

    /// - Parameter condition: What the statement of the index has only while the index is made.
    private func make(_ definition: IndexDefinition, _ sql: String, removing condition: String = "") throws {
        do {
            let database = try open()
            for n in 10..<70 { try database.save("d\(n)", #"{"s":"name \#(n)","list":["name \#(n)","x"],"n":\#(n)}"#) }
            try database.indexes.create(definition, on: database.collection())
            try database.file.transaction { writer in
                try writer.connection.execute("DROP INDEX \"byName\"; CREATE INDEX \"byName\" ON \(sql)")
            }
        }
        try execute(
            """
            PRAGMA writable_schema=ON;
            UPDATE sqlite_master SET sql = replace(replace(sql, '\(Self.otherOrder)', 'COLLATE LCUnicode____'), '\(condition)', '')
                WHERE name = 'byName';
            PRAGMA writable_schema=RESET;
            """
        )
    }

    func removeRecords() throws { try execute("DELETE FROM kv_info WHERE key GLOB 'CouchbaseLiteSwift.index*:*'") }

    func records() throws -> [String] {
        let connection = try Connection(path: path + "/db.sqlite3", mode: .readOnly)
        defer { try? connection.close() }
        return try connection.texts("SELECT key FROM kv_info WHERE key GLOB 'CouchbaseLiteSwift.index*:*' ORDER BY key")
    }

    func findings() throws -> [Finding] {
        var options = DatabaseFile.Options()
        options.localZone = { .gmt }
        options.supportQueries()
        return try BundleChecker.check(path, options: options).findings
    }
}
