import Foundation
import TestSupport
import Testing

/// Every block of Swift in the guides and the README is part of a test that compiles and runs it, word for word except for
/// indentation: the blocks of `Topic.md` are in `TopicGuideTests.swift`. Those of the tutorial are in the example that it explains.
@Suite("Swift snippets of the guides and the README")
struct GuideSnippetTests {
    struct Page: CustomTestStringConvertible {
        let file: URL
        let tests: [URL]
        var testDescription: String { file.lastPathComponent }
    }

    static let pages: [Page] = {
        let catalog = Fixtures.packageRoot.appendingPathComponent("Sources/Library/CouchbaseLiteSwift/CouchbaseLiteSwift.docc")
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let others = Fixtures.packageRoot.appendingPathComponent("Tests/Server/CouchbaseLiteTestSupportTests/Guides")
        let guides = (try? FileManager.default.contentsOfDirectory(at: catalog, includingPropertiesForKeys: nil)) ?? []
        var pages = guides.filter { $0.pathExtension == "md" }.map { guide in
            let name = guide.deletingPathExtension().lastPathComponent
            let found = [tests, others].map { $0.appendingPathComponent("\(name)GuideTests.swift") }
            return Page(file: guide, tests: found.filter { FileManager.default.fileExists(atPath: $0.path) })
        }
        pages.append(
            Page(
                file: Fixtures.packageRoot.appendingPathComponent("README.md"),
                tests: [tests.appendingPathComponent("ReadmeTests.swift")]
            )
        )
        let example = Fixtures.packageRoot.appendingPathComponent("Examples/Notes")
        let sources =
            ["Note", "Notebook", "Changing", "Reading", "Sync"].map { "Sources/notes/\($0).swift" }
            + ["Note", "Notebook"].map { "Sources/notes2/\($0).swift" }
        pages.append(
            Page(
                file: example.appendingPathComponent("README.md"),
                tests: (["Package.swift"] + sources).map(example.appendingPathComponent)
            )
        )
        return pages
    }()

    @Test("every Swift snippet of a page is part of a test", arguments: pages)
    func snippetsAreTested(page: Page) throws {
        let snippets = try Self.snippets(of: String(contentsOf: page.file, encoding: .utf8))
        if snippets.isEmpty { return }
        let tested = try page.tests.map { try Self.lines(of: String(contentsOf: $0, encoding: .utf8)).joined(separator: "\n") }
        for snippet in snippets {
            let text = snippet.joined(separator: "\n")
            #expect(tested.contains { $0.contains(text) }, "not in \(page.tests.map(\.lastPathComponent)): \(text)")
        }
    }

    @Test("the Swift snippets of a page are extracted")
    func snippetsAreFound() {
        let page = "Text\n```swift\nlet a = 1\n\n    + 2\n```\n```console\n$ ls\n```\n```swift\nimport X\nb()\n```\n"
        #expect(Self.snippets(of: page) == [["let a = 1", "+ 2"], ["b()"]])
    }

    /// The Swift blocks of a page, each as its lines.
    private static func snippets(of page: String) -> [[String]] {
        page.components(separatedBy: "```swift\n").dropFirst().map { lines(of: $0.components(separatedBy: "\n```")[0]) }
    }

    /// The lines of code that are not empty, without their indentation. Imports are at the top of a file and are omitted.
    private static func lines(of code: String) -> [String] {
        code.split(separator: "\n")
            .map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.isEmpty && !$0.hasPrefix("import ") }
    }
}
