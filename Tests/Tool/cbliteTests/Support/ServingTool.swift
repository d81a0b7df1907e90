#if Replication
import Foundation
import TestSupport
import Testing

/// A running `cblite serve` process with resource limits, whose memory can be measured.
final class ServingTool {
    let process: RunningProcess
    let port: Int
    let database: String

    /// - Parameter limits: Shell commands that run before the server starts, such as `ulimit -n 300`.
    init(_ tool: Tool, limits: String = ":", _ arguments: [String]) throws {
        let shell = ProcessRunner(executable: URL(fileURLWithPath: "/bin/sh"))
        process = try shell.start(
            ["-c", limits + #"; exec "$0" serve --port 0 "$@""#, tool.path] + arguments,
            directory: tool.directory.url
        )
        let url = try #require(process.waitForOutput(lines: 1).first.flatMap { URL(string: $0) })
        port = try #require(url.port)
        database = url.lastPathComponent
    }

    deinit {
        process.kill()
    }

    /// The peak memory of the process so far, in bytes; `nil` if the system does not report it.
    var peakMemory: UInt64? { PeakMemory.ofProcess(process.identifier) }

    var url: String { "ws://127.0.0.1:\(port)/\(database)" }
}
#endif
