package import Foundation

/// Packages from PyPI in a virtual environment below `.build`, for programs in `Tests/Tools`.
package final class PythonPackages: Sendable {
    private let packages: [String]
    private let environment: URL
    private static let shell = ProcessRunner(executable: URL(fileURLWithPath: "/usr/bin/env"))

    /// Why the packages are not installed; `nil` if they are. Has tried to install them.
    package let obstacle: String?

    /// Installs the packages if PyPI is reached, unless an earlier run has done so. Blocks meanwhile.
    ///
    /// - Parameter packages: The packages with their versions, as `NAME==VERSION`.
    package init(_ packages: [String]) {
        self.packages = packages
        // The name contains the versions, so that others are installed anew.
        let name = packages.joined(separator: "-").replacing("==", with: "-")
        environment = Fixtures.packageRoot.appendingPathComponent(".build/python-" + name)
        obstacle = Self.install(packages, at: environment.path)
    }

    private static func install(_ packages: [String], at path: String) -> String? {
        let manager = FileManager.default
        if manager.fileExists(atPath: path) { return nil }
        // Complete before it has its name: another process may install at the same time, or this one may be interrupted.
        let made = path + "-\(UUID().uuidString)"
        defer { try? manager.removeItem(atPath: made) }
        let pip = ["\(made)/bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "1"]
        for command in [["python3", "-m", "venv", made], pip + packages] {
            do {
                let result = try shell.run(command)
                guard result.exitCode == 0 else { return "PyPI is not reached: \(result.errorOutput.suffix(200))" }
            } catch {
                return "\(error)"
            }
        }
        try? manager.moveItem(atPath: made, toPath: path)
        return manager.fileExists(atPath: path) ? nil : "\(path) cannot be written"
    }

    /// Runs a program of `Tests/Tools` with the packages, and waits for its end without blocking the calling thread.
    package func run(_ program: String, _ arguments: [String], directory: URL? = nil) async throws -> ProcessResult {
        let python = environment.appendingPathComponent("bin/python").path
        let path = Fixtures.packageRoot.appendingPathComponent("Tests/Tools/\(program)").path
        return try await Self.shell.run([python, path] + arguments, directory: directory)
    }
}
