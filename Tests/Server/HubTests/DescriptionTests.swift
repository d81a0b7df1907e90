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

    @Test("every route of a port is described with its methods, and nothing else is described", arguments: [false, true])
    func routes(isAdmin: Bool) async throws {
        try await withHub {
            $0.adminPort = 0
        } _: { hub in
            let paths = try #require(try await description(hub, isAdmin: isAdmin)["paths"] as? [String: [String: Any]])
            var served: [String: Set<String>] = [:]
            for route in HubRoute.allCases where isAdmin || !route.isForAdministration {
                served[route.rawValue] = Set(route.methods.map { $0.lowercased() })
            }
            #expect(paths.mapValues { Set($0.keys) } == served)
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
