import Foundation

/// Counts the instructions of the measured part of a workload with valgrind's callgrind. Unlike times, the counts hardly differ between two
/// runs, and do not depend on the load of the machine.
struct Instructions {
    /// The number of documents. Small, because a program is about fifty times slower under valgrind.
    static let documents = 2000

    let directory: String

    /// Makes the databases the workloads start from.
    func prepare() throws {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let runner = Runner(directory: directory, documents: Self.documents, runs: 1)
        try runner.prepare()
        // Valgrind cannot read the debug information of every compiler. The names of functions are kept.
        let (status, _) = try run("strip", ["--strip-debug", "-o", program, Bundle.main.executableURL?.path ?? ""])
        if status != 0 { throw WorkloadError.wrongResult("strip ended with \(status)") }
    }

    private var program: String { directory + "/cbl-bench" }

    /// Returns the number of instructions; `nil` if valgrind is missing or could not run the workload.
    func count(_ workload: Workload) -> Int? {
        // Only what is called by the function that runs the measured part.
        let options = ["--tool=callgrind", "--callgrind-out-file=/dev/null", "--toggle-collect=floor_run_measured", program]
        let arguments = ["measure", workload.name, Side.ours.rawValue, "--directory", directory, "--documents", String(Self.documents)]
        guard let (status, messages) = try? run("valgrind", options + arguments), status == 0 else { return nil }
        // ==123== Collected : 4567
        let line = messages.split(separator: "\n").last { $0.contains("Collected :") }
        return line?.split(separator: " ").last.flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
    }

    /// Runs a program, and returns its exit code and what it has written to its standard error.
    private func run(_ tool: String, _ arguments: [String]) throws -> (status: Int32, messages: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [tool] + arguments
        let pipe = Pipe()
        process.standardError = pipe
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        let messages = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, messages)
    }
}
