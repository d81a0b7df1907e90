import Foundation
import Testing

/// Dictionaries and sets of plain strings lose entries that only look the same, and the compiler does not detect this.
@Suite("Sources below the public API")
struct SourceTests {
    private static let layers = [
        "Engine/Base", "Engine/Fleece", "Engine/SQLiteEngine", "Engine/DocumentStore", "Engine/QueryLanguage",
        "Engine/QueryEngine", "Sync/SyncCore", "Sync/BLIP",
        "Sync/Replication", "Sync/Transport", "Sync/SyncRuntime", "Library/LogOutput", "Library/DatabaseRuntime", "Library/ModelCoding",
    ]

    /// Files with tables of ASCII words of this library, and with dictionaries that are part of the public API.
    private static let exceptions: Set<String> = [
        "FullTextLanguage.swift", "IndexTrigger.swift", "RegularExpressionNode.swift", "QueryFunction.swift",
        "SQLText.swift", "PredicateParser+Calls.swift",
        "JSONTreeReader.swift", "EndpointURL.swift", "CertificateAttributes.swift", "CreatedIdentity.swift",
        "ValueDecoder.swift", "BlobState+Properties.swift", "PredicateForm.swift", "PublicErrors.swift", "IndexInfo.swift",
        "QueryExpression+Literal.swift",
    ]

    private static let texts = ["Set<String>", "[String:", "[String :", "Dictionary<String"]

    @Test("the sources below the public API have no dictionaries or sets of plain strings", arguments: layers)
    func plainStrings(_ layer: String) throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let folder = root.appendingPathComponent("Sources/\(layer)")
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        var count = 0
        for case let file as URL in files where file.pathExtension == "swift" {
            count += 1
            guard !Self.exceptions.contains(file.lastPathComponent) else { continue }
            let text = try String(contentsOf: file, encoding: .utf8)
            // Most files have no such text; without optimization, looking at each line takes a hundred times as long.
            guard Self.texts.contains(where: { text.contains($0) }) else { continue }
            for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
            where Self.texts.contains(where: { line.contains($0) }) {
                Issue.record("\(file.lastPathComponent):\(number + 1) has plain strings for keys, use ExactString: \(line)")
            }
        }
        #expect(count > 0)
    }
}
