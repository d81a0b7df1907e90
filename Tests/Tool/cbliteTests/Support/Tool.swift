import CouchbaseLiteSwift
import Foundation
import TestSupport
import TestTraits
import Testing

@testable import cblite

/// The real command-line tool, run in its own temporary directory.
struct Tool {
    let directory: TemporaryDirectory
    private let runner: ProcessRunner

    init() throws {
        directory = try TemporaryDirectory()
        runner = try ProcessRunner(product: "cblite")
    }

    /// The path of the executable.
    var path: String { runner.executable.path }

    /// Runs the tool and returns its output and exit code.
    func run(_ arguments: String..., input: String = "") throws -> ProcessResult {
        try run(arguments, input: input)
    }

    /// Runs the tool and returns its output and exit code.
    func run(_ arguments: [String], input: String = "") throws -> ProcessResult {
        try runner.run(arguments, input: Data(input.utf8), directory: directory.url)
    }

    /// Starts the tool without waiting for its end.
    func start(_ arguments: String...) throws -> RunningProcess {
        try start(arguments)
    }

    /// Starts the tool without waiting for its end.
    func start(_ arguments: [String]) throws -> RunningProcess {
        try runner.start(arguments, directory: directory.url)
    }

    /// Starts `cblite serve` at a free port.
    func serve(_ arguments: String...) throws -> RunningProcess {
        try serve(arguments)
    }

    private func serve(_ arguments: [String]) throws -> RunningProcess {
        try runner.start(["serve", "--port", "0"] + arguments, directory: directory.url)
    }

    /// Runs `cblite serve` while `body` runs, which gets the first line it prints; then interrupts it, as with Ctrl-C.
    func serving<Result>(_ arguments: String..., body: ([String]) throws -> Result) throws -> Result {
        let process = try serve(arguments)
        defer { process.kill() }
        let result = try body(process.waitForOutput(lines: 1))
        process.kill(SIGINT)
        let end = process.waitUntilExit()
        #expect(end.exitCode == 0, "\(end.errorOutput)")
        return result
    }

    /// Runs the tool, expects it to succeed without printing errors, and returns the lines it printed.
    @discardableResult
    func lines(_ arguments: String..., input: String = "", sourceLocation: SourceLocation = #_sourceLocation) throws -> [String] {
        let result = try run(arguments, input: input)
        #expect(result.exitCode == 0, "\(arguments): \(result.errorOutput)", sourceLocation: sourceLocation)
        #expect(result.errorOutput == "", sourceLocation: sourceLocation)
        return result.outputLines
    }

    /// Runs the tool, and expects it to fail with this exit code and to print an error that contains `message`.
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

    /// Runs a shell command line in which `cblite` is the tool.
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

    /// Copies a real database into the directory, under its own name.
    func copyFixture(_ name: String) throws {
        _ = try directory.copy(RealDatabase.url(name))
    }

    /// Creates a database `db.cblite2` with the given documents, or with three. Does what `cblite import --create` does without starting it,
    /// because most tests begin with this.
    func makeDatabase(_ documents: String...) throws {
        let documents =
            documents.isEmpty ? [#"{"_id":"a","n":1}"#, #"{"_id":"b","n":2}"#, #"{"_id":"c","n":3}"#] : documents
        try Opening(path: directory.path("db.cblite2"), busyTimeout: 10, key: nil).using(.creating) { database in
            let blobs = try BlobImport(nil, into: database)
            try database.defaultCollection().transaction { transaction in
                var writer = DocumentWriter(idProperty: "_id", blobs: blobs)
                for document in documents {
                    try Array(document.utf8).withUnsafeBytes { text in
                        let position = SourcePosition(file: "test", line: 1, column: 1)
                        _ = try writer.store(SourceDocument(text: text), at: position, in: transaction)
                    }
                }
            }
        }
    }

    /// Returns the names and contents of all files of a bundle. For the shared memory file of a log, which readers change, the content is
    /// left empty.
    func contents(of bundle: String) throws -> [String: Data] {
        var result: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: directory.path(bundle)) {
            result[name] = name.hasSuffix("-shm") ? Data() : (try? data("\(bundle)/\(name)")) ?? Data()
        }
        return result
    }
}

/// Parses a JSON object, for comparison.
func object(_ json: String) throws -> NSDictionary {
    try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? NSDictionary)
}
