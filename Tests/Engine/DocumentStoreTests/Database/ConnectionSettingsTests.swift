import SQLiteEngine
import Testing

@testable import DocumentStore

@Suite("Settings of connections")
struct ConnectionSettingsTests {
    private func pragma(_ name: String, _ database: TestDatabase) throws -> (reader: Int64?, writer: Int64?) {
        let writer = try database.file.writer().connection
        return (try database.file.read { try $0.connection.scalar("PRAGMA \(name)") }, try writer.scalar("PRAGMA \(name)"))
    }

    @Test("pages are checked when they are read, unless they are mapped, where each access would check them again")
    func cellSizeCheck() throws {
        var options = DatabaseFile.Options()
        #if !os(macOS)
        let mapped = try pragma("cell_size_check", TestDatabase(options: options))
        #expect(mapped.reader == 0 && mapped.writer == 1)
        #endif
        options.usesMemoryMap = false
        let unmapped = try pragma("cell_size_check", TestDatabase(options: options))
        #expect(unmapped.reader == 1 && unmapped.writer == 1)
        let encrypted = try pragma("cell_size_check", TestDatabase(options: DamagedDatabases.options(encrypted: true)))
        #expect(encrypted.reader == 1 && encrypted.writer == 1)
    }

    @Test("the sizes of caches depend on their use, and can be limited")
    func cacheSize() throws {
        var options = DatabaseFile.Options()
        let plain = try pragma("cache_size", TestDatabase(options: options))
        #expect(plain.reader == -24_576 && plain.writer == -10_240)
        options.maximumCacheSize = 2000
        let limited = try pragma("cache_size", TestDatabase(options: options))
        #expect(limited.reader == -2000 && limited.writer == -2000)
        let encrypted = try pragma("cache_size", TestDatabase(options: DamagedDatabases.options(encrypted: true)))
        #expect(encrypted.reader == -51_200 && encrypted.writer == -51_200)
    }
}
