import Foundation
import TestSupport
import Testing

@testable import DocumentStore

@Suite("Reading damaged databases")
struct DamagedReadTests {
    /// The pages of a memory map are not checked when they are read: SQLite has to check each cell that it uses.
    @Test("reads of a database with damaged pages return or throw, with a memory map and without", arguments: [false, true])
    func randomBytes(usesMemoryMap: Bool) throws {
        let seed = TestSeed.forThisTest()
        var generator = SeededGenerator(seed: seed)
        var options = DatabaseFile.Options()
        options.usesMemoryMap = usesMemoryMap
        let (database, expected) = try DamagedDatabases.make(options)
        let intact = try Data(contentsOf: URL(fileURLWithPath: database.path.sqliteFile))
        var (intactReads, failures) = (0, 0)
        for _ in 0..<300 {
            var bytes = intact
            // The first page stays intact, so that the file can be opened.
            for _ in 0..<Int.random(in: 1...60, using: &generator) {
                let page = Int.random(in: 1..<bytes.count / 4096, using: &generator)
                // The header and the cell pointers of a page are hit most often.
                let limit = Bool.random(using: &generator) ? 64 : 4096
                bytes[page * 4096 + Int.random(in: 0..<limit, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            try bytes.write(to: URL(fileURLWithPath: database.path.sqliteFile))
            guard let file = try? DatabaseRegistry.open(database.path.directory, options: options) else { continue }
            defer { try? DatabaseRegistry.close(file) }
            guard let collection = try? file.collection(.default) else { continue }
            for id in expected.keys.sorted().prefix(100) {
                do {
                    intactReads += try collection.document(id) == nil ? 0 : 1
                } catch {
                    failures += 1
                }
            }
            try? collection.forEachDocument(order: .sequence) { $0.sequence > 0 }
            _ = try? collection.changes(after: 0, limit: 1000, remote: nil)
            _ = try? collection.count()
        }
        #expect(intactReads > 3000 && failures > 0, "seed \(seed)")
    }
}
