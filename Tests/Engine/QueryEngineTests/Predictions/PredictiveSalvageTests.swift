import DocumentStore
import Fleece
import Foundation
import QueryEngine
import QueryLanguage
import SQLiteEngine
import TestSupport
import Testing
import VectorSearch

/// Salvage and repair of databases with predictive indexes and with vector indexes of predictions, which need a model of the app to be filled.
@Suite("Salvage of predictive indexes")
struct PredictiveSalvageTests {
    private let directory: TemporaryDirectory
    private let model = TestModel { input, _ in
        guard let n = input.dictionary?.value(for: "n", sharedKeys: .empty)?.int64 else { return nil }
        return #"{"v":[\#(n),0],"twice":\#(2 * n)}"#
    }

    init() throws {
        directory = try TemporaryDirectory()
        try withDatabase(path) { database in
            try database.file.transaction { _ in
                for n in 0..<30 { try database.save("d\(n)", #"{"n":\#(n)}"#) }
            }
            try createIndexes(database)
        }
    }

    private var path: String { directory.path("db.cblite2") }
    private var call: String { "PREDICTION(\(model.name), {'n': n})" }

    private var options: DatabaseFile.Options {
        var options = DatabaseFile.Options()
        options.supportQueries()
        return options
    }

    private func withDatabase(_ path: String, _ body: (QueryDatabase) throws -> Void) throws {
        let database = try QueryDatabase(path: path, directory: directory)
        try withExtendedLifetime(database) { try body(database) }
    }

    private func createIndexes(_ database: QueryDatabase) throws {
        let json = #"[["PREDICTION()","\#(model.name)",{"n":[".n"]},".twice"]]"#
        let collection = try database.collection()
        try database.indexes.create(IndexDefinition(name: "twice", kind: .predictive, source: .json(json)), on: collection)
        let options = VectorIndexOptions(dimensions: 2, centroids: 1)
        try database.indexes.create(IndexDefinition(name: "near", kind: .vector(options), text: "\(call).v"), on: collection)
    }

    /// Overwrites the page on which the SQL index of the outputs begins.
    private func damage() throws {
        let file = BundlePath(path).sqliteFile
        let connection = try Connection(path: file, mode: .readWrite)
        let root = try #require(try connection.scalar("SELECT rootpage FROM sqlite_master WHERE type = 'index' AND name = 'twice'"))
        try connection.close()
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: file))
        try handle.seek(toOffset: UInt64(root - 1) * 4096)
        try handle.write(contentsOf: Data(repeating: 0xA5, count: 4096))
        try handle.close()
    }

    private func names(_ database: QueryDatabase) throws -> [String] {
        try database.indexes.indexes(of: database.collection()).map(\.name)
    }

    /// Checks that both indexes answer without the model, with `count` documents.
    private func checkIndexes(_ database: QueryDatabase, count: Int) throws {
        #expect(try names(database) == ["near", "twice"])
        let calls = model.count
        let condition = "SELECT n FROM _ WHERE \(call).twice = 40"
        #expect(try database.plan(condition).contains("INDEX twice"))
        #expect(try database.rows(condition) == ["20"])
        #expect(try database.rows("SELECT n FROM _ ORDER BY APPROX_VECTOR_DISTANCE(\(call).v, [7, 0]) LIMIT 1") == ["7"])
        #expect(model.count == calls)
        let state = try database.indexes.vectorState(of: "near", on: database.collection())
        #expect(state?.vectorCount == count)
        #expect(try BundleChecker(database.file).findings().map(\.description) == [])
    }

    @Test("a salvaged database has neither index, and the report names both, which can be created again")
    func salvage() throws {
        let made = directory.path("made.cblite2")
        let report = try Salvage.copy(BundlePath(path), to: BundlePath(made), options: options)
        #expect(report.lossCount == 0 && report.indexes == ["near", "twice"], "\(report.losses)")
        try withDatabase(made) { database in
            #expect(try names(database) == [])
            // Nothing calls the model.
            model.unregister()
            try database.save("new", #"{"n":100}"#)
            model.register()
            #expect(try database.rows("SELECT n FROM _ WHERE \(call).twice = 200") == ["100"])
            try createIndexes(database)
            try checkIndexes(database, count: 31)
        }
    }

    @Test("a repair makes both indexes anew if the model is registered")
    func repair() throws {
        try damage()
        let result = try Repair.run(path, options: options)
        #expect(result.changes.contains { $0.hasPrefix("copied all documents to a new file") }, "\(result.changes)")
        #expect(result.changes.contains("rebuilt 2 indexes"), "\(result.changes)")
        #expect(result.after.findings.map(\.description) == [])
        try withDatabase(path) { try checkIndexes($0, count: 30) }
    }

    @Test("a repair without the model keeps the definitions of both indexes, which are filled when the model is registered")
    func repairWithoutModel() throws {
        try damage()
        model.unregister()
        let result = try Repair.run(path, options: options)
        #expect(result.changes.contains { $0.contains("could not rebuild the predictive indexes \"twice\"") }, "\(result.changes)")
        #expect(result.after.documents == 30)
        try withDatabase(path) { database in
            #expect(try names(database) == ["near", "twice"])
            try database.save("new", #"{"n":100}"#)
            model.register()
            try database.indexes.rebuild()
            try checkIndexes(database, count: 31)
        }
    }
}
