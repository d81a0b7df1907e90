import Foundation

/// Runs programs of `Tests/Tools`.
package enum Python {
    /// The interpreter itself. The command `python3` may be a script of a version manager that takes longer than many of these programs.
    package static let runner: ProcessRunner = {
        let command = ProcessRunner(executable: URL(fileURLWithPath: "/usr/bin/env"), leading: ["python3"])
        let found = try? command.run(["-c", "import sys; print(sys.executable)"]).outputLines.first
        guard let path = found, FileManager.default.isExecutableFile(atPath: path) else { return command }
        return ProcessRunner(executable: URL(fileURLWithPath: path))
    }()
}
