import Foundation
import TestSupport
import TestTraits
import Testing

/// The real command line tool, run in a directory of its own.
struct Tool {
    let directory: TemporaryDirectory
    private let runner: ProcessRunner

    init() throws {
        directory = try TemporaryDirectory()
        runner = try ProcessRunner(product: "cblite")
    }

    /// Where the executable is.
    var path: String { runner.executable.path }

    /// Runs the tool and returns what it left behind, whatever its exit code.
    func run(_ arguments: String..., input: String = "") throws -> ProcessResult {
        try run(arguments, input: input)
    }

    /// Runs the tool and returns what it left behind, whatever its exit code.
    func run(_ arguments: [String], input: String = "") throws -> ProcessResult {
        try runner.run(arguments, input: Data(input.utf8), directory: directory.url)
    }

    /// Starts the tool, which goes on till it ends or is told to.
    func start(_ arguments: String...) throws -> RunningProcess {
        try start(arguments)
    }

    /// Starts the tool, which goes on till it ends or is told to.
    func start(_ arguments: [String]) throws -> RunningProcess {
        try runner.start(arguments, directory: directory.url)
    }

    /// Starts `cblite serve` at a port that is free.
    func serve(_ arguments: String...) throws -> RunningProcess {
        try serve(arguments)
    }

    private func serve(_ arguments: [String]) throws -> RunningProcess {
        try runner.start(["serve", "--port", "0"] + arguments, directory: directory.url)
    }

    /// Has `cblite serve` run for as long as `body` takes, which gets the first lines it prints; then it is told to end, as by Ctrl-C.
    func serving<Result>(_ arguments: String..., body: ([String]) throws -> Result) throws -> Result {
        let process = try serve(arguments)
        defer { process.kill() }
        let result = try body(process.waitForOutput(lines: 1))
        process.kill(SIGINT)
        let end = process.waitUntilExit()
        #expect(end.exitCode == 0, "\(end.errorOutput)")
        return result
    }

    /// Runs the tool and expects it to succeed. Returns the lines it printed.
    @discardableResult
    func lines(_ arguments: String..., input: String = "", sourceLocation: SourceLocation = #_sourceLocation) throws -> [String] {
        let result = try run(arguments, input: input)
        #expect(result.exitCode == 0, "\(arguments): \(result.errorOutput)", sourceLocation: sourceLocation)
        #expect(result.errorOutput == "", sourceLocation: sourceLocation)
        return result.outputLines
    }

    /// Runs the tool and expects it to fail with this code and to say something on standard error that contains `message`.
    func expectFailure(
        _ code: Int32,
        _ message: String,
        _ arguments: String...,
        input: String = "",
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let result = try run(arguments, input: input)
        #expect(result.exitCode == code, "\(arguments): \(result.errorOutput)", sourceLocation: sourceLocation)
        #expect(result.errorOutput.contains(message), "\(result.errorOutput)", sourceLocation: sourceLocation)
    }

    /// Runs a line of shell, in which `cblite` is the tool.
    func shell(_ line: String) throws -> ProcessResult {
        try ProcessRunner(executable: URL(fileURLWithPath: "/bin/sh")).run(
            ["-c", "cblite() { \"$CBLITE\" \"$@\"; }\n" + line],
            environment: ["CBLITE": path],
            directory: directory.url
        )
    }

    /// Writes a file into the directory.
    func write(_ name: String, _ text: String) throws {
        let url = directory.url.appendingPathComponent(name)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
    }

    func data(_ name: String) throws -> Data {
        try Data(contentsOf: directory.url.appendingPathComponent(name))
    }

    func exists(_ name: String) -> Bool {
        FileManager.default.fileExists(atPath: directory.path(name))
    }

    /// A copy of a real database, in the directory under its own name.
    func copyFixture(_ name: String) throws {
        _ = try directory.copy(RealDatabase.url(name))
    }

    /// A database `db.cblite2` with a few documents.
    func makeDatabase(_ documents: String...) throws {
        let documents =
            documents.isEmpty ? [#"{"_id":"a","n":1}"#, #"{"_id":"b","n":2}"#, #"{"_id":"c","n":3}"#] : documents
        try lines("import", "--create", "db", "-", input: documents.joined(separator: "\n"))
    }

    /// The names and contents of all files of a bundle; of the index of a log, which readers write to, only the name.
    func contents(of bundle: String) throws -> [String: Data] {
        var result: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: directory.path(bundle)) {
            result[name] = name.hasSuffix("-shm") ? Data() : (try? data("\(bundle)/\(name)")) ?? Data()
        }
        return result
    }
}

/// The members of a JSON object, for comparison.
func object(_ json: String) throws -> NSDictionary {
    try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? NSDictionary)
}
