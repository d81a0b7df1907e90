#if Replication
import Foundation
import TestSupport
import TestTraits
import Testing

@testable import Hub

@Suite("The description of the REST API", .ownThreads)
struct DescriptionTests {
    private static let values = [
        "keyspace": "db", "database": "db", "document": "a", "attachment": "x", "local": "l", "user": "anna", "role": "staff",
    ]

    private func description(_ hub: RunningHub, isAdmin: Bool = false) async throws -> [String: Any] {
        let answer = try await hub.send("GET", "/_openapi", port: isAdmin ? hub.hub.adminPort : nil)
        #expect(answer.status == 200 && answer.headers["content-type"] == "application/json")
        #expect(answer.object["openapi"] as? String == "3.0.3")
        return answer.object
    }

    @Test(
        "the description of a port contains its endpoints, and only the port for administration has those for users and roles",
        arguments: [
            false, true,
        ]
    )
    func endpoints(isAdmin: Bool) async throws {
        try await withHub {
            $0.adminPort = 0
        } _: { hub in
            let text = try await description(hub, isAdmin: isAdmin)
            let paths = try #require(text["paths"] as? [String: [String: [String: Any]]])
            let routes = HubEndpoints.routes(isAdmin: isAdmin)
            #expect(Set(paths.keys) == Set(routes.map(\.path)))
            #expect(paths.keys.contains { $0.contains("/_user") || $0.contains("/_role") } == isAdmin)
            for route in routes {
                for operation in route.operations {
                    let described = try #require(paths[route.path]?[operation.method.lowercased()])
                    #expect(described["operationId"] as? String == operation.id)
                    let responses = try #require(described["responses"] as? [String: Any])
                    #expect(Set(responses.keys) == Set(operation.responses.map { String($0.status) } + ["4XX", "503"]))
                    #expect((described["requestBody"] == nil) == (operation.body == nil))
                }
            }
            #expect((text["security"] as? [Any])?.isEmpty == isAdmin)
        }
    }

    @Test("an operation has an ID of its own, and what the description refers to is part of it")
    func references() throws {
        let ids = HubEndpoints.all.flatMap(\.operations).map(\.id)
        #expect(Set(ids).count == ids.count)
        let root = try #require(try JSONSerialization.jsonObject(with: Data(HubEndpoints.adminDescription)) as? [String: Any])
        let components = try #require(root["components"] as? [String: [String: Any]])
        var references: Set<String> = []
        func collect(_ value: Any) {
            if let array = value as? [Any] { array.forEach(collect) }
            guard let object = value as? [String: Any] else { return }
            if let reference = object["$ref"] as? String { references.insert(reference) }
            object.values.forEach(collect)
        }
        collect(root)
        #expect(references.count > 10)
        for reference in references {
            let parts = reference.split(separator: "/").map(String.init)
            #expect(parts.count == 4 && components[parts[2]]?[parts[3]] != nil, "\(reference)")
        }
    }

    @Test("every method that is described exists, and no other", arguments: [false, true])
    func methods(isAdmin: Bool) async throws {
        try await withHub {
            $0.adminPort = 0
        } _: { hub in
            let paths = try #require(try await description(hub, isAdmin: isAdmin)["paths"] as? [String: [String: Any]])
            let port = isAdmin ? hub.hub.adminPort : nil
            for (path, operations) in paths {
                let target = Self.values.reduce(path) { $0.replacing("{\($1.key)}", with: $1.value) }
                #expect(!target.contains("{"))
                for method in ["GET", "PUT", "POST", "DELETE", "PATCH"] {
                    let answer = try await hub.send(method, target, method == "GET" ? nil : "{}", port: port)
                    let isDescribed = operations[method.lowercased()] != nil
                    #expect((answer.status == 405) == !isDescribed, "\(method) \(target): \(answer.status)")
                    guard answer.status == 405 else { continue }
                    let allowed = (answer.headers["allow"] ?? "").lowercased().split(separator: ", ").map(String.init)
                    #expect(allowed.sorted() == operations.keys.sorted(), "\(method) \(target)")
                }
            }
        }
    }

    @Test("a path that is not in the table is unknown, with each method", arguments: [false, true])
    func otherPaths(isAdmin: Bool) async throws {
        try await withHub {
            $0.adminPort = 0
        } _: { hub in
            let port = isAdmin ? hub.hub.adminPort : nil
            for path in ["/db/_none", "/db/_local", "/db/_local/a/b", "/db/_user/a/b", "/db/_session/x", "/db/_changes/x", "/db/_x/y"] {
                for method in ["GET", "PUT", "POST", "DELETE", "PATCH", "OPTIONS"] {
                    let answer = try await hub.send(method, path, method == "GET" ? nil : "{}", port: port)
                    #expect(answer.status == 404 && answer.text.contains("unknown URL"), "\(method) \(path): \(answer.status)")
                }
            }
        }
    }

    @Test(
        "random requests that follow from the description get responses that it describes, and no error of the server",
        .enabled(if: RandomRequests.areAvailable, "schemathesis is not installed"),
        arguments: RandomRequests.Client.allCases
    )
    func randomRequests(client: RandomRequests.Client) async throws {
        try await withHub {
            $0.adminPort = 0
            // So that feeds end.
            $0.maximumFeedTimeout = 20
        } _: { hub in
            let result = try await RandomRequests(hub, client).run()
            #expect(result.exitCode == 0, "\(result.output)\(result.errorOutput)")
            #expect(result.output.contains("Tested: \(client.operationCount)"))
        }
    }
}
#endif
