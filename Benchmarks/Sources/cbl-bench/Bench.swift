import ArgumentParser
import Foundation

@main
struct Bench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cbl-bench",
        abstract: "Measures the library beside raw SQLite, on the same machine and in the same run.",
        subcommands: [Compare.self, Vectors.self, Measure.self, Prepare.self],
        defaultSubcommand: Compare.self
    )
}

/// The command there is for people: all workloads, or those that are named.
struct Compare: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Runs the workloads and prints a table.",
        discussion: "Workloads: \(Workload.all.map(\.name).joined(separator: ", "))."
    )

    @Option(name: [.customLong("save"), .customLong("json")], help: "Write the figures to this file, as JSON.")
    var save: String?
    @Option(name: .customLong("compare"), help: "Print how much better this run is than the one that was saved to this file.")
    var earlier: String?
    @Option(help: "Write the figures to this file, as a page with plots.")
    var html: String?
    @Flag(help: "Count instructions too, with valgrind. Takes some minutes for all workloads.")
    var instructions = false
    @Option(help: "How often each workload is run on each side.")
    var runs = 3
    @Option(help: "How many documents there are.")
    var documents = 100_000
    @Option(help: "Where the databases are made, in a directory that is removed at the end.")
    var scratch = NSTemporaryDirectory()
    @Argument(help: "The workloads to run; all if none is named.")
    var workloads: [String] = []

    func validate() throws {
        guard (1...100).contains(runs) else { throw ValidationError("--runs must be from 1 to 100.") }
        guard (1...10_000_000).contains(documents) else { throw ValidationError("--documents must be from 1 to 10000000.") }
        for name in workloads where Workload.named(name) == nil {
            let names = Workload.all.map(\.name).joined(separator: ", ")
            throw ValidationError("There is no workload '\(name)'. The workloads are \(names).")
        }
    }

    func run() throws {
        let chosen = workloads.isEmpty ? Workload.all : workloads.compactMap(Workload.named)
        let directory = URL(fileURLWithPath: scratch, isDirectory: true).appendingPathComponent(
            "cbl-bench-\(UUID().uuidString)"
        ).path
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }

        let runner = Runner(directory: directory, documents: documents, runs: runs)
        if chosen.contains(where: \.needsDocuments) { try runner.prepare() }
        let before = try earlier.map { try SavedRun.read($0).workloads } ?? [:]
        let counter = instructions ? Instructions(directory: directory + "/small") : nil
        try counter?.prepare()
        var report = Report(earlier: before, countsInstructions: instructions)
        var failed = false
        show("\(documents) documents, \(runs) runs of each side by turns\n\n\(report.header)")
        for workload in chosen {
            let result = try runner.compare(workload)
            if case .failed = result { failed = true }
            show(report.add(workload.name, result, instructions: counter?.count(workload)))
        }
        if let ratios = report.ratios() { show("\n" + ratios) }
        show("\n\(Report.legend)")
        if let save { try report.saved(documents: documents).write(save) }
        if let html {
            let page = Page(documents: documents, rows: report.rows, earlier: before)
            try Data(page.html().utf8).write(to: URL(fileURLWithPath: html))
        }
        if failed { throw ExitCode.failure }
    }

    /// Prints at once, also into a pipe.
    private func show(_ text: String) {
        FileHandle.standardOutput.write(Data((text + "\n").utf8))
    }
}
