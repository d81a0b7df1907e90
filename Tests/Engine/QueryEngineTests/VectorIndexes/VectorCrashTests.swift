import DocumentStore
import Foundation
import SQLiteEngine
import TestSupport
import Testing
import VectorSearch

@testable import QueryEngine

/// Processes that end while an index is trained, or while its vectors are moved to cells and cells are written again (Vector search T-4).
@Suite("Crashes and vector indexes")
struct VectorCrashTests {
    /// What was committed when the log had a size, in bytes.
    private struct Commit {
        let size: Int
        let distances: [String]
    }

    /// A database whose log is never copied into the database file, so that each beginning of the log is what a process can leave that ends.
    private struct LoggedDatabase {
        let words: VectorDatabase
        private(set) var commits: [Commit] = []

        init(_ words: VectorDatabase) throws {
            self.words = words
            // Ends what keeps the log.
            try words.save("first", 0, 1)
            let other = try Connection(path: words.database.file.bundle.sqliteFile, mode: .readWrite)
            #expect(try other.checkpoint())
            other.closeLoggingErrors()
            try noteCommit()
        }

        private var logSize: Int {
            get throws {
                let attributes = try FileManager.default.attributesOfItem(atPath: words.database.file.bundle.writeAheadLog)
                return (attributes[.size] as? NSNumber)?.intValue ?? 0
            }
        }

        mutating func noteCommit() throws {
            commits.append(Commit(size: try logSize, distances: try words.distances()))
        }

        /// Commits the changes of `body`.
        mutating func commit(_ body: (Writer) throws -> Void) throws {
            try words.database.file.transaction(body)
            try noteCommit()
        }

        /// Opens a copy of the files, in which the log ends after `size` bytes, and calls `body` with it.
        func withCopy(logSize size: Int, _ body: (VectorDatabase) throws -> Void) throws {
            let directory = try TemporaryDirectory()
            let path = directory.path("copy.cblite2")
            try FileManager.default.copyItem(atPath: words.database.file.bundle.directory, toPath: path)
            // The first process that opens the file makes this one anew.
            try FileManager.default.removeItem(atPath: path + "/db.sqlite3-shm")
            let log = try #require(FileHandle(forUpdatingAtPath: path + "/db.sqlite3-wal"))
            try log.truncate(atOffset: UInt64(size))
            try log.close()
            // Then the index is trained in transactions, so that the test need not wait.
            try body(VectorDatabase(QueryDatabase(path: path, directory: directory, worksInBackground: false)))
        }
    }

    /// Checks what is left if the process ends before, during and after each commit.
    private func check(_ logged: LoggedDatabase) throws {
        for (before, after) in zip(logged.commits, logged.commits.dropFirst()) {
            #expect(after.size > before.size)
            // Without the end of the last page, which makes a commit valid, and in the middle.
            for size in [after.size - 1, (before.size + after.size) / 2] {
                try logged.withCopy(logSize: size) { left in
                    let distances = try left.distances()
                    #expect(distances == before.distances)
                }
            }
        }
        for commit in logged.commits {
            try logged.withCopy(logSize: commit.size) { left in
                #expect(try left.distances() == commit.distances)
                // The next change completes what the ended process has left undone.
                try left.save("new", 1000, 0)
                #expect(try left.state().isTrained)
                #expect(try left.rawCellCount() == 0)
                #expect(try left.distances() == commit.distances + [#""new" 1000000.0"#])
                #expect(try left.findings() == [])
            }
        }
    }

    /// Distances of this encoding are exact, so that all answers can be compared.
    private let options = VectorIndexOptions(dimensions: 2, centroids: 2, encoding: .none)

    @Test("each step of training in the background is in the file as a whole or not at all, and the next process goes on")
    func training() throws {
        let words = try VectorDatabase.untrained(150, options)
        let hold = TrainingHold(words)
        defer { hold.end() }
        var logged = try LoggedDatabase(words)
        try words.beginTraining()
        try logged.noteCommit()
        var isMore = true
        while isMore {
            try logged.commit { isMore = try words.indexWriter($0).codeRawCells(limit: 64) }
        }
        #expect(logged.commits.count >= 4)
        #expect(try words.rawCellCount() == 0)
        try check(logged)
    }

    @Test("moving vectors to cells, and removing places that do not count from cells, is in the file as a whole or not at all")
    func cells() throws {
        try VectorIndexWriter.$maximumLoose.withValue(8) {
            let words = try VectorDatabase.withPoints(100, options)
            func number(_ sql: String, _ part: String) throws -> Int64 {
                let table = "\(VectorDatabase.indexName):\(part)".quotedIdentifier
                return try words.database.file.read { try $0.connection.scalar("SELECT count(*) FROM \(table)\(sql)") ?? 0 }
            }
            var logged = try LoggedDatabase(words)
            try logged.commit { _ in for n in 100..<106 { try words.save("w\(n)", n, 0) } }
            #expect(try number(" WHERE state = 2", "rows") > 0)
            try logged.commit { _ in for n in 106..<120 { try words.save("w\(n)", n, 0) } }
            // Of 20 vectors.
            #expect(try number(" WHERE state = 2", "rows") <= 8)
            try logged.commit { _ in for n in 0..<8 { try words.database.delete("w\(n)", in: "words") } }
            #expect(try number("", "dead") > 0)
            try logged.commit { _ in for n in 10..<50 { try words.save("w\(n)", n, 3) } }
            // Of 48 places.
            #expect(try number("", "dead") <= 32)
            try check(logged)
        }
    }
}
