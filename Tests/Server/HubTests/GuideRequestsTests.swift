#if Replication
import CouchbaseLiteSwift
import Foundation
import Hub
import TestSupport
import TestTraits
import Testing

/// The requests of Sync Gateway's documentation, in the table of the guide.
@Suite("Requests in the guide about the hub", .ownThreads)
struct GuideRequestsTests {
    /// A row of the table.
    private struct Row {
        let command: String
        let status: Int
        /// The response: JSON in which strings are the names of types, or a text.
        let shape: String
    }

    /// The directory of the sources.
    private static let guide = Fixtures.packageRoot.appendingPathComponent(
        "Sources/Library/CouchbaseLiteSwift/CouchbaseLiteSwift.docc/Hub.md"
    )

    private func rows() throws -> [Row] {
        try String(contentsOf: Self.guide, encoding: .utf8).split(separator: "\n").filter { $0.hasPrefix("| `curl ") }.map { line in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            try #require(cells.count == 3, "\(line)")
            let code = cells.map { $0.trimmingCharacters(in: CharacterSet(charactersIn: "`")) }
            return Row(command: code[0], status: try #require(Int(code[1])), shape: code[2])
        }
    }

    /// Compares a value with its shape: an object has exactly these properties, and an array at least one element, each of the shape of the
    /// only one.
    private func differences(_ value: Any, _ shape: Any, _ path: String = "$") -> [String] {
        switch (value, shape) {
        case (let value as [String: Any], let shape as [String: Any]):
            guard Set(value.keys) == Set(shape.keys) else { return ["\(path) has \(value.keys.sorted()), not \(shape.keys.sorted())"] }
            return shape.keys.sorted().flatMap { differences(value[$0] ?? 0, shape[$0] ?? 0, "\(path).\($0)") }
        case (let value as [Any], let shape as [Any]):
            guard let element = shape.first, !value.isEmpty else { return value.isEmpty && shape.isEmpty ? [] : ["\(path) is empty"] }
            return value.enumerated().flatMap { differences($0.element, element, "\(path)[\($0.offset)]") }
        case (let value, let type as String):
            return Self.type(of: value) == type ? [] : ["\(path) is \(value), not a \(type)"]
        default: return ["\(path) is \(value), not \(shape)"]
        }
    }

    private static func type(of value: Any) -> String {
        switch value {
        case is String: "string"
        case is NSNull: "null"
        case let number as NSNumber:
            // A boolean is a number, too, until it is encoded.
            (try? JSONSerialization.data(withJSONObject: [number]))?.contains(UInt8(ascii: "e")) == true ? "boolean" : "number"
        default: "\(Swift.type(of: value))"
        }
    }

    @Test("each request of the guide's table gets the response that the documentation of Sync Gateway shows")
    func table() async throws {
        let rows = try rows()
        #expect(rows.count > 25)
        let hub = try RunningHub()
        #expect(try hub.hub.users.add("anna", password: "letmein", channels: ["news"]))
        let shell = ProcessRunner(executable: URL(fileURLWithPath: "/bin/sh"))
        var revision = ""
        for row in rows {
            let command = row.command.replacing("localhost:4984", with: "127.0.0.1:\(hub.port)").replacing("$REV", with: revision)
            let options = #" -s -o "$0/body" -w '%{http_code}' "#
            let result = try await shell.run(
                ["-c", command.replacing("curl ", with: "curl\(options)", maxReplacements: 1), hub.directory.url.path],
                directory: hub.directory.url
            )
            #expect(result.output == "\(row.status)", "\(row.command)")
            let file = hub.directory.url.appendingPathComponent("body")
            let body = try Data(contentsOf: file)
            let text = String(decoding: body, as: UTF8.self)
            let lines = row.command.contains("feed=continuous") ? text.split(separator: "\n").map { Data($0.utf8) } : [body]
            if let shape = try? JSONSerialization.jsonObject(with: Data(row.shape.utf8)) {
                for line in lines {
                    let value = try JSONSerialization.jsonObject(with: line)
                    #expect(differences(value, shape) == [], "\(row.command): \(text)")
                    if let stored = (value as? [String: Any])?["rev"] as? String { revision = stored }
                }
            } else {
                let parts = row.shape.split(separator: "…", omittingEmptySubsequences: false)
                #expect(text.hasPrefix(parts[0]) && text.hasSuffix(parts.last ?? ""), "\(row.command): \(text)")
            }
            try? FileManager.default.removeItem(at: file)
        }
        await hub.stop()
    }
}
#endif
