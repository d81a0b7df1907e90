import Foundation
import InspectorPage
import TestSupport
import Testing

@Suite("Files of the inspector's page")
struct PageFilesTests {
    private let folder = Fixtures.packageRoot.appendingPathComponent("Sources/Server/InspectorPage/Files")

    @Test("the program contains every file of the folder as it is")
    func contents() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(Set(names) == Set(InspectorPage.files.keys))
        for name in names {
            #expect(InspectorPage.files[name] == Array(try Data(contentsOf: folder.appendingPathComponent(name))), "\(name)")
        }
    }

    @Test(
        "no file has scripts or styles inline, loads anything from elsewhere, or parses texts as HTML",
        arguments: [
            "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "style=\"", " onclick=\"", "<style",
            "https://", "//cdn", "@import", "url(",
        ]
    )
    func forbidden(_ text: String) throws {
        for (name, content) in InspectorPage.files {
            #expect(!String(decoding: content, as: UTF8.self).contains(text), "\(name)")
        }
    }

    @Test("the texts of the page contain no address of another site except names of XML namespaces")
    func addresses() throws {
        for (name, content) in InspectorPage.files {
            let found = String(decoding: content, as: UTF8.self).matches(of: /http:\/\/[^"' ]*/).map { String($0.output) }
            #expect(found.allSatisfy { $0 == "http://www.w3.org/2000/svg" }, "\(name): \(found)")
        }
    }

    @Test("every import names a file of the page, and the imports form no circle")
    func imports() throws {
        var imports: [String: Set<String>] = [:]
        for (name, content) in InspectorPage.files where name.hasSuffix(".js") {
            let found = String(decoding: content, as: UTF8.self).matches(of: /from "\.\/([^"]+)"/).map { String($0.output.1) }
            imports[name] = Set(found)
        }
        #expect(Set(imports.values.joined()).subtracting(imports.keys) == [])
        // Files whose imports have been removed are removed, until those are left that import each other.
        while let free = imports.first(where: { $0.value.isDisjoint(with: imports.keys) }) { imports[free.key] = nil }
        #expect(imports.isEmpty, "These files import each other: \(imports.keys.sorted())")
    }
}
