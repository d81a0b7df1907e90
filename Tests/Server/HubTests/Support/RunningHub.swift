#if Replication
import CouchbaseLiteSwift
import Foundation
import Hub
import Synchronization
import TestSupport
import WebServer

/// A hub with the databases `db` and `other` in a temporary directory.
final class RunningHub: Sendable {
    let hub: Hub
    let directory: TemporaryDirectory
    let port: Int
    let log: Recorder<String>

    /// - Parameters:
    ///   - prepare: Changes the options.
    ///   - inspector: Returns the inspector of the databases; `nil` for none.
    init(
        _ prepare: (inout HubOptions) -> Void = { _ in },
        inspector: (([ServedDatabase], HubUsers) -> any WebHandler)? = nil
    ) throws {
        directory = try TemporaryDirectory()
        for name in ["db", "other"] {
            let config = DatabaseConfiguration()
            config.directory = directory.url.path
            let database = try Database(name: name, config: config)
            if name == "db" { _ = try database.createCollection(name: "hotels", scope: "travel") }
            try database.close()
        }
        let log = Recorder<String>()
        self.log = log
        var options = HubOptions(directory: directory.url.path)
        options.passwordIterations = 10
        options.stopTimeout = 0.2
        options.requestLog = { log.append($0) }
        prepare(&options)
        hub = try Hub(options, inspector: inspector)
        try hub.start()
        port = hub.port ?? 0
    }

    /// Starts a hub with the databases and the port of one that was stopped.
    ///
    /// - Parameter prepare: Changes the options.
    init(restarting other: RunningHub, _ prepare: (inout HubOptions) -> Void = { _ in }) throws {
        directory = other.directory
        log = other.log
        var options = HubOptions(directory: directory.url.path)
        options.passwordIterations = 10
        options.stopTimeout = 0.2
        options.port = other.port
        prepare(&options)
        hub = try Hub(options)
        try hub.start()
        port = hub.port ?? 0
    }

    func stop() async { await hub.stop() }

    /// Creates a collection in the database `db` of a hub that was stopped.
    func createCollection(_ name: String, scope: String) throws {
        let config = DatabaseConfiguration()
        config.directory = directory.url.path
        let database = try Database(name: "db", config: config)
        _ = try database.createCollection(name: name, scope: scope)
        try database.close()
    }

    /// The options of `curl` with which it trusts the certificate of the hub.
    private func trust() throws -> [String] {
        guard let certificate = hub.certificate else { return [] }
        let file = directory.url.appendingPathComponent("certificate.pem")
        let lines = Data(certificate).base64EncodedString(options: .lineLength64Characters)
        try Data("-----BEGIN CERTIFICATE-----\n\(lines)\n-----END CERTIFICATE-----\n".utf8).write(to: file)
        return ["--cacert", file.path]
    }

    /// A response.
    struct Answer {
        let status: Int
        let text: String
        let headers: [String: String]

        var object: [String: Any] { (try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]) ?? [:] }
        var array: [[String: Any]] { (try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]]) ?? [] }
        var revision: String { object["rev"] as? String ?? "" }
    }

    /// Sends a request.
    ///
    /// - Parameters:
    ///   - user: The name of the user, whose password is `secret`.
    ///   - port: The port; `nil` for that of the users.
    ///   - scheme: The scheme of the URL; `nil` for that of the hub.
    func send(
        _ method: String,
        _ path: String,
        _ body: String? = nil,
        user: String? = nil,
        headers: [String: String] = [:],
        port: Int? = nil,
        scheme: String? = nil
    ) async throws -> Answer {
        let scheme = scheme ?? (hub.certificate == nil ? "http" : "https")
        return try await Self.send(
            method,
            path,
            body,
            user: user,
            headers: headers,
            port: port ?? self.port,
            scheme: scheme,
            options: try trust()
        )
    }

    /// Sends a request to any hub on this machine. `options` are further ones of curl.
    static func send(
        _ method: String,
        _ path: String,
        _ body: String? = nil,
        user: String? = nil,
        headers: [String: String] = [:],
        port: Int,
        scheme: String = "http",
        options: [String] = []
    ) async throws -> Answer {
        // Not `URLSession`, which waits for credentials after the status 401.
        var arguments = ["-s", "-i", "-X", method] + options
        var fields = headers
        if body != nil, fields["Content-Type"] == nil { fields["Content-Type"] = "application/json" }
        for (name, value) in fields { arguments += ["-H", "\(name): \(value)"] }
        if let user { arguments += ["-u", "\(user):secret"] }
        if let body { arguments += ["--data-binary", body] }
        let curl = ProcessRunner(executable: URL(fileURLWithPath: "/usr/bin/env"), leading: ["curl"])
        let text = try await curl.run(arguments + ["\(scheme)://127.0.0.1:\(port)\(path)"]).output
        return Answer(text)
    }
}

extension RunningHub.Answer {
    /// Parses a response with its head.
    fileprivate init(_ response: String) {
        let parts = response.replacing("\r\n", with: "\n").split(separator: "\n\n", maxSplits: 1, omittingEmptySubsequences: false)
        let lines = parts[0].split(separator: "\n")
        status = lines.first.flatMap { Int($0.split(separator: " ").dropFirst().first ?? "") } ?? 0
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let sides = line.split(separator: ":", maxSplits: 1)
            headers[sides[0].lowercased()] = sides.count == 2 ? sides[1].trimmingCharacters(in: .whitespaces) : ""
        }
        self.headers = headers
        text = parts.count == 2 ? String(parts[1]) : ""
    }
}

/// Runs `body` with a hub, and stops the hub.
func withHub(
    _ prepare: (inout HubOptions) -> Void = { _ in },
    inspector: (([ServedDatabase], HubUsers) -> any WebHandler)? = nil,
    _ body: (RunningHub) async throws -> Void
) async throws {
    let hub = try RunningHub(prepare, inspector: inspector)
    do {
        try await body(hub)
    } catch {
        await hub.stop()
        throw error
    }
    await hub.stop()
}
#endif
