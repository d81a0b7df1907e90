import Foundation

/// An independent peer of replications, written in Python from the protocol's specification alone: a client, a server in memory
/// that behaves as Sync Gateway or as a listener of Couchbase Lite, and a battery of checks for servers.
package enum IndependentPeer {
    /// The peer could not be run, or its answer not be understood.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    private static let script = Fixtures.tools.appendingPathComponent("blip_peer.py")
    private static let python = ProcessRunner(executable: URL(fileURLWithPath: "/usr/bin/env"), leading: ["python3"])

    /// As what a server behaves.
    package enum Mode: String, Sendable, CaseIterable {
        case syncGateway = "sync-gateway"
        case couchbaseLite = "couchbase-lite"
    }

    /// A server that is running; killed when the object goes.
    package final class Server: Sendable {
        private let process: RunningProcess
        /// Where it listens.
        package let port: Int

        fileprivate init(_ process: RunningProcess) throws {
            struct Line: Decodable { let listening: Int }
            self.process = process
            guard let line = process.waitForOutput(lines: 1).first else {
                throw Failure(description: "the peer did not start: \(process.waitUntilExit().errorOutput)")
            }
            port = try JSONDecoder().decode(Line.self, from: Data(line.utf8)).listening
        }

        deinit {
            process.kill()
        }

        /// Ends the server at once, as a crash would.
        package func kill() {
            process.kill()
            process.waitUntilExit()
        }

        /// The URL of a database.
        package func url(_ database: String) -> String { "ws://127.0.0.1:\(port)/\(database)" }
    }

    /// Starts a server.
    ///
    /// - Parameter arguments: Options of its command `serve`, such as `--db`, `--load`, `--drop-after`.
    package static func serve(_ mode: Mode, port: Int = 0, _ arguments: [String] = []) throws -> Server {
        let arguments = ["serve", "--port", "\(port)", "--mode", mode.rawValue] + arguments
        return try Server(python.start([script.path] + arguments, environment: environment))
    }

    /// What a command of the peer has said.
    package struct Answer: Sendable {
        /// Whether the command ended well.
        package let isGood: Bool
        /// The object that was printed last.
        package let json: String
        /// What went to standard error.
        package let log: String

        /// A number of that object; nil when it has none of that name.
        package func number(_ name: String) -> Int? {
            let object = try? JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
            return object?[name] as? Int
        }
    }

    /// Runs a command to its end: `push`, `pull`, `sync`, `roundtrip`, `conformance`.
    package static func run(_ arguments: [String]) async throws -> Answer {
        let process = try await python.run([script.path] + arguments, environment: environment)
        guard let line = process.outputLines.last else { throw Failure(description: "\(arguments.first ?? ""): \(process.errorOutput)") }
        return Answer(isGood: process.exitCode == 0, json: line, log: process.errorOutput)
    }

    private static let environment = ["PYTHONIOENCODING": "utf-8", "PYTHONDONTWRITEBYTECODE": "1"]
}
