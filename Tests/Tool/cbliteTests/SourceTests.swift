import Foundation
import TestSupport
import Testing

@Suite("Sources of cblite")
struct SourceTests {
    /// The targets below the public API, except `Fleece`, whose writer of JSON writes the reports.
    private static let lowerTargets = [
        "Base", "SQLiteEngine", "DocumentStore", "QueryLanguage", "QueryEngine", "SyncCore", "BLIP",
        "Replication", "Transport", "SyncRuntime",
    ]

    @Test("cblite uses the public API and the writer of JSON, and names what it needs below it in the folder Engine only")
    func imports() throws {
        let folder = Fixtures.packageRoot.appendingPathComponent("Sources/Tool/cblite")
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        var count = 0
        for case let file as URL in files where file.pathExtension == "swift" {
            count += 1
            guard file.deletingLastPathComponent().lastPathComponent != "Engine" else { continue }
            // Few lines have the word; without optimization, the expression takes long on all of them.
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") where line.contains("import") {
                guard let module = line.firstMatch(of: /^[^"\/]*\bimport +(?:(?:struct|class|enum|func|protocol) +)?(\w+)/)?.1 else {
                    continue
                }
                #expect(!Self.lowerTargets.contains(String(module)), "\(file.lastPathComponent): \(line)")
            }
        }
        #expect(count > 40)
    }
}
