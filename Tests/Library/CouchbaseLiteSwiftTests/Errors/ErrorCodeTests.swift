import CouchbaseLiteSwift
import DatabaseRuntime
import Foundation
import TestSupport
import Testing

/// The names and numbers of the codes are written in several places, because Swift cannot generate declarations from a table. They must agree
/// with the table.
@Suite("Error codes")
struct ErrorCodeTests {
    /// A source of the library.
    private static func text(_ path: String) throws -> String {
        try String(contentsOf: Fixtures.packageRoot.appendingPathComponent("Sources/" + path), encoding: .utf8)
    }

    private static let names = LibraryErrorCode.all.mapValues(\.name)

    @Test("each constant of CBLError is in the table, with its name, and the table has no other code")
    func constants() throws {
        var names: [Int: String] = [:]
        let source = try Self.text("Library/CouchbaseLiteSwift/Errors/CBLError.swift")
        for match in source.matches(of: /public static let (\w+) = (\d+)/) where !match.1.hasSuffix("Base") {
            names[try #require(Int(match.2))] = String(match.1)
        }
        #expect(names.count > 60)
        #expect(names == Self.names)
    }

    @Test("the codes of the lower layers have the names and numbers of the table")
    func lowerLayers() throws {
        var count = 0
        func check(_ name: Substring, _ code: Int, otherNames: [Int: String] = [:]) {
            count += 1
            #expect(otherNames[code] ?? Self.names[code] == String(name), "\(name) is \(code)")
        }
        for match in try Self.text("Library/DatabaseRuntime/PublicErrors.swift").matches(of: /package static let (\w+) = (\d+)/) {
            check(match.1, try #require(Int(match.2)))
        }
        let sync = try Self.text("Sync/SyncCore/SyncError.swift")
        let engine = try #require(sync.firstMatch(of: /enum EngineCode[^}]*/)).0
        let others = [31: "deltaBaseUnknown", 32: "corruptDelta", 501: "notImplemented"]
        for match in engine.matches(of: /case (\w+) = (\d+)/) { check(match.1, try #require(Int(match.2)), otherNames: others) }
        // The numbers of network errors count on from the first one.
        let network = try #require(sync.firstMatch(of: /enum NetworkCode[^}]*/)).0.matches(of: /case (\w+)/).map(\.1)
        for (name, code) in zip(network, 5001...) where Self.names[code] != nil { check(name, code) }
        #expect(count > 40)
    }

    @Test("the guide to troubleshooting explains each code, and gives the advice of the table")
    func guide() throws {
        let guide = try Self.text("Library/CouchbaseLiteSwift/CouchbaseLiteSwift.docc/Troubleshooting.md")
        var codes: [Int: LibraryErrorCode] = LibraryErrorCode.all
        for match in guide.matches(of: /(?m)^\| (\d+) ``CBLError\/(\w+)`` \|.*\| ([^|]+) \|$/) {
            let number = try #require(Int(match.1))
            let removed = codes.removeValue(forKey: number)
            let code = try #require(removed, "\(number)")
            #expect(code.name == String(match.2))
            let symbol = /``([^`]+)``/
            let advice = match.3.replacing(/: <doc:\w+>/, with: "")
                .replacing(symbol) { $0.1.replacing(/\(.*\)/, with: "").replacing("/", with: ".") }.replacing("`", with: "")
            #expect(code.hint ?? "–" == advice)
        }
        #expect(codes.isEmpty)
    }
}
