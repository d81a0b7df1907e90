import ArgumentParser
import Foundation

/// Which of the two is measured.
enum Side: String, ExpressibleByArgument, Codable {
    case ours, floor
}

/// What one run of one side of a workload gave.
struct Measurement: Codable {
    var seconds: Double
    var peakMegabytes: Double
    var convertedMegabytes: Double?
    /// The size of the database that the run has written, in MB of 10^6 bytes; `nil` if it has written none.
    var diskMegabytes: Double?
}

/// One run, in a process of its own: so neither side meets the other's memory, caches or SQLite settings.
struct Measure: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measures one side of one workload and prints the result as JSON.",
        shouldDisplay: false
    )

    /// The exit code that says the library cannot do it yet.
    static let notSupported: Int32 = 3

    @Argument var workload: String
    @Argument var side: Side
    @Option var directory: String
    @Option var documents: Int

    func run() throws {
        guard let workload = Workload.named(workload) else { throw ValidationError("There is no workload \(workload).") }
        let stage = Stage(directory: directory, documents: documents)
        do {
            let line = try JSONEncoder().encode(try measure(workload, stage))
            FileHandle.standardOutput.write(line)
        } catch let WorkloadError.notSupported(reason) {
            FileHandle.standardOutput.write(Data(reason.utf8))
            throw ExitCode(Self.notSupported)
        }
    }

    private func measure(_ workload: Workload, _ stage: Stage) throws -> Measurement {
        PeakMemory.reset()
        switch side {
        case .ours:
            let start = Date()
            let outcome = try workload.ours(stage)
            return Measurement(
                seconds: outcome.seconds,
                peakMegabytes: PeakMemory.megabytes,
                convertedMegabytes: outcome.megabytes,
                diskMegabytes: stage.sizeOfScratch(writtenSince: start)
            )
        case .floor:
            guard let floor = workload.floor else { throw ValidationError("\(workload.name) has no floor.") }
            return Measurement(seconds: try floor(FloorStage(stage)), peakMegabytes: PeakMemory.megabytes)
        }
    }
}

/// Makes what the workloads start from: our database with all documents, and the floor's file with the rows of that.
struct Prepare: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Makes the databases the workloads start from.", shouldDisplay: false)

    @Option var directory: String
    @Option var documents: Int

    func run() throws {
        let stage = Stage(directory: directory, documents: documents)
        try stage.makeDocuments()
        try FloorStage(stage).prepare()
    }
}
