import Base
import ConformanceSupport
import Fleece
import Foundation
import QueryEngine
import TestSupport

/// The database with indexes of every kind that the original created, and the description of its contents.
struct OriginalIndexFile {
    /// One index of the database.
    struct Index: Sendable, CustomStringConvertible {
        /// The entry in the file of descriptions.
        let entry: FleeceData

        func text(_ key: String) -> String? { entry.withRoot { $0[key]?.string } ?? nil }

        func flag(_ key: String) -> Bool { entry.withRoot { $0[key]?.boolean ?? false } ?? false }

        var name: String { text("name") ?? "" }
        var description: String { name }
        /// `value`, `array` or `fts`.
        var type: String { text("type") ?? "" }
        var collection: String { text("collection") ?? "" }
        var sql: String { text("sql") ?? "" }

        /// The table name in the registry.
        var table: String? { entry.withRoot { $0["registry"]?["indexTableName"]?.string } ?? nil }
        /// The name of the SQL index, or the table of a full-text index.
        var objectName: String { type == "fts" ? table ?? name : name }

        /// The definition of the index in an app.
        var definition: IndexDefinition {
            let kind: IndexDefinition.Kind =
                switch type {
                case "array": .array(path: text("path") ?? "")
                case "fts":
                    .fullText(
                        FullTextIndexOptions(
                            language: text("stemmer"),
                            ignoresAccents: flag("ignoreAccents"),
                            disablesStemming: flag("noStem"),
                            stopWords: text("stopWords")
                        )
                    )
                default: .value
                }
            let (expression, condition) = (text("expression") ?? "", text("where"))
            return IndexDefinition(
                name: name,
                kind: kind,
                source: text("language") == "json"
                    ? .json(expression, condition: condition) : .text(expressions: expression, condition: condition)
            )
        }

        /// The entries of the index in its order: the document, the numbers of the items in an array index, and the columns as SQL
        /// literals, all as texts.
        var keys: [[String]] {
            let found = entry.withRoot { root in
                (root["keys"]?.items ?? []).map { row in
                    row.items.map { $0.string ?? $0.int64.map { String($0) } ?? "?" }
                }
            }
            return found ?? []
        }

        /// The terms of a full-text index, each with its documents and the columns there.
        var terms: [ExactString: [String: [Int]]] {
            let found = entry.withRoot { root in
                (root["terms"]?.entries ?? []).map { term, documents in
                    (term, documents.entries.map { ($0, $1.items.compactMap { $0.int64.map { Int($0) } }) })
                }
            }
            return Dictionary(uniqueKeysWithValues: (found ?? []).map { (ExactString($0), Dictionary(uniqueKeysWithValues: $1)) })
        }
    }

    /// One query with its rows.
    struct Query: Sendable, CustomStringConvertible {
        let entry: FleeceData

        var description: String {
            entry.withRoot { $0["query"]?.string ?? $0["query"].flatMap { try? JSON.string($0) } ?? "" } ?? ""
        }
    }

    static let name = "v3.2-indexes"

    private static let descriptions = Fixtures.directory.appendingPathComponent("databases/\(name).json")

    static let indexes: [Index] = entries("indexes").map { Index(entry: $0) }
    static let queries: [Query] = entries("queries").map { Query(entry: $0) }

    private static func entries(_ key: String) -> [FleeceData] {
        guard let bytes = try? Data(contentsOf: descriptions),
            let all = try? bytes.withUnsafeBytes({ try JSON.fleece($0) })
        else { return [] }
        let found = all.withRoot { root in
            (root[key]?.items ?? []).compactMap { item -> FleeceData? in
                var encoder = Encoder()
                encoder.write(item, keys: .same)
                return try? encoder.finishedData()
            }
        }
        return found ?? []
    }

    /// The position in SQL, with respect to parentheses and quotation marks.
    private struct Nesting {
        var depth = 0
        private var quote: Character?

        init(depth: Int = 0) {
            self.depth = depth
        }

        var isOutside: Bool { depth == 0 && quote == nil }

        mutating func pass(_ character: Character) {
            switch (quote, character) {
            case (let open?, _): if character == open { quote = nil }
            case (nil, "'"), (nil, "\""): quote = character
            case (nil, "("): depth += 1
            case (nil, ")"): depth -= 1
            default: break
            }
        }
    }

    /// The parts of a list in SQL, which commas in parentheses and quotation marks do not separate.
    static func parts(ofList list: Substring) -> [String] {
        var parts = [""]
        var nesting = Nesting()
        for character in list {
            nesting.pass(character)
            if character == ",", nesting.isOutside {
                parts.append("")
            } else {
                parts[parts.count - 1].append(character)
            }
        }
        return parts.map { $0.trimmingCharacters(in: .whitespaces) }
    }

    /// The table, the columns and the condition in the statement of an SQL index.
    static func parse(_ sql: String) -> (table: String, columns: [String], condition: String)? {
        guard let on = sql.firstRange(of: " ON "), let open = sql[on.upperBound...].firstRange(of: " (") else { return nil }
        var nesting = Nesting(depth: 1)
        var end = open.upperBound
        while end < sql.endIndex, nesting.depth > 0 {
            nesting.pass(sql[end])
            end = sql.index(after: end)
        }
        let list = sql[open.upperBound..<sql.index(before: end)]
        return (String(sql[on.upperBound..<open.lowerBound]), parts(ofList: list), String(sql[end...]))
    }
}
