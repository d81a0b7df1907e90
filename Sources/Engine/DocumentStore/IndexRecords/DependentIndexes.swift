import Base
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
    /// The positions in ``groups``, by store.
    private var positions: [ExactString: Int] = [:]

    /// Reads the schema.
    init(_ knowledge: IndexDependencies, on connection: Connection) throws {
        let marks = knowledge.marks.map { "instr(sql, \($0.quotedLiteral))" }.joined(separator: " OR ")
        let statement = try connection.prepare(
            "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE type IN ('index', 'trigger') AND (\(marks)) ORDER BY name, type"
        )
        defer { statement.finalize() }
        var owners: TableOwners?
        // A full-text index has several triggers.
        var fullText: [ExactString: (group: Int, index: Int)] = [:]
        while try statement.step() {
            let dependencies = knowledge.names(statement.text(at: 3))
            guard !dependencies.isEmpty else { continue }
            let (name, table) = (statement.text(at: 1), statement.text(at: 2))
            if statement.text(at: 0) == "index" {
                let known = try owners ?? TableOwners(on: connection)
                owners = known
                guard let store = known.store(of: table) else { continue }
                _ = add(Index(name: name, table: table, dependencies: dependencies), of: store)
            } else if let mark = name.ranges(of: "::").last, let store = StoreName.store(ofTable: table) {
                let index = String(name[..<mark.lowerBound])
                guard IndexTables.isIndexTable(index) else { continue }
                if let place = fullText[ExactString(index)] {
                    let all = Set(groups[place.group].indexes[place.index].dependencies + dependencies)
                    groups[place.group].indexes[place.index].dependencies = all.sorted()
                    useLocalTime = useLocalTime || all.contains(IndexDependencies.localTime)
                } else {
                    fullText[ExactString(index)] = add(Index(name: index, table: nil, dependencies: dependencies), of: store)
                }
            }
        }
    }

    private mutating func add(_ index: Index, of store: String) -> (group: Int, index: Int) {
        if index.dependencies.contains(IndexDependencies.localTime) { useLocalTime = true }
        let group = positions[ExactString(store)] ?? groups.count
        if group == groups.count {
            groups.append(Group(store: store, indexes: []))
            positions[ExactString(store)] = group
        }
        groups[group].indexes.append(index)
        return (group, groups[group].indexes.count - 1)
    }

    func hasGroup(of store: String) -> Bool { positions[ExactString(store)] != nil }
}

/// Finds the collections to which the tables of indexes belong.
struct TableOwners {
    /// The tables whose triggers fill tables of array elements, by the names of the triggers.
    private var parents: [ExactString: String] = [:]

    init(on connection: Connection) throws {
        let statement = try connection.prepare("SELECT name, tbl_name FROM sqlite_master WHERE type = 'trigger' AND name GLOB '*::ins'")
        defer { statement.finalize() }
        while try statement.step() { parents[ExactString(statement.text(at: 0))] = statement.text(at: 1) }
    }

    /// Returns the store of a table of documents, or of a table of array elements; `nil` for any other.
    func store(of table: String) -> String? {
        var name = table
        // The triggers of an untrusted file may be a circle.
        for _ in 0..<Limits.maximumDepth {
            if let store = StoreName.store(ofTable: name) { return store }
            guard let parent = parents[ExactString(name + "::ins")] else { return nil }
            name = parent
        }
        return nil
    }
}
