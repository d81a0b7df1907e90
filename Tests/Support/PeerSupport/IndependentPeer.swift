import Foundation
import TestSupport

/// An independent replication peer, written in Python only from the protocol specification: a client, an in-memory server
/// that behaves like Sync Gateway or like a listener of Couchbase Lite, and conformance checks for servers.
package enum IndependentPeer {
    /// The peer could not be run, or its output is invalid.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    private static let script = Fixtures.tools.appendingPathComponent("blip_peer.py")

    /// The kind of server to imitate.
    package enum Mode: String, Sendable, CaseIterable {
        case syncGateway = "sync-gateway"
        case couchbaseLite = "couchbase-lite"
    }

    /// A running server, which is killed when the object is released.
    package final class Server: Sendable {
        private let process: RunningProcess
        /// The port on which it listens.
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

        /// Kills the server, as in a crash.
        package func kill() {
            process.kill()
            process.waitUntilExit()
        }

        /// Returns the URL of a database.
        package func url(_ database: String) -> String { "ws://127.0.0.1:\(port)/\(database)" }
    }

    /// Starts a server.
    ///
    /// - Parameter arguments: Options of the peer's command `serve`, such as `--db`, `--load`, `--drop-after`.
    package static func serve(_ mode: Mode, port: Int = 0, _ arguments: [String] = []) throws -> Server {
        let arguments = ["serve", "--port", "\(port)", "--mode", mode.rawValue] + arguments
        return try Server(Python.runner.start([script.path] + arguments, environment: environment))
    }

    /// The result of a command of the peer.
    package struct Answer: Sendable {
        /// Whether the exit code is 0.
        package let isGood: Bool
        /// The last line of standard output, a JSON object.
        package let json: String
        /// Standard error.
        package let log: String

        /// Returns a number in the JSON object; `nil` if it has none of that name.
        package func number(_ name: String) -> Int? {
            let object = try? JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
            return object?[name] as? Int
        }
    }

    /// Runs a command and waits for its end: `push`, `pull`, `sync`, `roundtrip` or `conformance`.
    package static func run(_ arguments: [String]) async throws -> Answer {
        let process = try await Python.runner.run([script.path] + arguments, environment: environment)
        guard let line = process.outputLines.last else { throw Failure(description: "\(arguments.first ?? ""): \(process.errorOutput)") }
        return Answer(isGood: process.exitCode == 0, json: line, log: process.errorOutput)
    }

    private static let environment = ["PYTHONIOENCODING": "utf-8", "PYTHONDONTWRITEBYTECODE": "1"]
}
