package import Foundation

/// How a process ended.
package enum ProcessEnding: Equatable, Sendable {
    /// It exited by itself, with this code.
    case exited(Int32)
    /// A signal ended it, say 9 for SIGKILL.
    case signalled(Int32)
}

/// What a process left behind.
package struct ProcessResult: Sendable {
    package let ending: ProcessEnding
    package let standardOutput: Data
    package let standardError: Data

    /// The exit code, nil when a signal ended the process.
    package var exitCode: Int32? {
        if case .exited(let code) = ending { code } else { nil }
    }

    /// Standard output as text. What is not UTF-8 is shown as replacement characters.
    package var output: String { String(decoding: standardOutput, as: UTF8.self) }

    /// Standard error as text.
    package var errorOutput: String { String(decoding: standardError, as: UTF8.self) }

    /// The lines of standard output, without their line ends.
    package var outputLines: [String] {
        output.split(whereSeparator: \.isNewline).map(String.init)
    }
}

/// Why a process could not be started.
package enum ProcessRunnerError: Error, CustomStringConvertible {
    /// No executable of this name stands beside the tests.
    case productNotFound(name: String, searched: [String])

    package var description: String {
        switch self {
        case .productNotFound(let name, let searched):
            "no executable '\(name)' in \(searched.joined(separator: ", ")); build it with `swift build --build-tests`"
        }
    }
}

/// Runs an executable, as often as wanted, with everything it prints captured.
///
/// ```swift
/// let cblite = try ProcessRunner(product: "cblite")
/// let result = try cblite.run(["ls", path])
/// #expect(result.exitCode == 0)
/// ```
package struct ProcessRunner: Sendable {
    package let executable: URL
    /// Arguments that come before those of a single run.
    private let leading: [String]

    /// A runner for the executable at this place.
    package init(executable: URL, leading: [String] = []) {
        self.executable = executable
        self.leading = leading
    }

    /// A runner for an executable product of this package, which is built beside the tests.
    package init(product name: String) throws(ProcessRunnerError) {
        let directories = Self.productDirectories
        let found = directories.lazy.map { $0.appendingPathComponent(name) }.first {
            FileManager.default.isExecutableFile(atPath: $0.path)
        }
        guard let found else { throw .productNotFound(name: name, searched: directories.map(\.path)) }
        executable = found
        leading = []
    }

    /// Starts a process and returns without waiting for it.
    ///
    /// - Parameters:
    ///   - arguments: The arguments after the name of the executable.
    ///   - input: What the process reads from standard input, and then the end of it.
    ///   - environment: Variables added to those of the tests, replacing equal names.
    ///   - directory: The working directory; that of the tests when nil.
    /// - Throws: The system's error when the executable cannot be started.
    package func start(
        _ arguments: [String] = [],
        input: Data = Data(),
        environment: [String: String] = [:],
        directory: URL? = nil
    ) throws -> RunningProcess {
        let command = ChildProcess.Command(
            executable: executable.path,
            arguments: leading + arguments,
            environment: ProcessInfo.processInfo.environment.merging(environment) { $1 },
            directory: directory?.path
        )
        return RunningProcess(try ChildProcess(command, input: input))
    }

    /// Runs a process to its end, blocking the calling thread. See ``start(_:input:environment:directory:)``.
    package func run(
        _ arguments: [String] = [],
        input: Data = Data(),
        environment: [String: String] = [:],
        directory: URL? = nil
    ) throws -> ProcessResult {
        try start(arguments, input: input, environment: environment, directory: directory).waitUntilExit()
    }

    /// Runs a process to its end without blocking a thread of the caller. See ``start(_:input:environment:directory:)``.
    package func run(
        _ arguments: [String] = [],
        input: Data = Data(),
        environment: [String: String] = [:],
        directory: URL? = nil
    ) async throws -> ProcessResult {
        try await start(arguments, input: input, environment: environment, directory: directory).result
    }

    /// Where products may be, nearest first: the folder of the running test bundle and those above it.
    ///
    /// On Linux the test bundle is an executable among the products. On macOS it is a folder among them, loaded by a helper
    /// that lies elsewhere and is told of it by an argument.
    private static var productDirectories: [URL] {
        let arguments = CommandLine.arguments
        var starts = Bundle.allBundles.map(\.bundleURL).filter { $0.pathExtension == "xctest" }
        if let option = arguments.firstIndex(of: "--test-bundle-path"), option + 1 < arguments.count {
            starts.append(URL(fileURLWithPath: arguments[option + 1]))
        }
        starts.append(Bundle.main.bundleURL)
        if let executable = Bundle.main.executableURL { starts.append(executable) }
        if let name = arguments.first { starts.append(URL(fileURLWithPath: name)) }

        var directories: [URL] = []
        for start in starts {
            var directory = start.standardizedFileURL
            for _ in 0..<4 where directory.path != "/" {
                if !directories.contains(directory) { directories.append(directory) }
                directory.deleteLastPathComponent()
            }
        }
        return directories
    }
}
