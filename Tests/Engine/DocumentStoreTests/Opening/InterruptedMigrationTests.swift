import Foundation
import TestSupport
import TestTraits
import Testing

@testable import DocumentStore

/// An upgrade of a large database takes some time, and a phone may end the app at any moment.
@Suite("Interrupted upgrades of 1.x databases")
struct InterruptedMigrationTests {
    private static let count = 1500

    private let directory: TemporaryDirectory
    private let bundle: BundlePath
    private let before: [String: Data]

    init() throws {
        directory = try TemporaryDirectory()
        bundle = BundlePath(directory.path("db.cblite2"))
        try LegacyFile.make(at: bundle, journalMode: "DELETE", Self.documents)
        for number in 0..<20 { _ = try LegacyFile.attach("a", "content \(number)", in: bundle) }
        before = try LegacyFile.contents(of: bundle)
    }

    private static let documents = """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
        INSERT INTO docs (doc_id, docid) SELECT i, 'doc' || i FROM n;
        INSERT INTO revs (doc_id, revid, current, json, no_attachments)
        SELECT doc_id, '1-abcdef', 1, '{"n":' || doc_id || ',"text":"' || printf('%.300c', 'x') || '"}', 1 FROM docs;
        """

    /// Whether the bundle is still a 1.x database, which then must be unchanged.
    private func isOld(_ hint: Comment) throws -> Bool {
        guard FileManager.default.fileExists(atPath: bundle.directory + "/attachments") else { return false }
        #expect(try LegacyFile.contents(of: bundle) == before, hint)
        return true
    }

    @Test("an upgrade in a killed process leaves the complete old or the complete new database", .runsProgram(of: .library))
    func killed() throws {
        let seed = TestSeed.forThisTest()
        var generator = SeededGenerator(seed: seed)
        let writer = try ProcessRunner(product: "DatabaseWriter")
        let saved = directory.path("saved")
        try FileManager.default.copyItem(atPath: bundle.directory, toPath: saved)
        // The duration is measured by a complete upgrade.
        let start = ContinuousClock.now
        let whole = try writer.start([directory.url.path, "db", "hold"])
        #expect(whole.waitForOutput(lines: 1) == ["open"])
        let duration = ContinuousClock.now - start
        whole.kill()
        whole.waitUntilExit()
        var outcomes: [Bool: Int] = [:]
        for round in 0..<30 {
            let hint: Comment = "seed \(seed), round \(round)"
            if try !isOld(hint) {
                try checkNew(hint)
                try FileManager.default.removeItem(atPath: bundle.directory)
                try FileManager.default.copyItem(atPath: saved, toPath: bundle.directory)
            }
            let process = try writer.start([directory.url.path, "db", "hold"])
            let microseconds = duration / .microseconds(1)
            usleep(UInt32.random(in: 0...UInt32(clamping: Int64(microseconds * 1.1)), using: &generator))
            process.kill()
            process.waitUntilExit()
            outcomes[try isOld(hint), default: 0] += 1
        }
        #expect(outcomes[true] ?? 0 > 0)
        // The last attempt runs to its end, and no files of earlier attempts remain.
        try checkNew("seed \(seed)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path).sorted() == ["db.cblite2", "saved"])
        #expect(try DatabaseChecker.check(URL(fileURLWithPath: bundle.directory)).problems == [])
    }

    private func checkNew(_ hint: Comment) throws {
        let file = try DatabaseRegistry.open(bundle.directory)
        defer { try? DatabaseRegistry.close(file) }
        #expect(try file.collection(.default)?.count() == UInt64(Self.count), hint)
        try file.checkIntegrity()
    }

    @Test(
        "an upgrade on a full disk leaves the old database, and succeeds when there is space",
        .enabled(if: SmallDisk.canBeMade, "a small file system cannot be mounted here")
    )
    func fullDisk() throws {
        let disk = try #require(SmallDisk())
        let bundle = BundlePath(disk.url.path + "/db.cblite2")
        try FileManager.default.copyItem(atPath: self.bundle.directory, toPath: bundle.directory)
        let ballast = disk.url.appendingPathComponent("ballast")
        try Data(count: 2900 << 10).write(to: ballast)
        let error = #expect(throws: (any Error).self) { try DatabaseRegistry.open(bundle.directory) }
        #expect(
            "\(String(describing: error))".contains("full")
                || error as? StoreError == .system(path: bundle.directory, code: ENOSPC)
        )
        #expect(try LegacyFile.contents(of: bundle) == before)
        #expect(try FileManager.default.contentsOfDirectory(atPath: disk.url.path).sorted() == ["ballast", "db.cblite2"])
        try FileManager.default.removeItem(at: ballast)
        let file = try DatabaseRegistry.open(bundle.directory)
        #expect(try file.collection(.default)?.count() == UInt64(Self.count))
        try DatabaseRegistry.close(file)
    }
}
