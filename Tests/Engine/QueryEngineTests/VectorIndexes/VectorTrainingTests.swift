import DocumentStore
import Foundation
import QueryLanguage
import SQLiteEngine
import Synchronization
import TestSupport
import Testing

@testable import QueryEngine
@testable import VectorSearch

/// Training while others read and write (Vector search EN-26, EN-28, T-4, T-12).
@Suite("Vector training")
struct VectorTrainingTests {
    /// Distances of this encoding are exact, so that all answers can be compared.
    private let options = VectorIndexOptions(dimensions: 2, centroids: 2, encoding: .none)
    private let coded = VectorIndexOptions(dimensions: 2, centroids: 2, encoding: .scalar(bits: 8))

    @Test("an index with many vectors is trained in the background, and answers meanwhile")
    func background() throws {
        for options in [options, coded] {
            try VectorTraining.$minimumVectors.withValue(20) {
                let words = try VectorDatabase.withPoints(20, options)
                try VectorIndexWriter.$maximumLoose.withValue(8) {
                    for n in 20..<200 {
                        try words.save("w\(n)", n, 0)
                        if n % 10 == 0 { #expect(try words.nearest(1000).count == n + 1) }
                    }
                }
                try words.waitForTraining()
                #expect(try words.nearest(1000) == (0..<200).map { "w\($0)" })
                #expect(try words.findings() == [])
            }
        }
    }

    @Test("while only some vectors are coded, searches find all, and documents can change")
    func mixture() throws {
        for options in [options, coded] {
            let words = try VectorDatabase.untrained(300, options)
            let hold = TrainingHold(words)
            defer { hold.end() }
            let wanted = try words.distances()
            #expect(wanted.count == 300)
            try words.beginTraining()
            #expect(try words.state().isTrained)
            #expect(try words.rawCellCount() > 0)
            var steps = 0
            while try words.database.file.transaction({ try words.indexWriter($0).codeRawCells(limit: 64) }) {
                steps += 1
                let found = try words.distances()
                if options.encoding == .none { #expect(found == wanted) } else { #expect(found.count == wanted.count) }
                #expect(try words.findings() == [])
            }
            #expect(steps >= 3)
            #expect(try words.rawCellCount() == 0)
            #expect(try words.nearest(300).count == 300)
            #expect(try words.findings() == [])
        }
    }

    @Test("documents that change between the steps keep their new vectors, also when another program changes them")
    func changesBetweenSteps() throws {
        let words = try VectorDatabase.untrained(300, options)
        let hold = TrainingHold(words)
        defer { hold.end() }
        try words.beginTraining()
        let steps = [0, 100, 200]
        for first in steps {
            for n in first..<first + 20 { try words.save("w\(n)", n, 7) }
            try words.database.delete("w\(first + 30)", in: "words")
            let other = try Connection(path: words.database.file.bundle.sqliteFile, mode: .readWrite)
            try other.execute(
                "UPDATE \"kv_.words\" SET body = (SELECT body FROM \"kv_.words\" WHERE key = 'w0') WHERE key = 'w\(first + 40)'"
            )
            other.closeLoggingErrors()
            _ = try words.database.file.transaction { try words.indexWriter($0).codeRawCells(limit: 64) }
        }
        try VectorTraining(of: VectorDatabase.indexName).run(on: words.database.file)
        #expect(try words.rawCellCount() == 0)
        let changed = steps.flatMap { first in (first..<first + 20).map { "\"w\($0)\" \($0 * $0 + 49).0" } }
        let found = Set(try words.distances())
        #expect(found.count == 297)
        #expect(changed.allSatisfy(found.contains))
        for first in steps { #expect(found.contains("\"w\(first + 40)\" 49.0")) }
        #expect(try words.findings() == [])
    }

    @Test("a process goes on where another one has ended", arguments: [true, false])
    func crash(worksInBackground: Bool) throws {
        let words = try VectorDatabase.untrained(300, options)
        let hold = TrainingHold(words)
        defer { hold.end() }
        let wanted = try words.distances()
        try words.beginTraining()
        let directory = try TemporaryDirectory()
        let path = directory.path("copy.cblite2")
        try FileManager.default.copyItem(atPath: words.database.file.bundle.directory, toPath: path)
        let left = try VectorDatabase(QueryDatabase(path: path, directory: directory, worksInBackground: worksInBackground))
        #expect(try left.distances() == wanted)
        try left.save("new", 1000, 0)
        if worksInBackground { try left.waitForTraining() }
        #expect(try left.rawCellCount() == 0)
        #expect(try left.distances() == wanted + ["\"new\" 1000000.0"])
        #expect(try left.findings() == [])
    }

    @Test("a query has an index trained that has enough vectors")
    func query() throws {
        let words = try VectorDatabase.untrained(300, options)
        #expect(try !words.state().isTrained)
        _ = try words.nearest()
        try words.waitForTraining()
        #expect(try words.nearest(300).count == 300)
        #expect(try words.findings() == [])
    }

    @Test("an index is trained that gets enough vectors only while other training of it runs")
    func enoughWhileRunning() throws {
        try VectorTraining.$minimumVectors.withValue(20) {
            let words = try VectorDatabase.withPoints(40, options)
            let hold = TrainingHold(words)
            for n in 40..<60 { try words.save("w\(n)", n, 0) }
            #expect(try !words.state().isTrained)
            hold.end()
            try words.waitForTraining()
            #expect(try words.nearest(100) == (0..<60).map { "w\($0)" })
            #expect(try words.findings() == [])
        }
    }

    @Test("training of an index that somebody has trained, replaced, changed or deleted meanwhile has no effect")
    func tooLate() throws {
        let words = try VectorDatabase.withPoints(80, options)
        let training = VectorTraining(of: VectorDatabase.indexName)
        func generation() throws -> Int64? {
            try words.database.file.read { try $0.connection.scalar("SELECT generation FROM vector_indexes") }
        }
        let before = try generation()
        try training.run(on: words.database.file)
        #expect(try generation() == before)
        try words.createIndex(options: VectorIndexOptions(dimensions: 2, centroids: 4))
        try training.run(on: words.database.file)
        #expect(try !words.state().isTrained)
        try words.database.indexes.delete("words_index", on: words.words)
        try training.run(on: words.database.file)
        #expect(try words.database.indexes.indexes(of: words.words).isEmpty)
        try words.database.file.deleteCollection(CollectionID(name: "words"))
        try training.run(on: words.database.file)
    }

    @Test("damage that training finds is repaired from the documents")
    func damage() throws {
        let words = try VectorDatabase.untrained(300, options)
        let hold = TrainingHold(words)
        defer { hold.end() }
        try words.database.file.transaction { writer in
            try writer.connection.execute("UPDATE \"kv_.words:vector:words_index:cells\" SET data = zeroblob(7) WHERE id = 1")
        }
        try VectorTraining(of: VectorDatabase.indexName).run(on: words.database.file)
        #expect(try words.nearest(300).count == 300)
        #expect(try words.state().isTrained)
        #expect(try words.findings() == [])
    }

    @Test("closing a file does not wait for training, which another opening does")
    func closing() throws {
        try VectorTraining.$minimumVectors.withValue(20) {
            let directory = try TemporaryDirectory()
            let path = directory.path("db.cblite2")
            for round in 0..<10 {
                let words = try VectorDatabase(QueryDatabase(path: path, directory: directory))
                if round == 0 { try words.createIndex(options: options) }
                try words.database.file.transaction { _ in
                    for n in 0..<40 { try words.save("w\(round * 40 + n)", round, n) }
                }
                #expect(try words.nearest(1000).count == round * 40 + 40)
                if round == 9 {
                    try words.waitForTraining()
                    #expect(try words.findings() == [])
                }
            }
        }
    }

    @Test("a result is that of one commit, whatever others write")
    func snapshots() throws {
        try VectorTraining.$minimumVectors.withValue(40) {
            let words = try VectorDatabase.withPoints(0, options)
            try words.save("a", 0, 0)
            try words.save("b", 1000, 0)
            let file = words.database.file
            let isDone = Atomic(false)
            let problems = Mutex<[String]>([])
            let searches = Atomic(0)
            let group = DispatchGroup()
            for _ in 0..<2 {
                DispatchQueue.global().async(group: group) {
                    do {
                        let query = try PreparedQuery(
                            SQLPlusPlus.parse(
                                "SELECT APPROX_VECTOR_DISTANCE(vector, [0, 0]) AS d FROM words WHERE pair ORDER BY d"
                            ),
                            on: file,
                            databaseName: "db"
                        )
                        while !isDone.load(ordering: .relaxed) || searches.load(ordering: .relaxed) < 4 {
                            let rows = try query.run(on: file)
                            let found = try (0..<rows.count).map { try rows.json($0) }
                            searches.add(1, ordering: .relaxed)
                            if !found.isEmpty, found != ["0.0", "1000000.0"] { problems.withLock { $0.append("\(found)") } }
                        }
                    } catch {
                        problems.withLock { $0.append("\(error)") }
                    }
                }
            }
            try VectorIndexWriter.$maximumLoose.withValue(8) {
                for round in 0..<60 {
                    try file.transaction { _ in
                        try words.save("a", round % 2 * 1000, 0, more: #","pair":true"#)
                        try words.save("b", (round + 1) % 2 * 1000, 0, more: #","pair":true"#)
                        try words.save("other \(round)", round, round)
                    }
                }
            }
            isDone.store(true, ordering: .relaxed)
            group.wait()
            #expect(problems.withLock { $0 } == [])
            try words.waitForTraining()
            #expect(try words.nearest(1000).count == 62)
            #expect(try words.findings() == [])
        }
    }

    // T-21
    @Test("the same changes give the same index, also with other threads beside")
    func deterministic() throws {
        @Sendable func cells(_ seed: UInt64) throws -> [String] {
            var random = SeededNumbers(seed: seed)
            let words = try VectorDatabase.withPoints(30, coded)
            for round in 0..<10 {
                try words.database.file.transaction { _ in
                    for n in 0..<20 { try words.save("w\(round * 10 + n)", Int.random(in: 0..<100, using: &random), n) }
                }
            }
            return try words.database.file.read { context in
                try ["cells", "rows", "model"].flatMap { part in
                    let table = "kv_.words:vector:words_index:\(part)".quotedIdentifier
                    let columns = part == "rows" ? "docid || ' ' || state || ' ' || hex(code)" : "hex(data)"
                    return try context.connection.texts("SELECT \(columns) FROM \(table) ORDER BY 1")
                }
            }
        }
        let seed = TestSeed.forThisTest()
        let alone = try cells(seed)
        let together = Mutex<[[String]]>([])
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            let found = (try? cells(seed)) ?? []
            together.withLock { $0.append(found) }
        }
        #expect(together.withLock { $0 } == Array(repeating: alone, count: 4), "seed \(seed)")
    }
}
