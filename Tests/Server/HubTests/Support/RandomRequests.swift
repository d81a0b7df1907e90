#if Replication
import Foundation
import Hub
import TestSupport

/// Sends random requests that follow from the description of the API, with the program schemathesis from PyPI.
struct RandomRequests {
    static let areAvailable = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
        FileManager.default.isExecutableFile(atPath: "\($0)/schemathesis")
    }

    /// Who sends the requests.
    enum Client: CaseIterable {
        /// Everyone on this machine, because the hub has no users.
        case guest
        /// A user with one channel.
        case member
        /// A user of all documents.
        case root
        /// A user of all documents with the cookie of a session.
        case session
        /// Everyone on this machine, on the port for administration.
        case administrator

        /// The number of requests that the description has.
        var operationCount: Int {
            switch self {
            case .guest, .member, .root: 30
            case .session: 29
            case .administrator: 40
            }
        }
    }

    /// The number of requests of each kind. `RANDOM_REQUESTS` in the environment is another one.
    private static let count = ProcessInfo.processInfo.environment["RANDOM_REQUESTS"].flatMap { Int($0) } ?? 5
    private static let checks = [
        "not_a_server_error", "status_code_conformance", "content_type_conformance", "response_schema_conformance",
        "response_headers_conformance", "unsupported_method", "allow_header_conformance",
    ]
    /// What the parts of paths may be, so that most requests are for something that exists.
    private static let values = [
        "keyspace": ["db", "db._default", "other._default._default"], "database": ["db", "other", "x"], "document": ["a", "b", "c d"],
        "user": ["bert", "carl"], "role": ["staff", "x"],
    ]

    private let hub: RunningHub
    private let client: Client

    init(_ hub: RunningHub, _ client: Client) { (self.hub, self.client) = (hub, client) }

    func run() async throws -> ProcessResult {
        let port = (client == .administrator ? hub.hub.adminPort : nil) ?? hub.port
        let text = try await hub.send("GET", "/_openapi", port: port).text
        let file = hub.directory.url.appendingPathComponent("description.json")
        try limited(text).write(to: file)
        let program = ProcessRunner(executable: URL(fileURLWithPath: "/usr/bin/env"), leading: ["schemathesis"])
        return try await program.run(
            [
                "run", file.path, "--url", "http://localhost:\(port)", "--seed", "1", "--max-examples", "\(Self.count)", "--no-color",
                "--phases", "coverage,fuzzing", "--exclude-path", "/{database}/_blipsync", "--checks", Self.checks.joined(separator: ","),
                "--generation-database", "none", "--request-timeout", "300", "--suppress-health-check", "all", "--warnings", "off",
            ] + credentials()
        )
    }

    /// Adds the users that the client needs. Returns the options with which the client proves to be one.
    private func credentials() async throws -> [String] {
        guard client != .guest, client != .administrator else { return [] }
        for (name, channels) in [("anna", ["mine"]), ("root", ["*"])] {
            _ = try hub.hub.users.add(name, password: "secret", channels: channels)
        }
        guard client == .session else { return ["--auth", client == .root ? "root:secret" : "anna:secret"] }
        let login = try await hub.send("POST", "/db/_session", user: "root")
        let cookie = login.headers["set-cookie"]?.split(separator: ";").first ?? ""
        // The end of the session would be the end of all following requests.
        return ["--header", "Cookie: \(cookie)", "--exclude-operation-id", "logout"]
    }

    /// Returns the description with few values for the parts of paths and for channels, and without what asks for a password.
    private func limited(_ text: String) throws -> Data {
        var root = JSONNode(try JSONSerialization.jsonObject(with: Data(text.utf8)))
        for (name, values) in Self.values { root.set(["type": "string", "enum": values], "components", "parameters", name, "schema") }
        let channels: [String: Any] = ["type": "array", "items": ["enum": ["mine", "other", "!"]]]
        for (path, method) in [("/{keyspace}/{document}", "put"), ("/{keyspace}/", "post")] {
            root.set(["channels": channels], "paths", path, method, "requestBody", "content", "application/json", "schema", "properties")
        }
        root.set([Any](), "security")
        return try JSONSerialization.data(withJSONObject: root.value, options: .sortedKeys)
    }
}

/// JSON whose parts can be replaced.
private struct JSONNode {
    var value: Any

    init(_ value: Any) { self.value = value }

    /// Replaces the value at the keys.
    mutating func set(_ new: Any, _ keys: String...) { value = Self.replacing(value, keys[...], new) }

    private static func replacing(_ value: Any?, _ keys: ArraySlice<String>, _ new: Any) -> Any {
        guard let key = keys.first else { return new }
        var dictionary = value as? [String: Any] ?? [:]
        dictionary[key] = replacing(dictionary[key], keys.dropFirst(), new)
        return dictionary
    }
}
#endif
