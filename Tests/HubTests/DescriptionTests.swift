#if Replication
import Foundation
import TestSupport
import TestTraits
import Testing

@testable import Hub

/// The program schemathesis from PyPI, which sends requests that follow from a description.
private enum Schemathesis {
    static let isInstalled = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
        FileManager.default.isExecutableFile(atPath: "\($0)/schemathesis")
    }
}

@Suite("The description of the REST API", .ownThreads)
struct DescriptionTests {
    private static let values = ["keyspace": "db", "database": "db", "document": "a", "attachment": "x", "local": "l"]

    private func description(_ hub: RunningHub) async throws -> [String: Any] {
        let answer = try await hub.send("GET", "/_openapi")
        #expect(answer.status == 200 && answer.headers["content-type"] == "application/json")
        #expect(answer.object["openapi"] as? String == "3.0.3")
        return answer.object
    }

    @Test("every route of the public port is described with its methods, and nothing else is described")
    func routes() async throws {
        let hub = try RunningHub()
        let paths = try #require(try await description(hub)["paths"] as? [String: [String: Any]])
        var served: [String: Set<String>] = [:]
        for route in HubRoute.allCases where !route.isForAdministration {
            served[route.rawValue] = Set(route.methods.map { $0.lowercased() })
        }
        #expect(paths.mapValues { Set($0.keys) } == served)
        await hub.stop()
    }

    @Test("every method that is described exists, and no other")
    func methods() async throws {
        let hub = try RunningHub()
        let paths = try #require(try await description(hub)["paths"] as? [String: [String: Any]])
        for (path, operations) in paths {
            let target = Self.values.reduce(path) { $0.replacing("{\($1.key)}", with: $1.value) }
            #expect(!target.contains("{"))
            for method in ["GET", "PUT", "POST", "DELETE", "PATCH"] {
                let answer = try await hub.send(method, target, method == "GET" ? nil : "{}")
                let isDescribed = operations[method.lowercased()] != nil
                #expect((answer.status == 405) == !isDescribed, "\(method) \(target): \(answer.status)")
                guard answer.status == 405 else { continue }
                let allowed = (answer.headers["allow"] ?? "").lowercased().split(separator: ", ").map(String.init)
                #expect(allowed.sorted() == operations.keys.sorted(), "\(method) \(target)")
            }
        }
        await hub.stop()
    }

    @Test(
        "random requests that follow from the description get responses that it describes, and no error of the server",
        .enabled(if: Schemathesis.isInstalled, "schemathesis is not installed")
    )
    func randomRequests() async throws {
        let hub = try RunningHub()
        var text = try await hub.send("GET", "/_openapi").text
        // Only what exists, and feeds that end.
        for (name, values) in [
            ("^[A-Za-z0-9._-]+$", #"["db", "db._default", "other._default._default"]"#), ("^[A-Za-z0-9-]+$", #"["db", "other", "x"]"#),
            ("^[A-Za-z0-9-][A-Za-z0-9_.:-]*$", #"["a", "b", "c d"]"#),
        ] {
            let pattern = "\"pattern\": \"\(name)\""
            #expect(text.contains(pattern))
            text = text.replacing(pattern, with: "\"enum\": \(values)")
        }
        text = text.replacing(#"["normal", "longpoll", "continuous"]"#, with: #"["normal"]"#)
        text = text.replacing(#""security": [{"password": []}, {"session": []}]"#, with: #""security": []"#)
        let file = hub.directory.url.appendingPathComponent("description.json")
        try Data(text.utf8).write(to: file)
        let checks = [
            "not_a_server_error", "status_code_conformance", "content_type_conformance", "response_schema_conformance",
            "response_headers_conformance", "unsupported_method", "allow_header_conformance",
        ]
        let program = ProcessRunner(executable: URL(fileURLWithPath: "/usr/bin/env"), leading: ["schemathesis"])
        let result = try await program.run([
            "run", file.path, "--url", "http://localhost:\(hub.port)", "--seed", "1", "--max-examples", "10", "--no-color",
            "--phases", "coverage,fuzzing", "--exclude-path", "/{database}/_blipsync", "--checks", checks.joined(separator: ","),
            "--generation-database", "none", "--request-timeout", "120",
        ])
        #expect(result.exitCode == 0, "\(result.output)\(result.errorOutput)")
        #expect(result.output.contains("Tested: 26"))
        await hub.stop()
    }
}
#endif
