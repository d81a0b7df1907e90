import Base
import DocumentStore
import SQLiteEngine
import VectorSearch

/// A vector index of the original's extension, whose format is not known (Vector search 10.1). The file contains its definition: a row in the
/// table of indexes, and the statement that created its virtual table.
struct OriginalVectorIndex {
    /// The name of the virtual table.
    let table: String
    /// The arguments of the module, which are the options of the index.
    let arguments: String

    /// Returns the tables of a file, sorted by name. Takes one look at the schema.
    static func all(on connection: Connection) throws -> [OriginalVectorIndex] {
        let statement = try connection.cachedStatement(
            "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND ifnull(rootpage, 0) = 0 AND instr(name, ':vector:') ORDER BY name"
        )
        defer { statement.reset() }
        var found: [OriginalVectorIndex] = []
        while try statement.step() {
            let table = statement.text(at: 0)
            // Tables of other names do not belong to the format.
            guard VectorIndexTables(registered: table) != nil, let creation = OriginalTableStatement(statement.text(at: 1)),
                creation.table.isExactly(table)
            else { continue }
            found.append(OriginalVectorIndex(table: table, arguments: creation.arguments))
        }
        return found
    }

    // MARK: Options

    /// The options, and what of them this library does in another way, as a warning. The options are `nil` if this library has no such index.
    var options: (options: VectorIndexOptions?, difference: String?) {
        var difference: String?
        let parts = arguments.splitExactly(at: ",").map { part -> String in
            // The names of the metrics that no Swift API of the original has.
            for (similarity, distance) in [("cosine_similarity", "cosine"), ("dot_product_similarity", "dot")]
            where part.isExactly("metric=\(similarity)") {
                difference = "its metric \(similarity) is replaced by \(distance)"
                return "metric=\(distance)"
            }
            if part.beginsExactly(with: "clustering=multi") { difference = "its buckets are found in another way" }
            return part
        }
        return (VectorIndexOptions(text: parts.joined(separator: ",")), difference)
    }

    // MARK: Registry

    /// Returns the row in the original's table of indexes; `nil` if there is none.
    func registeredRow(on connection: Connection) throws -> (storedName: String, store: String, expression: String)? {
        guard try RegistryTable.exists(on: connection) else { return nil }
        let statement = try connection.prepare(
            "SELECT name, keyStore, expression FROM indexes WHERE type = 4 AND indexTableName = ? ORDER BY name LIMIT 1"
        )
        defer { statement.finalize() }
        try statement.bindText(table, at: 1)
        guard try statement.step() else { return nil }
        return (statement.text(at: 0), statement.text(at: 1), statement.text(at: 2))
    }

    /// Returns the index as one of this library.
    ///
    /// - Parameter isForeign: Whether the entry stands for the original's index.
    func entry(on connection: Connection, isForeign: Bool) throws -> VectorIndexEntry? {
        guard let row = try registeredRow(on: connection), let collection = CollectionID(storeName: row.store),
            let options = options.options,
            let named = VectorIndexTables(registered: table), StoreName.store(ofTable: named.documents)?.isExactly(row.store) ?? false
        else { return nil }
        let name = RegistryTable.plainName(row.storedName, in: collection)
        return VectorIndexEntry(
            name: name,
            store: row.store,
            storedExpression: row.expression,
            options: options,
            tables: isForeign ? named : VectorIndexTables(indexNamed: name, ofTable: named.documents),
            generation: 0,
            doneSequence: 0,
            isForeign: isForeign
        )
    }

    /// Returns the indexes of the original that have not been taken over yet.
    static func entries(on connection: Connection) throws -> [VectorIndexEntry] {
        try all(on: connection).compactMap { try $0.entry(on: connection, isForeign: true) }
    }

    /// Adds the options of vector indexes of the original to what the registry says about them.
    static func described(_ rows: [IndexInfo], _ connection: Connection) throws -> [IndexInfo] {
        guard rows.contains(where: { $0.kind == .vector }) else { return rows }
        let tables = try all(on: connection)
        return rows.map { row in
            guard row.kind == .vector, let table = tables.first(where: { $0.table.isExactly(row.table) }) else { return row }
            var row = row
            row.vectorOptions = table.options.options
            return row
        }
    }

    // MARK: Removing

    /// Returns the tables that the extension has made for each of several indexes. Their names are that of the virtual table, an underscore and
    /// another word.
    ///
    /// - Complexity: O(*n*), where *n* is the number of tables of the file.
    static func parts(of indexes: [OriginalVectorIndex], on connection: Connection) throws -> [ExactString: [String]] {
        let owners = Set(exactly: indexes.map(\.table))
        let lengths = Set(indexes.map(\.table.utf8.count))
        var parts: [ExactString: [String]] = [:]
        let names = try connection.texts(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0 AND instr(name, ':vector:') ORDER BY name"
        )
        for name in names {
            let bytes = Array(name.utf8)
            // The name of an index may begin with that of another one.
            for end in lengths.sorted(by: >) where end < bytes.count && bytes[end] == UInt8(ascii: "_") {
                let owner = ExactString(String(decoding: bytes[..<end], as: UTF8.self))
                guard owners.contains(owner) else { continue }
                // Tables of this library have a colon there.
                if !bytes[end...].contains(UInt8(ascii: ":")) { parts[owner, default: []].append(name) }
                break
            }
        }
        return parts
    }

    /// Drops the table with its triggers, and its row in the table of indexes. The extension must be replaced by a module that can only drop.
    ///
    /// - Parameter parts: The tables that the extension has made for it, which are dropped too.
    func drop(_ parts: [String], on connection: Connection) throws {
        try IndexTables.drop(table, on: connection)
        for part in parts { try IndexTables.drop(part, on: connection) }
        guard try RegistryTable.exists(on: connection) else { return }
        let row = try connection.prepare("DELETE FROM indexes WHERE type = 4 AND indexTableName = ?")
        defer { row.finalize() }
        try row.bindText(table, at: 1)
        try row.run()
    }
}
