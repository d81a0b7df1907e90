#if os(Linux)
import Foundation
import SQLiteEngine
import TestSupport
import Testing

@testable import DocumentStore

@Suite("SQLite's temporary files", .serialized)
struct TemporaryFileTests {
    /// SQLite's temporary files that this process has open. They were unlinked and have no names.
    private func openTemporaryFiles() throws -> Int {
        try OpenFiles.count { $0.contains("etilqs_") }
    }

    /// The number of temporary files while a sort that is larger than the page cache returns its first row.
    private func filesWhileSorting(_ connection: Connection) throws -> Int {
        try connection.execute("PRAGMA cache_size=10")
        let before = try openTemporaryFiles()
        let statement = try connection.prepare(
            """
            WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 8000)
            SELECT hex(randomblob(300)) AS h FROM c ORDER BY h
            """
        )
        defer { statement.finalize() }
        #expect(try statement.step())
        return try openTemporaryFiles() - before
    }

    @Test("connections to encrypted databases create no temporary files, even for large sorts")
    func sorting() throws {
        let plain = try Connection(path: ":memory:", mode: .create)
        try plain.execute("PRAGMA temp_store=file")
        #expect(try filesWhileSorting(plain) > 0)
        let database = try TestDatabase(options: .key(.test(1)))
        #expect(try database.file.read { try filesWhileSorting($0.connection) } == 0)
        #expect(try database.file.transaction { try filesWhileSorting($0.connection) } == 0)
    }

    @Test("connections to encrypted databases refuse to create temporary files")
    func refused() throws {
        let database = try TestDatabase(options: .key(.test(1)))
        try database.file.read { context in
            try context.connection.execute("PRAGMA temp_store=file")
            #expect(throws: SQLiteError.self) { try filesWhileSorting(context.connection) }
        }
    }
}
#endif
