#if Replication
import CouchbaseLiteSwift
import Foundation
import TestSupport
import Testing

@testable import Hub

/// A hub in a process of its own, `cblite serve --hub`, whose memory can be measured. It serves the database `db`.
final class HubProcess: Sendable {
    let process: RunningProcess
    let port: Int
    let directory: TemporaryDirectory

    /// - Parameters:
    ///   - limits: Shell commands that run before the hub starts, such as `ulimit -n 300`.
    ///   - options: Further options of `cblite serve`.
    ///   - users: The users with their channels. Their password is `secret`.
    ///   - prepare: Fills the database.
    init(
        limits: String = ":",
        options: [String] = [],
        users: [(name: String, channels: [String])] = [],
        _ prepare: (Database) throws -> Void = { _ in }
    ) throws {
        directory = try TemporaryDirectory()
        let config = DatabaseConfiguration()
        config.directory = directory.url.path
        let database = try Database(name: "db", config: config)
        try prepare(database)
        try database.close()
        try Self.add(users, in: directory.url.path)
        let tool = try ProcessRunner(product: "cblite")
        let shell = ProcessRunner(executable: URL(fileURLWithPath: "/bin/sh"))
        process = try shell.start(
            ["-c", limits + #"; exec "$0" serve --port 0 --hub "$@""#, tool.executable.path, directory.url.path] + options
        )
        let url = process.waitForOutput(lines: 1).first.flatMap { URL(string: $0) }
        port = try #require(url?.port)
    }

    /// Stores users whose passwords are hashed quickly.
    private static func add(_ users: [(name: String, channels: [String])], in directory: String) throws {
        let own = try HubDatabase(name: HubDatabases.ownName, path: HubDatabases.ownPath(in: directory), creates: true)
        defer { own.close() }
        let stored = HubUsers(own, iterations: 10)
        for (name, channels) in users { #expect(try stored.add(name, password: "secret", channels: channels)) }
    }

    deinit { process.kill() }

    /// The peak memory of the process so far, in bytes; `nil` if the system does not report it.
    var peakMemory: UInt64? { PeakMemory.ofProcess(process.identifier) }

    /// Sends a request, as ``RunningHub/send(_:_:_:user:headers:port:)``.
    func send(_ method: String, _ path: String, _ body: String? = nil, user: String? = nil) async throws -> RunningHub.Answer {
        try await RunningHub.send(method, path, body, user: user, port: port)
    }
}
#endif
