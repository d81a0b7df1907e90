import DocumentStore
import Fleece
import Foundation
import QueryEngine
import QueryLanguage
import SQLiteEngine
import TestSupport

/// A database in a file for the engine, with the same documents as a model for the naive evaluator.
final class TestedDatabase {
    private let directory: TemporaryDirectory
    let file: DatabaseFile
    private(set) var indexed: IndexedCopies?
    private(set) var model = OracleDatabase()
    /// The queries for the documents of each collection.
    private var contents: [String: PreparedQuery] = [:]

    init(_ generator: inout DocumentGenerator) throws {
        directory = try TemporaryDirectory()
        var options = DatabaseFile.Options()
        options.supportQueries()
        file = try DatabaseRegistry.open(directory.path("db.cblite2"), options: options)
        model.isASCII = generator.isASCII
        let items = try CollectionID(name: "items", scope: "shop")
        for (id, name) in [(CollectionID.default, "_default"), (items, "shop.items")] {
            try fill(try file.createCollection(id), name, &generator)
        }
    }

    deinit {
        indexed?.close()
        try? DatabaseRegistry.close(file)
    }

    private func fill(_ collection: CollectionStore, _ name: String, _ generator: inout DocumentGenerator) throws {
        let count = Int.random(in: 0...8, using: &generator.random)
        var documents = (0..<count).map { index in
            OracleDocument(id: "d\(index)", sequence: Int64(index + 1), isDeleted: false, body: generator.body())
        }
        try file.transaction { writer in
            for document in documents {
                _ = try collection.save(DocumentSave(document.id, base: .latest), in: writer) { encoder in
                    encoder.write(.dictionary(document.body))
                    return false
                }
            }
        }
        for index in documents.indices where generator.chance(15) {
            try file.transaction { _ = try collection.delete(documents[index].id, base: .latest, in: $0) }
            documents[index].isDeleted = true
            documents[index].body = [:]
            documents[index].sequence = Int64((documents.map(\.sequence).max() ?? 0) + 1)
        }
        model.collections[name] = documents
    }

    /// Creates value indexes, which must not change the results, and returns their SQL.
    func addIndexes(_ generator: inout ExpressionGenerator) throws -> [String] {
        let collection = try file.createCollection(.default)
        let table = SourceTable(
            storeName: collection.tables.store,
            liveTable: collection.tables.liveName,
            deletedTable: collection.tables.tombstoneName,
            isDefault: true
        )
        var statements: [String] = []
        for number in 0..<generator.count(1...4) {
            var expressions = [generator.indexable()]
            if generator.chance(30) { expressions.append(generator.indexable()) }
            let condition =
                generator.chance(25) ? QueryExpression.operation(.less, [generator.indexable(), .integer(5)]) : nil
            let sql = try IndexCompiler.createValueIndex(name: "index\(number)", on: table, expressions: expressions, condition: condition)
            try file.transaction { try $0.connection.execute(sql) }
            statements.append(sql)
        }
        return statements
    }

    /// Creates copies with indexes that fit to the queries, which are asked too from now on.
    func addIndexedCopies(for queries: [GeneratedQuery], _ generator: inout ExpressionGenerator) throws -> [String] {
        let copies = try IndexedCopies(of: file, in: directory, for: queries, &generator)
        indexed = copies
        return copies.definitions
    }

    /// Runs a query with the engine, and returns the rows of the database and of each copy with indexes.
    func results(_ select: SelectStatement, _ values: [String: OracleValue]) throws -> [(name: String, rows: [[OracleValue]])] {
        var results = [(name: "", rows: try rows(select, values))]
        for copy in indexed?.copies ?? [] {
            let query = try PreparedQuery(select, on: copy.file, databaseName: "db")
            let parameters = try QueryParameters(values.filter { query.compiled.parameterNames.contains($0.key) })
            results.append((name: "with \(copy.name) indexes: ", rows: try query.run(on: copy.file, parameters: parameters).values))
        }
        return results
    }

    /// Runs a query with the engine, and returns the rows.
    func rows(_ select: SelectStatement, _ values: [String: OracleValue]) throws -> [[OracleValue]] {
        let query = try PreparedQuery(select, on: file, databaseName: "db")
        let parameters = try QueryParameters(values.filter { query.compiled.parameterNames.contains($0.key) })
        let rows = try query.run(on: file, parameters: parameters)
        if query.compiled.rangeTable != nil {
            var threshold = ParallelScan.Threshold()
            (threshold.pageCount, threshold.rowCount) = (0, 0)
            let divided = try PreparedQuery(select, on: file, databaseName: "db", scanThreshold: threshold)
            guard try divided.run(on: file, parameters: parameters).hasSameRows(as: rows) else { throw ScanDifference() }
        }
        return rows.values
    }

    /// The rows that several threads have read are not those of one thread.
    struct ScanDifference: Error {}

    // MARK: Statements

    /// Runs a statement with the engine, and returns the number of changes and the rows of RETURNING. The model gets the documents that
    /// the engine has afterwards.
    ///
    /// - Parameter isUndone: Whether the changes are rolled back after the model was read.
    func run(
        _ statement: DataStatement,
        _ values: [String: OracleValue],
        inBatch: Bool,
        isUndone: Bool = false
    ) throws -> Result<(count: Int, rows: [[OracleValue]]), any Error> {
        struct Undone: Error {}
        var result: Result<(count: Int, rows: [[OracleValue]]), any Error> = .failure(Undone())
        func run() throws {
            result = Result {
                let outcome = try statement.run(on: file, databaseName: "db", parameters: try QueryParameters(values))
                return (count: outcome.count, rows: outcome.rows.values)
            }
            for name in model.collections.keys { model.collections[name] = try documents(of: name) }
        }
        guard inBatch || isUndone else {
            try run()
            return result
        }
        do {
            try file.transaction { _ in
                try run()
                if isUndone { throw Undone() }
            }
        } catch is Undone {}
        return result
    }

    /// Replaces the documents of the model.
    func restore(_ model: OracleDatabase) { self.model = model }

    private func documents(of name: String) throws -> [OracleDocument] {
        let path = name == "_default" ? CollectionPath(name: "_") : CollectionPath(scope: "shop", name: "items")
        let select = SelectStatement(
            items: [.meta("id"), .meta("sequence"), .meta("deleted"), .property([])].map { SelectItem($0) },
            sources: [.collection(path)],
            ordering: [OrderingTerm(.meta("sequence"))]
        )
        let query = try contents[name] ?? PreparedQuery(select, on: file, databaseName: "db")
        contents[name] = query
        return try query.run(on: file).values.map { row in
            guard case .string(let id) = row[0], case .integer(let sequence) = row[1] else { throw Unspecified("a document without ID") }
            let isDeleted = row[2].truth == true
            guard !isDeleted, case .dictionary(let body) = row[3] else {
                return OracleDocument(id: id, sequence: sequence, isDeleted: isDeleted, body: [:])
            }
            return OracleDocument(id: id, sequence: sequence, isDeleted: false, body: body)
        }
    }
}

extension RecordedRows {
    /// The values of all rows.
    fileprivate var values: [[OracleValue]] {
        (0..<count).map { row in
            columnTitles.indices.map { column in value(row: row, column: column).map { OracleValue($0) } ?? .missing }
        }
    }
}

extension QueryParameters {
    /// Creates the parameters with values that are not MISSING.
    fileprivate init(_ values: [String: OracleValue]) throws {
        self.init()
        for (name, value) in values where !value.isMissing {
            var encoder = Encoder()
            encoder.write(value)
            self[name] = try encoder.finishedData()
        }
    }
}

extension ExpressionGenerator {
    /// Returns an expression that can be indexed.
    fileprivate mutating func indexable() -> QueryExpression {
        let own = path()
        indexedPaths.append(own)
        let path = QueryExpression.property(own)
        switch count(0...5) {
        case 0: return .function(name: pick(["lower", "length", "abs", "type"]), arguments: [path])
        case 1 where values.isASCII || chance(50):
            return .collate(CollationOptions(isUnicode: values.isASCII, isCaseSensitive: false), operand: path)
        default: return path
        }
    }
}

extension Encoder {
    mutating func write(_ value: OracleValue) {
        switch value {
        case .missing, .null: writeNull()
        case .boolean(let flag): write(flag)
        case .integer(let number): write(number)
        case .unsigned(let number): write(unsigned: number)
        case .double(let number): write(number)
        case .string(let text): write(text)
        case .array(let items):
            beginArray()
            for item in items { write(item) }
            endArray()
        case .dictionary(let entries):
            beginDictionary()
            for (key, value) in entries.sorted(by: { $0.key < $1.key }) {
                writeKey(key)
                write(value)
            }
            endDictionary()
        }
    }
}

extension OracleValue {
    init(_ value: Value) {
        switch value.type {
        case .null, .undefined: self = .null
        case .boolean: self = .boolean(value.boolean == true)
        case .number:
            if let bits = value.integerBits {
                self = value.isUnsigned && bits < 0 ? .unsigned(UInt64(bitPattern: bits)) : .integer(bits)
            } else {
                self = .double(value.double ?? .nan)
            }
        case .string, .data: self = .string(value.string ?? "")
        case .array:
            self = .array(value.array.map { array in (0..<array.count).compactMap { array[$0].map { OracleValue($0) } } } ?? [])
        case .dictionary:
            var entries: [String: OracleValue] = [:]
            value.dictionary?.forEach { key, value in entries[key.text(.empty) ?? ""] = OracleValue(value) }
            self = .dictionary(entries)
        }
    }
}
