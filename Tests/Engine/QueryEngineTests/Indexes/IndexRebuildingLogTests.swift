import Base
import Synchronization
import TestSupport
import Testing

@Suite("The log of rebuilt indexes")
struct IndexRebuildingLogTests {
    private final class Lines: Sendable {
        let all = Mutex<[String]>([])
    }

    /// Returns the log lines about a database while the body runs. Tests that run at the same time have other paths.
    private func lines(about path: String, _ body: () throws -> Void) rethrows -> [String] {
        let lines = Lines()
        EngineLog.shared.setReceiver { level, _, message in lines.all.withLock { $0.append("\(level): \(message())") } }
        EngineLog.shared.setWanted { level, domain in level.rawValue >= EventLevel.info.rawValue && domain == .database }
        defer {
            EngineLog.shared.setWanted { _, _ in false }
            EngineLog.shared.setReceiver { _, _, _ in }
        }
        try body()
        return lines.all.withLock { $0.filter { $0.contains(path) && $0.contains("rebuilt") } }
    }

    @Test("the log has one line with the names of indexes that are rebuilt on opening, and none if nothing needs to be done")
    func rebuilding() throws {
        let files = try DependentDatabase()
        try files.makeDisorderedIndex()
        try files.removeRecords()
        // A reader does not rebuild it.
        #expect(try lines(about: files.path) { _ = try files.open(isReadOnly: true) } == [])
        let found = try lines(about: files.path) { _ = try files.open() }
        #expect(found.count == 1)
        let line = try #require(found.first)
        #expect(line.hasPrefix("info: rebuilt indexes of collection _default._default of the database at "))
        #expect(line.contains(#": "byName". They depend on the order of texts or the local time zone"#))
        #expect(try lines(about: files.path) { _ = try files.open() } == [])

        // A file of an earlier version, none of whose indexes is trusted.
        try files.execute("DELETE FROM kv_info WHERE key = 'CouchbaseLiteSwift.indexFormat'")
        let earlier = try lines(about: files.path) { _ = try files.open() }
        #expect(earlier.count { $0.hasPrefix("info: rebuilt the indexes of the database at ") } == 1)
        #expect(try lines(about: files.path) { _ = try files.open() } == [])
    }
}
