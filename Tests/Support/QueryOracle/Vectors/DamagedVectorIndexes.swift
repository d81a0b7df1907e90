import DocumentStore
import Fleece
import Foundation
import QueryEngine
import QueryLanguage
import SQLiteEngine
import TestSupport
import VectorSearch

/// Changes the tables of vector indexes at random, and checks that searches, changes of documents and checks fail with errors at most, and that the
/// index is right after it was rebuilt (Vector search T-14).
package struct DamagedVectorIndexes {
    package struct Outcome: Sendable {
        /// The number of damaged files.
        package var files = 0
        /// The number of operations that have thrown an error.
        package var errors = 0
        /// Descriptions of the first failures.
        package var failures: [String] = []
    }

    /// A kind of index, from which damaged copies are made.
    private struct Template {
        let name: String
        let options: VectorIndexOptions
        let path: String
        let count: Int
    }

    private static let dimensions = 6
    private static let table = "kv_default:vector:near"

    private let directory: TemporaryDirectory
    private var templates: [Template] = []
    private var random: SeededGenerator
    private var outcome = Outcome()

    /// The number of files after which each column was damaged.
    package static var columnCount: Int { columns.count }

    /// Examines `count` damaged files.
    package static func run(count: Int, seed: UInt64, maximumFailures: Int = 5) throws -> Outcome {
        var run = try DamagedVectorIndexes(seed: seed)
        for number in 0..<count where run.outcome.failures.count < maximumFailures {
            try run.examine(number, "seed \(seed), file \(number)")
        }
        return run.outcome
    }

    private init(seed: UInt64) throws {
        directory = try TemporaryDirectory(inMemory: true)
        random = SeededGenerator(seed: seed)
        var untrained = VectorIndexOptions(dimensions: Self.dimensions, centroids: 2)
        untrained.minimumTraining = 1000
        var lazy = VectorIndexOptions(dimensions: Self.dimensions, centroids: 2, encoding: .none)
        lazy.isLazy = true
        let kinds: [(String, VectorIndexOptions, Int)] = [
            ("untrained", untrained, 100),
            ("SQ8", VectorIndexOptions(dimensions: Self.dimensions, centroids: 3), 200),
            ("SQ6", VectorIndexOptions(dimensions: Self.dimensions, centroids: 2, metric: .cosine, encoding: .scalar(bits: 6)), 150),
            (
                "PQ",
                VectorIndexOptions(
                    dimensions: Self.dimensions,
                    centroids: 2,
                    metric: .dot,
                    encoding: .product(subquantizers: 3, bits: 4)
                ), 420
            ), ("lazy", lazy, 100),
        ]
        for (name, options, count) in kinds {
            templates.append(Template(name: name, options: options, path: try make(name, options, count), count: count))
        }
    }

    // MARK: Files

    private func open(_ path: String) throws -> DatabaseFile {
        var options = DatabaseFile.Options()
        options.supportQueries()
        options.worksInBackground = false
        // Statements on damaged tables must end.
        options.maximumSteps = 50_000_000
        return try DatabaseRegistry.open(path, options: options)
    }

    private func make(_ name: String, _ options: VectorIndexOptions, _ count: Int) throws -> String {
        let path = directory.path("\(name).cblite2")
        let file = try open(path)
        let collection = try file.createCollection(.default)
        var numbers = SeededGenerator(seed: 1)
        try file.transaction { _ in
            for number in 0..<count { try save("d\(number)", number, on: collection, &numbers) }
        }
        try IndexRegistry(file).create(IndexDefinition(name: "near", kind: .vector(options), text: "v"), on: collection)
        if options.isLazy, let update = try VectorUpdate.begin("near", on: collection, limit: count / 2) {
            let results = (0..<update.count).map { number in
                VectorUpdate.Result.vector(Array(repeating: Float(number), count: Self.dimensions))
            }
            try update.finish(results, on: collection)
        }
        // Some dead places, and some vectors outside of cells.
        for number in 0..<10 { try save("d\(number * 3)", number, on: collection, &numbers) }
        try DatabaseRegistry.close(file)
        return path
    }

    private func save(_ id: String, _ number: Int, on collection: CollectionStore, _ random: inout SeededGenerator) throws {
        let vector = (0..<Self.dimensions).map { _ in "\(Int.random(in: 0..<100, using: &random))" }.joined(separator: ",")
        let json = #"{"n":\#(number),"v":[\#(vector)]}"#
        try collection.databaseFile.transaction { writer in
            _ = try collection.save(DocumentSave(id, base: .latest), in: writer) { encoder in
                try Array(json.utf8).withUnsafeBytes { try JSON.parse($0, into: &encoder) }
                return false
            }
        }
    }

    // MARK: Damage

    /// The tables of an index with their columns, those with much content more than once. The table without a name is the registry.
    private static let columns = [
        ("rows", "docid"), ("rows", "state"), ("rows", "bucket"), ("rows", "cell"), ("rows", "slot"), ("rows", "code"),
        ("rows", "sequence"),
        ("dead", "cell"), ("dead", "slot"), ("cells", "id"), ("cells", "bucket"), ("cells", "count"), ("cells", "data"), ("cells", "data"),
        ("cells", "data"), ("model", "part"), ("model", "data"), ("model", "data"), ("", "options"), ("", "expression"),
        ("", "generation"), ("", "doneSequence"), ("", "format"), ("", "tableName"), ("", "keyStore"), ("", "name"),
    ]

    /// Returns a statement that changes a value of a column, or some rows of its table.
    private mutating func damage(of place: (part: String, column: String)) -> String {
        let (part, column) = place
        let table = part.isEmpty ? "vector_indexes" : "\"\(Self.table):\(part)\""
        let row = Int.random(in: 0..<1000, using: &random)
        let target =
            "rowid = (SELECT rowid FROM \(table) ORDER BY rowid LIMIT 1 OFFSET \(row) % max(1, (SELECT count(*) FROM \(table))))"
        switch Int.random(in: 0..<14, using: &random) {
        case 0: return part.isEmpty || part == "dead" ? "DELETE FROM \(table)" : "DELETE FROM \(table) WHERE \(target)"
        case 1: return "DELETE FROM \(table)"
        case 2 where part == "cells": return "INSERT INTO \(table) (bucket, count, data) SELECT bucket, count, data FROM \(table) LIMIT 3"
        case 3 where part == "model": return "INSERT INTO \(table) (data) SELECT data FROM \(table)"
        case 4 where part == "dead":
            return "INSERT OR IGNORE INTO \(table) VALUES (\(number()), \(number()))"
        default: return "UPDATE OR IGNORE \(table) SET \(column) = \(value(of: column)) \(part == "dead" ? "" : "WHERE \(target)")"
        }
    }

    private mutating func number() -> String {
        let numbers: [Int64] = [0, 1, 2, 3, -1, -2, 63, 64, 65, 255, 65_536, 1 << 31, 1 << 32, .max, .min, .max - 1]
        return "\(numbers.randomElement(using: &random) ?? 0)"
    }

    private mutating func value(of column: String) -> String {
        switch Int.random(in: 0..<10, using: &random) {
        case 0: return "NULL"
        case 1: return "'text'"
        case 2: return "1e308"
        case 3: return "zeroblob(\(Int.random(in: 0..<100_000, using: &random)))"
        case 4:
            let count = [4, 24, 100, 640, 2000].randomElement(using: &random) ?? 4
            let bytes = (0..<count).map { _ in String(format: "%02x", Int.random(in: 0..<256, using: &random)) }.joined()
            return "x'\(bytes)'"
        case 5: return "substr(\(column), 1, \(Int.random(in: 0..<200, using: &random)))"
        case 6: return "CAST(\(column) || \(column) AS BLOB)"
        case 7,
            8 where column == "data" || column == "code":
            // One byte, most often in the head or at the beginning of the numbers.
            let place = Int.random(in: 1...([8, 40, 600].randomElement(using: &random) ?? 8), using: &random)
            let byte = String(format: "%02x", [0, 1, 0x7F, 0x80, 0xFF, 0xC0].randomElement(using: &random) ?? 0)
            return "CAST(substr(\(column), 1, \(place - 1)) || x'\(byte)' || substr(\(column), \(place + 1)) AS BLOB)"
        case 8 where column == "options":
            let texts = [
                "dimensions=4096,centroids=64000", "dimensions=6,clustering=flat64000,encoding=PQ3x12", "dimensions=2,centroids=1",
                "dimensions=6,clustering=flat2,encoding=none,lazyembedding=true", "dimensions=6,clustering=flat2,minToTrain=1",
            ]
            return "'\(texts.randomElement(using: &random) ?? "")'"
        case 9 where column == "expression":
            return "'\(["=nn", "=nv[0]", "=n)(", "=j[[\".n\"]]", "=nupper(v)", "v"].randomElement(using: &random) ?? "")'"
        default: return number()
        }
    }

    // MARK: Checks

    private mutating func examine(_ number: Int, _ hint: String) throws {
        let template = templates[number % templates.count]
        let path = directory.path("damaged.cblite2")
        try? FileManager.default.removeItem(atPath: path)
        try FileManager.default.copyItem(atPath: template.path, toPath: path)
        let connection = try Connection(path: path + "/db.sqlite3", mode: .readWrite)
        // The first place is not random, so that few files are enough for all columns.
        var statements = [damage(of: Self.columns[number % Self.columns.count])]
        for _ in 0..<Int.random(in: 0...2, using: &random) {
            statements.append(damage(of: Self.columns.randomElement(using: &random) ?? Self.columns[0]))
        }
        // Constraints refuse some of them.
        for statement in statements { try? connection.execute(statement) }
        try connection.close()
        outcome.files += 1
        do {
            let file = try open(path)
            defer { try? DatabaseRegistry.close(file) }
            try use(file, template)
        } catch {
            outcome.failures.append("\(hint), \(template.name): \(statements): \(error)")
        }
    }

    /// Runs an operation, which may throw an error of the known types.
    private mutating func attempt(_ operation: () throws -> Void) throws {
        do {
            try operation()
        } catch let error where error is SQLiteError || error is QueryError || error is StoreError || error is VectorIndexDamage {
            outcome.errors += 1
        }
    }

    private mutating func use(_ file: DatabaseFile, _ template: Template) throws {
        let collection = try file.createCollection(.default)
        let target = "[1,2,3,4,5,6]"
        let queries = [
            "SELECT n FROM _ ORDER BY APPROX_VECTOR_DISTANCE(v, \(target)) LIMIT 10",
            "SELECT n FROM _ WHERE n > 10 AND APPROX_VECTOR_DISTANCE(v, \(target)) >= 0 LIMIT 10",
            "SELECT n FROM _ ORDER BY APPROX_VECTOR_DISTANCE(v, \(target), NULL, 1) LIMIT 10000",
        ]
        func search() throws {
            for query in queries {
                try attempt { _ = try PreparedQuery(SQLPlusPlus.parse(query), on: file, databaseName: "db").run(on: file) }
            }
        }
        try search()
        try attempt { _ = try IndexRegistry(file).vectorState(of: "near", on: collection) }
        _ = try BundleChecker(file).findings()
        try attempt { _ = try VectorUpdate.begin("near", on: collection, limit: 5) }
        // A damaged index never keeps documents from being saved.
        var numbers = random
        for id in ["d3", "d4", "new"] { try save(id, 1, on: collection, &numbers) }
        try collection.databaseFile.transaction { _ = try collection.purge("d7", in: $0) }
        try search()
        try attempt {
            guard let update = try VectorUpdate.begin("near", on: collection, limit: 5) else { return }
            try update.finish((0..<update.count).map { _ in .vector(Array(repeating: 1, count: update.dimensions)) }, on: collection)
        }
        try IndexRegistry(file).rebuild()
        try checkRebuilt(file, collection, template)
    }

    /// Checks that an index whose definition is as it was contains the documents, after it was rebuilt.
    private func checkRebuilt(_ file: DatabaseFile, _ collection: CollectionStore, _ template: Template) throws {
        let indexes = try IndexRegistry(file).indexes(of: collection)
        guard let index = indexes.first(where: { $0.name == "near" }), index.vectorOptions == template.options, index.expressions == "v"
        else { return }
        let findings = try BundleChecker(file).findings()
        guard findings.isEmpty else { throw Wrong(description: "\(findings)") }
        guard !template.options.isLazy else { return }
        let query = "SELECT n FROM _ WHERE n >= 0 AND APPROX_VECTOR_DISTANCE(v, [1,2,3,4,5,6]) IS VALUED"
        let count = try PreparedQuery(SQLPlusPlus.parse(query), on: file, databaseName: "db").run(on: file).count
        guard count == template.count else { throw Wrong(description: "it has \(count) instead of \(template.count) documents") }
    }

    private struct Wrong: Error, CustomStringConvertible {
        let description: String
    }
}
