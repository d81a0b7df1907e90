import ExactStrings
import Fleece
import Foundation
import SQLiteEngine

/// The indexes in the schema of a file whose content depends on more than the documents, by collection.
struct DependentIndexes {
    struct Index {
        /// The name of the SQL index, or of the table of the full-text index.
        let name: String
        /// The table on which the SQL index is; `nil` for a full-text index.
        let table: String?
        /// What the content depends on, sorted; see ``IndexDependencies/names``.
        var dependencies: [String]
    }

    /// The indexes of one collection, sorted by name.
    struct Group {
        let store: String
        fileprivate(set) var indexes: [Index]

        /// What a record contains if these indexes are current: their names, each with the state of what it depends on, as JSON.
        func record(_ knowledge: IndexDependencies, _ zone: TimeZone) -> [UInt8] {
            let states = indexes.map { [$0.name, knowledge.state($0.dependencies, zone)] }
            let encoder = JSONEncoder()
            encoder.outputFormatting = .withoutEscapingSlashes
            // Texts can always be encoded.
            return (try? encoder.encode(states)).map { Array($0) } ?? []
        }
    }

    private(set) var groups: [Group] = []
    /// Whether an index depends on the local time zone.
    private(set) var useLocalTime = false

    /// Reads the schema.
    init(_ knowledge: IndexDependencies, on connection: Connection) throws {
        let marks = knowledge.marks.map { "instr(sql, \($0.quotedLiteral))" }.joined(separator: " OR ")
        let statement = try connection.prepare(
            "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE type IN ('index', 'trigger') AND (\(marks)) ORDER BY name, type"
        )
        defer { statement.finalize() }
        while try statement.step() {
            let dependencies = knowledge.names(statement.text(at: 3))
            guard !dependencies.isEmpty else { continue }
            let (name, table) = (statement.text(at: 1), statement.text(at: 2))
            if statement.text(at: 0) == "index" {
                guard let store = try Self.store(ofTable: table, on: connection) else { continue }
                add(Index(name: name, table: table, dependencies: dependencies), of: store)
            } else if let mark = name.ranges(of: "::").last, let store = StoreName.store(ofTable: table) {
                let index = String(name[..<mark.lowerBound])
                if IndexTables.isIndexTable(index) { add(Index(name: index, table: nil, dependencies: dependencies), of: store) }
            }
        }
    }

    private mutating func add(_ index: Index, of store: String) {
        if index.dependencies.contains(IndexDependencies.localTime) { useLocalTime = true }
        guard let group = groups.firstIndex(where: { $0.store.isExactly(store) }) else {
            groups.append(Group(store: store, indexes: [index]))
            return
        }
        // A full-text index has several triggers.
        if let known = groups[group].indexes.firstIndex(where: { $0.name.isExactly(index.name) }) {
            let all = Set(groups[group].indexes[known].dependencies + index.dependencies)
            groups[group].indexes[known].dependencies = all.sorted()
        } else {
            groups[group].indexes.append(index)
        }
    }

    func group(of store: String) -> Group? { groups.first { $0.store.isExactly(store) } }

    /// Returns the store of a table of documents, or of a table of array elements, which a trigger on its parent fills; `nil` for any other.
    static func store(ofTable table: String, on connection: Connection) throws -> String? {
        var name = table
        for _ in 0..<Limits.maximumDepth {
            if let store = StoreName.store(ofTable: name) { return store }
            let parent = try connection.texts(
                "SELECT tbl_name FROM sqlite_master WHERE type = 'trigger' AND name = ?",
                name + "::ins"
            ).first
            guard let parent else { return nil }
            name = parent
        }
        return nil
    }
}
