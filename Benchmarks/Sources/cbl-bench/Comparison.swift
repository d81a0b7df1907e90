import Foundation

/// A workload measured several times beside its floor.
struct Comparison {
    let name: String
    let ours: [Measurement]
    let floor: [Measurement]

    /// The median of our seconds.
    var seconds: Double { median(of: ours.map(\.seconds)) }
    /// The median of the floor's seconds; nil where there is no floor.
    var floorSeconds: Double? { floor.isEmpty ? nil : median(of: floor.map(\.seconds)) }
    /// The floor's seconds divided by ours: 1 is as fast as the floor, 0.5 half as fast.
    var speed: Double? { floorSeconds.map { $0 / seconds } }
    /// The shortest of our runs.
    var leastSeconds: Double { ours.map(\.seconds).min() ?? 0 }
    /// The speed by the shortest run of both.
    var bestSpeed: Double? { floor.map(\.seconds).min().map { $0 / leastSeconds } }
    var peakMegabytes: Double { ours.map(\.peakMegabytes).max() ?? 0 }
    var diskMegabytes: Double? { ours.compactMap(\.diskMegabytes).max() }
    /// Megabytes a second, where something is converted or copied.
    var throughput: Double? { ours.first?.convertedMegabytes.map { $0 / seconds } }
}

/// What became of a workload.
enum ComparisonResult {
    case measured(Comparison)
    case notSupported(String)
    case failed(String)
}

/// Runs measurements in processes of this same program.
struct Runner {
    let directory: String
    let documents: Int
    let runs: Int

    private struct Failure: Error {
        let result: ComparisonResult
    }

    /// Makes the databases the workloads start from.
    func prepare() throws {
        let (status, output) = try launch(["prepare"])
        if status != 0 { throw WorkloadError.wrongResult("the databases could not be made (\(status)) \(output)") }
    }

    /// Measures both sides by turns, so that a machine that gets slower or faster does so for both.
    func compare(_ workload: Workload) throws -> ComparisonResult {
        var ours: [Measurement] = []
        var floor: [Measurement] = []
        do {
            for _ in 0..<runs {
                ours.append(try measure(workload, .ours))
                if workload.floor != nil { floor.append(try measure(workload, .floor)) }
            }
        } catch let failure as Failure {
            return failure.result
        }
        return .measured(Comparison(name: workload.name, ours: ours, floor: floor))
    }

    private func measure(_ workload: Workload, _ side: Side) throws -> Measurement {
        let (status, output) = try launch(["measure", workload.name, side.rawValue])
        switch status {
        case 0: return try JSONDecoder().decode(Measurement.self, from: Data(output.utf8))
        case Measure.notSupported: throw Failure(result: .notSupported(output))
        default: throw Failure(result: .failed("\(side.rawValue) ended with \(status)"))
        }
    }

    /// Runs this program again and gives its exit code and what it printed. Its errors are seen as they come.
    private func launch(_ arguments: [String]) throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = Bundle.main.executableURL
        process.arguments = arguments + ["--directory", directory, "--documents", String(documents)]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }
}
