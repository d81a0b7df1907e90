package import Foundation

/// How a process ended.
package enum ProcessEnding: Equatable, Sendable {
    /// It exited with this code.
    case exited(Int32)
    /// It was terminated by this signal, for example 9 for SIGKILL.
    case signalled(Int32)
}

/// The result of a process: its exit code and output.
package struct ProcessResult: Sendable {
    package let ending: ProcessEnding
    package let standardOutput: Data
    package let standardError: Data

    /// The exit code; `nil` if a signal terminated the process.
    package var exitCode: Int32? {
        if case .exited(let code) = ending { code } else { nil }
    }

    /// Standard output as text, with replacement characters for invalid UTF-8.
    package var output: String { String(decoding: standardOutput, as: UTF8.self) }

    /// Standard error as text, with replacement characters for invalid UTF-8.
    package var errorOutput: String { String(decoding: standardError, as: UTF8.self) }

    /// The non-empty lines of standard output, without line ends.
    package var outputLines: [String] {
        output.split(whereSeparator: \.isNewline).map(String.init)
    }
}

/// The reason why a process could not be started.
package enum ProcessRunnerError: Error, CustomStringConvertible {
    /// There is no executable of this name in the build directory.
    case productNotFound(name: String, searched: [String])

    package var description: String {
        switch self {
        case .productNotFound(let name, let searched):
            "no executable '\(name)' in \(searched.joined(separator: ", ")); build it with `swift build --build-tests`"
        }
    }
}

/// Runs an executable any number of times and captures its output.
///
/// ```swift
/// let cblite = try ProcessRunner(product: "cblite")
/// let result = try cblite.run(["ls", path])
/// #expect(result.exitCode == 0)
/// ```
package struct ProcessRunner: Sendable {
    package let executable: URL
    /// Arguments before those of each run.
    private let leading: [String]

    /// Creates a runner for the executable at a URL.
    package init(executable: URL, leading: [String] = []) {
        self.executable = executable
        self.leading = leading
    }

    /// Creates a runner for an executable product of this package, which is in the same directory as the tests. For `cblite`, the environment
    /// variable `CBLITE` can name another executable, such as that of a release build.
    package init(product name: String) throws(ProcessRunnerError) {
        if name == "cblite", let path = ProcessInfo.processInfo.environment["CBLITE"] {
            guard FileManager.default.isExecutableFile(atPath: path) else { throw .productNotFound(name: name, searched: [path]) }
            (executable, leading) = (URL(fileURLWithPath: path), [])
            return
        }
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
    ///   - input: The content of standard input.
    ///   - environment: Variables added to those of the tests; they replace variables of the same name.
    ///   - directory: The working directory; `nil` for that of the tests.
    /// - Throws: `POSIXError` if the executable cannot be started.
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

    /// Runs a process and blocks the calling thread until it has ended. See ``start(_:input:environment:directory:)``.
    package func run(
        _ arguments: [String] = [],
        input: Data = Data(),
        environment: [String: String] = [:],
        directory: URL? = nil
    ) throws -> ProcessResult {
        try start(arguments, input: input, environment: environment, directory: directory).waitUntilExit()
    }

    /// Runs a process and waits for its end without blocking the calling thread. See ``start(_:input:environment:directory:)``.
    package func run(
        _ arguments: [String] = [],
        input: Data = Data(),
        environment: [String: String] = [:],
        directory: URL? = nil
    ) async throws -> ProcessResult {
        try await start(arguments, input: input, environment: environment, directory: directory).result
    }

    /// The directories in which products may be, nearest first: that of the running test bundle and its parents.
    ///
    /// On Linux the test bundle is an executable next to the products. On macOS it is a directory next to them, loaded by a helper
    /// in another directory, which gets its path as an argument.
    private static let productDirectories: [URL] = {
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
    }()
}
